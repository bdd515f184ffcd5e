// SPDX-License-Identifier: GPL-3.0-or-later
// What a run changes in its own forward pass. A run with edits is a run like any other: its trace
// holds what the edited model computed, and every view rebuilds that.
#pragma once
#include <vector>

#include "engine/values/ids.h"

namespace engine {

// Rows of an edit: [begin, end) of the run, and an end past its newest row reaches the tokens that
// are still to come.
inline constexpr Rows every_row{0, std::int64_t{1} << 62};

// What a head hands to W_O at some rows: z becomes scale · z + values. Scale 0 ablates the head;
// with values (the head's z of another run, or its mean) it patches it.
struct HeadEdit {
    LayerHead at;
    Rows rows = every_row;  // dest
    float scale = 0;
    std::vector<float> values;  // [head_dim], or empty: nothing is added
    bool operator==(const HeadEdit&) const = default;
};

// Keys that a head may not see: their score is −inf, and the row's other weights share what they
// had. A row that sees nothing is left with z = 0 and lse = −inf.
struct EdgeEdit {
    LayerHead at;
    Rows dest = every_row, src;
    bool operator==(const EdgeEdit&) const = default;
};

struct Edits {
    std::vector<HeadEdit> heads;  // of one head in the order given
    std::vector<EdgeEdit> edges;
    bool empty() const { return heads.empty() && edges.empty(); }
    bool operator==(const Edits&) const = default;
};

}  // namespace engine
