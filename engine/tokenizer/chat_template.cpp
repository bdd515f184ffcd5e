// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/chat_template.h"

namespace engine::tokenizer {

std::optional<ChatTemplate> recognize_chat_template(std::string_view source) {
    if (source.empty()) return std::nullopt;
    return std::nullopt;
}

}  // namespace engine::tokenizer
