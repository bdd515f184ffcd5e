// SPDX-License-Identifier: GPL-3.0-or-later
// What heads write, from z alone, without forming [T, H, d_model].
#pragma once
#include <cstdint>

#include "kernels/parallel.h"
#include "kernels/views.h"

namespace kernels {

// For rows [begin, end) of one layer, all heads:
//   norm[t, h] = ‖R_h z_h‖ (= ‖W_O_h z_h‖) with W_O_h = Q_h R_h, R_h [D, D] upper triangular,
//                zeros stored below the diagonal
//   dot[t, h]  = z_h · p_h (= (W_O_h z_h) · u) with p_h = W_O_hᵀ u
struct ContributionArgs {
    TraceView trace;
    std::int64_t begin = 0, end = 0;
    const float* r = nullptr;  // [Hq, D, D] row-major, or null
    const float* p = nullptr;  // [Hq, D], or null
    float* norm = nullptr;     // [end − begin, Hq], written when r is given
    float* dot = nullptr;      // [end − begin, Hq], written when p is given
};

// The same two forms on v instead of z, for the column weights of one head's value and attribution
// tiles: v is read at KV head h / group; out [end − begin] = ‖R_h v[src]‖ or v[src] · p_h.
struct ColumnWeightArgs {
    TraceView trace;
    std::int32_t head = 0;
    std::int64_t begin = 0, end = 0;  // src
    const float* r = nullptr;         // [D, D] of this head: write norms; or
    const float* p = nullptr;         // [D] of this head: write dots
    float* out = nullptr;
};

namespace cpu {
void contributions(const ContributionArgs&, const Parallel&);
void column_weights(const ColumnWeightArgs&, const Parallel&);
}  // namespace cpu

}  // namespace kernels
