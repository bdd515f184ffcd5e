// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece vocabularies, whether they come from a tokenizer.model or from GGUF metadata.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/tokenizer/text_tokenizer.h"

namespace engine::tokenizer {

struct SpmVocabulary {
    enum class Kind { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };
    struct Piece {
        std::string text;  // spaces are U+2581
        double score = 0;
        Kind kind = Kind::Normal;
    };
    std::vector<Piece> pieces;   // by id
    bool unigram = false;        // else BPE, whose merges follow from the scores
    bool prefix_space = true;    // in front of a text
    bool single_spaces = false;  // no spaces around a text, one where there were several
    std::string characters_map;  // precompiled; may be empty
};

// Model, normalizer, added tokens and decoder of the vocabulary. Throws Error(BadFile).
void add_spm_vocabulary(const SpmVocabulary&, TokenizerParts&);

// A tokenizer.model, which is a protocol buffer. `where` names it. Throws Error(BadFile |
// Unsupported).
struct SpmFile {
    SpmVocabulary vocabulary;
    std::optional<std::uint32_t> bos, eos;
};
SpmFile read_spm_file(std::string_view bytes, const std::string& where);

}  // namespace engine::tokenizer
