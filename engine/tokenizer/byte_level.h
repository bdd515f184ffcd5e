// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2's map between bytes and printable characters: vocabularies spell a byte that is no
// printable Latin-1 character as U+0100 onwards (a space is U+0120, "Ġ"). Vocabularies are turned
// back into bytes once, when they are read, so that nothing else has to know the spelling.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace engine::tokenizer {

// The character that stands for a byte.
char32_t byte_level_character(unsigned char byte);

// The bytes that a vocabulary entry spells; nothing where it holds a character that stands for no
// byte.
std::optional<std::string> byte_level_bytes(std::string_view spelled);

}  // namespace engine::tokenizer
