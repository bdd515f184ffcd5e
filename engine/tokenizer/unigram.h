// SPDX-License-Identifier: GPL-3.0-or-later
// Unigram: the cut of a piece into tokens whose probabilities multiply to the most, by Viterbi's
// algorithm over a trie of the vocabulary. Linear in the piece times the longest token.
#pragma once
#include <array>

#include "engine/tokenizer/model.h"
#include "engine/tokenizer/pair_table.h"

namespace engine::tokenizer {

class Unigram final : public Model {
  public:
    // Throws Error(BadFile) for scores that are no numbers or do not match the vocabulary.
    Unigram(const ModelParts&, const std::string& where);
    void encode(std::string_view piece, std::vector<Symbol>& out) const override;

  private:
    // Of the best cut that ends at a byte.
    struct Best {
        double score = 0;
        std::uint32_t begin = no_id, id = no_id;  // of its last token
    };
    void put(std::string_view piece, const Symbol&, std::vector<Symbol>& out) const;

    PairTable children_;                   // node and byte to node
    std::vector<std::uint32_t> token_of_;  // by node: index of its entry, or no_id
    std::vector<double> scores_;           // by entry
    std::vector<std::uint32_t> ids_;
    std::array<std::uint32_t, 256> bytes_{};
    std::uint32_t unknown_ = no_id;
    std::string unknown_spelling_;
    double unknown_score_ = 0;
    bool byte_fallback_ = false, single_precision_ = false;
};

}  // namespace engine::tokenizer
