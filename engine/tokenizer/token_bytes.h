// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine::tokenizer {

// How a vocabulary's spelling becomes the bytes that a token stands for: the part of a tokenizer's
// decoder that looks at one token at a time.
struct TokenBytes {
    bool byte_level = false;                                        // byte-level characters
    bool byte_fallback = false;                                     // <0x0A> is a byte
    std::vector<std::pair<std::string, std::string>> replacements;  // U+2581 is a space, mostly

    std::string of(std::string_view spelled) const;
};

}  // namespace engine::tokenizer
