// SPDX-License-Identifier: GPL-3.0-or-later
// One cell in fp64 from the trace's own q, k, v: what the read-out shows.
#pragma once
#include <functional>

#include "engine/values/tile.h"
#include "kernels/views.h"

namespace engine {

// A cell without its numbers: where it stands and whether it is visible.
Cell place_cell(RunId, LayerHead, Position dest, Position src, const kernels::ScoreRule&);
// The first key inside the window of a row.
std::int64_t first_key(const kernels::ScoreRule&, std::int64_t dest);

// What a visible cell is made of, in fp32. [D] but for r.
struct CellParts {
    int head_dim = 0;
    const float* q = nullptr;                       // of dest
    std::function<const float*(std::int64_t)> key;  // of a position from first_key() to dest
    const float* v = nullptr;                       // of src
    float lse = 0, final_scale = 0;                 // of dest
    float attention_scale = 1;  // of dest: what the norm behind attention multiplies by, if any
    const float* r = nullptr;   // [D, D] of the head
    const float* p = nullptr;   // of the head and the target
};
void fill_cell(Cell&, const kernels::ScoreRule&, const CellParts&);

}  // namespace engine
