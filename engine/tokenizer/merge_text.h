// SPDX-License-Identifier: GPL-3.0-or-later
// Merges written as one string: two parts with a space between, where a part may itself hold a
// space.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/tokenizer/bpe.h"

namespace engine::tokenizer {

class MergeReader {
  public:
    // Keeps views into the vocabulary: do not add to it meanwhile.
    MergeReader(const ModelParts&, std::string where);

    // Where several spaces could be the one between, the vocabulary decides. Throws Error(BadFile)
    // where none fits or more than one does.
    std::pair<std::string, std::string> parts_of(std::string_view merge) const;

  private:
    std::unordered_set<std::string_view> vocabulary_;
    std::string where_;
};

}  // namespace engine::tokenizer
