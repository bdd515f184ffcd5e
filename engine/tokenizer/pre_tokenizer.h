// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts text into the pieces that no token goes across, by the rules that the tokenizer's file
// gives.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tokenizer/normalizer.h"
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

// Writes spaces as a mark, which a piece begins with.
struct Metaspace {
    enum class Prefix { Always, First, Never };  // First: at the begin of the whole text
    std::string mark;
    Prefix prefix = Prefix::Always;
    bool cut = true;  // in front of each mark
};

// What the rules make of a text; the pieces are of text.text().
struct CutText {
    ChangedText text;
    std::vector<Piece> pieces;
};

class PreTokenizer {
  public:
    using Rule = std::variant<Split, AddPrefixSpace, Metaspace>;
    explicit PreTokenizer(std::vector<Rule> rules) : rules_(std::move(rules)) {}

    // Pieces of a valid UTF-8 text from left to right, none empty; each rule sees the pieces of the
    // one before it as texts of their own. `first`: the text begins a prompt. The text must outlive
    // the result.
    CutText split(std::string_view text, bool first = true) const;

  private:
    std::vector<Rule> rules_;
};

// The pattern of ByteLevel with use_regex, GPT-2's own.
inline constexpr std::string_view byte_level_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

}  // namespace engine::tokenizer
