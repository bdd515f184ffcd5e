// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

#include "engine/tokenizer/utf8.h"

namespace engine::tokenizer {

bool is_white_space(char32_t c);  // of Unicode

// The character that ends the text; Broken where none does.
Utf8Step last_utf8(std::string_view text);

}  // namespace engine::tokenizer
