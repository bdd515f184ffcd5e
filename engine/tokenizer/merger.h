// SPDX-License-Identifier: GPL-3.0-or-later
// BPE's merging: while some neighbours have a merge, the leftmost pair of the lowest rank becomes
// one. Immutable, any thread.
#pragma once
#include <functional>
#include <vector>

#include "engine/tokenizer/model.h"
#include "engine/tokenizer/pair_table.h"

namespace engine::tokenizer {

class Merger {
  public:
    using IdOf = std::function<std::uint32_t(const std::string&)>;  // no_id where there is none
    // Throws Error(BadFile) for a merge whose parts or result are not in the vocabulary; `where`
    // names the file.
    Merger(const ModelParts&, const IdOf&, const std::string& where);

    // Merges the symbols from `first` on; O(n log n), no recursion.
    void merge(std::vector<Symbol>& symbols, std::size_t first) const;

  private:
    void merge_short(std::vector<Symbol>& symbols, std::size_t first) const;
    void merge_long(std::vector<Symbol>& symbols, std::size_t first) const;
    PairTable merges_;
};

}  // namespace engine::tokenizer
