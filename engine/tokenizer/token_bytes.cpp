// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/token_bytes.h"

#include <charconv>

#include "engine/tokenizer/byte_level.h"

namespace engine::tokenizer {

std::string TokenBytes::of(std::string_view spelled) const {
    if (byte_level) {
        auto bytes = byte_level_bytes(spelled);
        return bytes ? *std::move(bytes) : std::string(spelled);
    }
    if (byte_fallback && spelled.size() == 6 && spelled.starts_with("<0x") &&
        spelled.back() == '>') {
        unsigned byte = 0;
        const char* const end = spelled.data() + 5;
        if (std::from_chars(spelled.data() + 3, end, byte, 16).ptr == end)
            return std::string(1, static_cast<char>(byte));
    }
    std::string out(spelled);
    for (const auto& [what, by] : replacements)
        for (std::size_t at = what.empty() ? std::string::npos : out.find(what);
             at != std::string::npos; at = out.find(what, at + by.size()))
            out.replace(at, what.size(), by);
    return out;
}

}  // namespace engine::tokenizer
