// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/white_space.h"

#include <unicode/uchar.h>

#include <algorithm>

namespace engine::tokenizer {

bool is_white_space(char32_t c) {
    return u_isUWhiteSpace(static_cast<UChar32>(c));
}

Utf8Step last_utf8(std::string_view text) {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
        const Utf8Step step = next_utf8(text.substr(text.size() - length));
        if (step.kind == Utf8::Character && step.length == length) return step;
    }
    return {};
}

}  // namespace engine::tokenizer
