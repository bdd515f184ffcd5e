// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts text into the pieces that BPE never merges across, by the rules that the tokenizer's file
// gives.
#pragma once
#include <cstddef>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tokenizer/regex.h"

namespace engine::tokenizer {

// A piece is bytes [begin, end) of the text; `space_before` puts a space in front that the text
// does not have (ByteLevel's add_prefix_space).
struct Piece {
    std::size_t begin = 0, end = 0;
    bool space_before = false;
};

// What happens to the matches of a Split.
enum class Matches { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };

struct Split {
    Regex pattern;
    Matches matches = Matches::Isolated;
    bool invert = false;  // what lies between the matches takes their place
};
struct AddPrefixSpace {};  // to every piece that has none

class PreTokenizer {
  public:
    using Rule = std::variant<Split, AddPrefixSpace>;
    explicit PreTokenizer(std::vector<Rule> rules) : rules_(std::move(rules)) {}

    // Pieces of a valid UTF-8 text from left to right, none empty; each rule sees the pieces of the
    // one before it as texts of their own.
    std::vector<Piece> split(std::string_view text) const;

  private:
    std::vector<Rule> rules_;
};

// The pattern of ByteLevel with use_regex, GPT-2's own.
inline constexpr std::string_view byte_level_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace engine::tokenizer
