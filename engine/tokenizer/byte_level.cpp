// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/byte_level.h"

#include "engine/tokenizer/utf8.h"

namespace engine::tokenizer {
namespace {

constexpr char32_t first_stand_in = 0x100;
constexpr std::size_t characters = 0x144;  // one past the last stand-in: 68 bytes are not printable

struct Tables {
    std::array<char32_t, 256> character{};
    std::array<std::int16_t, characters> byte{};
    Tables() {
        byte.fill(-1);
        char32_t stand_in = first_stand_in;
        for (unsigned b = 0; b < 256; ++b) {
            const bool printable =
                (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            character[b] = printable ? b : stand_in++;
            byte[character[b]] = static_cast<std::int16_t>(b);
        }
    }
};

const Tables& tables() {
    static const Tables once;
    return once;
}

}  // namespace

char32_t byte_level_character(unsigned char byte) {
    return tables().character[byte];
}

std::optional<std::string> byte_level_bytes(std::string_view spelled) {
    std::string bytes;
    while (!spelled.empty()) {
        const Utf8Step step = next_utf8(spelled);
        if (step.kind != Utf8::Character || step.code_point >= characters) return std::nullopt;
        const int byte = tables().byte[step.code_point];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        spelled.remove_prefix(step.length);
    }
    return bytes;
}

}  // namespace engine::tokenizer
