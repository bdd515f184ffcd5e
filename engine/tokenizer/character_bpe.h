// SPDX-License-Identifier: GPL-3.0-or-later
// BPE over characters, as SentencePiece's vocabularies have it: a character without a token falls
// back to its bytes.
#pragma once
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "engine/tokenizer/merger.h"
#include "engine/tokenizer/model.h"

namespace engine::tokenizer {

class Vocabulary;

class CharacterBpe final : public Model {
  public:
    // Throws Error(BadFile) as Merger does.
    CharacterBpe(const ModelParts&, const std::string& where);
    void encode(std::string_view piece, std::vector<Symbol>& out) const override;

  private:
    CharacterBpe(const ModelParts&, const Vocabulary&, const std::string& where);
    void encode_part(std::string_view piece, std::size_t begin, std::size_t end,
                     std::vector<Symbol>& out) const;
    void find_joins(const ModelParts&);

    std::unordered_map<char32_t, std::uint32_t> characters_;
    std::array<std::uint32_t, 256> ascii_{}, bytes_{};
    Merger merger_;
    std::uint32_t unknown_ = no_id;
    bool byte_fallback_ = false, fuse_unknown_ = false;
    std::unordered_map<std::string, std::uint32_t> whole_pieces_;  // only with ignore_merges
    // A text without a pre-tokenizer is one piece. It may be cut in front of a space mark, as no
    // token goes across, but for these characters: some token has them before a space mark.
    std::unordered_set<char32_t> joins_;
    bool cuts_ = true;
};

}  // namespace engine::tokenizer
