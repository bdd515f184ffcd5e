// SPDX-License-Identifier: GPL-3.0-or-later
// Unicode normalization form C, with the way back to the text as given.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

struct NormalizedText {
    // Stretches of both texts that correspond, in order and without gaps. An unchanged stretch maps
    // byte by byte, a changed one only as a whole.
    struct Stretch {
        std::size_t normalized = 0, original = 0;  // where it begins
        std::size_t normalized_size = 0, original_size = 0;
        bool changed = false;
    };
    std::string text;
    std::vector<Stretch> stretches;  // empty: nothing changed

    struct Range {
        std::size_t begin = 0, end = 0;
    };
    // The bytes as given that bytes [begin, end) of `text` come from.
    Range original(std::size_t begin, std::size_t end) const;
};

// `text` must be valid UTF-8.
NormalizedText to_nfc(std::string_view text);

}  // namespace engine::tokenizer
