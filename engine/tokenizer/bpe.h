// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-level BPE: one piece of text, as bytes, to the tokens that merging by rank leaves.
#pragma once
#include <array>
#include <unordered_map>

#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/model.h"

namespace engine::tokenizer {

class Vocabulary;

class Bpe final : public Model {
  public:
    using Symbol = tokenizer::Symbol;

    // Throws Error(BadFile) for a merge whose parts or result are not in the vocabulary; `where`
    // names the file.
    Bpe(const ModelParts&, const std::string& where);

    // A byte that the vocabulary lacks is left out where there is no unknown token, as Hugging Face
    // does.
    void encode(std::string_view piece, std::vector<Symbol>& out) const override;

  private:
    Bpe(const ModelParts&, const Vocabulary&, const std::string& where);

    std::array<std::uint32_t, 256> byte_ids_{};
    Merger merger_;
    std::uint32_t unknown_ = no_id;
    bool fuse_unknown_ = false;
    std::unordered_map<std::string, std::uint32_t> whole_pieces_;  // only with ignore_merges
};

}  // namespace engine::tokenizer
