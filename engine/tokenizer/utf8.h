// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8 as far as the tokenizer needs it: where characters end and which bytes are broken
// (Unicode 3.9, table 3-7).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine::tokenizer {

enum class Utf8 : std::uint8_t {
    Character,   // a whole character of `length` bytes
    Incomplete,  // the text ends inside a character that may still become valid; `length` is what
                 // is there
    Broken,      // these `length` bytes can never become part of a valid character
};

struct Utf8Step {
    Utf8 kind = Utf8::Broken;
    std::uint32_t length = 0;  // bytes, 1 to 4; the maximal subpart for Broken and Incomplete
    char32_t code_point = 0;   // of a Character
};

// What stands at the start of a text that is not empty.
Utf8Step next_utf8(std::string_view text);

// Length of the longest prefix that is valid, resp. of the broken or incomplete bytes at the start.
std::size_t valid_prefix(std::string_view text);
std::size_t broken_prefix(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

}  // namespace engine::tokenizer
