// SPDX-License-Identifier: GPL-3.0-or-later
// One cell: what the read-out shows. Its score and its p are the very numbers that the map draws
// and `dump` writes, rebuilt by the same kernel: taken in fp64 they would be as right (both are
// within the tolerance of an fp64 softmax, the row's lse is fp32 either way) but differ in the
// sixth decimal where scores are large. Its norm and attribution are that p times sums in fp64.
#pragma once
#include <span>

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
    std::int64_t first = 0;                  // src of the next two, which end with dest
    std::span<const float> scores, pattern;  // of the row; −inf and 0 where nothing is seen
    const float* v = nullptr;                // of src
    float final_scale = 0;                   // of dest
    float attention_scale = 1;  // of dest: what the norm behind attention multiplies by, if any
    float left = 1;             // RunEdits::left_of
    const float* r = nullptr;   // [D, D] of the head
    const float* p = nullptr;   // of the head and the target
};
void fill_cell(Cell&, const CellParts&);

}  // namespace engine
