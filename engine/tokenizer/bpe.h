// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-level BPE: one piece of text, as bytes, to the tokens that merging by rank leaves.
// Immutable, any thread.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/tokenizer/pair_table.h"

namespace engine::tokenizer {

// The model part of a tokenizer file, as it is spelled there.
struct BpeModel {
    std::vector<std::pair<std::string, std::uint32_t>>
        vocabulary;  // spelled in byte-level characters, with ids
    std::vector<std::pair<std::string, std::string>> merges;  // by rank
    bool ignore_merges =
        false;  // a piece that is in the vocabulary is that token, whatever the merges say
    std::optional<std::string> unknown;  // stands for a byte that the vocabulary lacks
    bool fuse_unknown = false;           // one for a run of them
};

class Bpe {
  public:
    struct Symbol {
        std::uint32_t id = 0;
        std::uint32_t begin = 0, end = 0;  // bytes of the piece
    };

    // Throws Error(BadFile) for a merge whose parts or result are not in the vocabulary; `where`
    // names the file.
    Bpe(const BpeModel&, const std::string& where);

    // Appends the piece's tokens in order; O(n log n) for n bytes, no recursion. A byte that the
    // vocabulary lacks is left out where there is no unknown token, as Hugging Face does: the
    // caller sees it as a gap.
    void encode(std::string_view piece, std::vector<Symbol>& out) const;

  private:
    void merge_short(std::vector<Symbol>& symbols, std::size_t first) const;
    void merge_long(std::vector<Symbol>& symbols, std::size_t first) const;

    static constexpr std::uint32_t no_id = 0xFFFFFFFF;
    std::array<std::uint32_t, 256> byte_ids_{};
    PairTable merges_;
    std::uint32_t unknown_ = no_id;
    bool fuse_unknown_ = false;
    std::unordered_map<std::string, std::uint32_t> whole_pieces_;  // only with ignore_merges
};

}  // namespace engine::tokenizer
