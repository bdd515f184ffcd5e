// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece's precompiled normalization: a double-array trie of byte strings, each with the
// text that takes its place.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/tokenizer/normalizer.h"

namespace engine::tokenizer {

// Who applies the map: SentencePiece takes the longest string at each place; Hugging Face's reader
// looks at grapheme clusters first and lets the shortest string decide.
enum class CharactersMapStyle { SentencePiece, HuggingFace };

// `map` as it lies in a file: 4 bytes of the trie's size, the trie, the texts, each ended by a NUL.
// An empty map changes nothing. Throws Error(BadFile) for a size that does not fit.
NormalizerStep mapping_characters(std::string_view map, CharactersMapStyle,
                                  const std::string& where);

// Base64 with or without padding; throws Error(BadFile).
std::string from_base64(std::string_view text, const std::string& where);

}  // namespace engine::tokenizer
