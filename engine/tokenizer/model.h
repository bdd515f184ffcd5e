// SPDX-License-Identifier: GPL-3.0-or-later
// One piece of text to the tokens that a vocabulary makes of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine::tokenizer {

// The model part of a tokenizer file, as it is spelled there.
struct ModelParts {
    enum class Kind {
        ByteLevelBpe,  // over bytes, spelled in byte-level characters
        CharacterBpe,  // over characters, spaces written as U+2581
        Unigram        // the most probable cut into tokens
    };
    Kind kind = Kind::ByteLevelBpe;
    std::vector<std::pair<std::string, std::uint32_t>> vocabulary;  // with ids
    std::vector<double> scores;  // of Unigram: the logarithm of each entry's probability, −∞
                                 // for one that is never found in a text
    // Scores are added up in fp32, as SentencePiece does, else in fp64, as Hugging Face: where two
    // cuts are equally good the rounding decides.
    bool single_precision = false;
    std::vector<std::pair<std::string, std::string>> merges;
    std::vector<std::uint32_t> ranks;  // of the merges; empty: 0, 1, 2, …
    bool ignore_merges =
        false;  // a piece that is in the vocabulary is that token, whatever the merges say
    bool byte_fallback = false;  // a character that the vocabulary lacks becomes <0xNN> tokens
    std::optional<std::string> unknown;  // stands for what the vocabulary lacks
    bool fuse_unknown = false;           // one for a run of them
};

struct Symbol {
    std::uint32_t id = 0;
    std::uint32_t begin = 0, end = 0;  // bytes of the piece
};

constexpr std::uint32_t no_id = 0xFFFFFFFF;

// Immutable, any thread.
class Model {
  public:
    virtual ~Model() = default;
    // Appends the piece's tokens in order; no recursion. What has no token is left out where there
    // is no unknown token: the caller sees a gap. The piece may be broken UTF-8.
    virtual void encode(std::string_view piece, std::vector<Symbol>& out) const = 0;
};

// "<0x0A>", as vocabularies spell the token of a byte.
std::string byte_token(unsigned char byte);

}  // namespace engine::tokenizer
