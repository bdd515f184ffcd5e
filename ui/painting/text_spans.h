// SPDX-License-Identifier: GPL-3.0-or-later
// Where the words, sentences, lines and chat turns of a run begin, by its tokens' own text.
#pragma once
#include <QString>
#include <cstdint>
#include <vector>

#include "engine/values/run.h"
#include "ui/painting/map_units.h"

namespace ui {

// Edges of the spans: 0 first, the number of tokens last; empty without tokens. A token that holds
// parts of two spans belongs to the one of its first character that is not white space (" to" to
// its word and not to the space), white space alone to what it follows or, among words, to itself.
// Words and sentences are Unicode's and never go across a control token, which stands alone; a line
// ends after its line feed. A chat turn begins at a control token that follows another one, white
// space between them or not, once the turn before it has text: so ‹|im_end|› closes one and
// ‹|im_start|› opens the next, and a BOS stays with the first. A run without such a place is one
// turn.
std::vector<std::int64_t> spanEdges(const std::vector<engine::Token>&, Granularity);

MapUnits unitsOf(const std::vector<engine::Token>&, Granularity);

// The text of tokens on one line, visible as a token's; cut to `characters`, its end marked by ….
// Without the control tokens that it begins with, if there is more: turns are told apart by what
// follows them.
QString spanText(const std::vector<engine::Token>&, engine::Rows, int characters);

}  // namespace ui
