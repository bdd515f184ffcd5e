// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/chat_template.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    engine::tokenizer::render_chat_template(fuzz::view(data, size));
    return 0;
}
