// SPDX-License-Identifier: GPL-3.0-or-later
// Attention over the paged trace. Rows are written once; lse is the natural logarithm, in fp32.
#pragma once
#include <cstdint>

#include "kernels/parallel.h"
#include "kernels/views.h"

namespace kernels {

// Per-head RMS norm (where the weights are given), RoPE, and the write of q, k and v into their
// pages.
struct AppendArgs {
    TraceView trace;
    std::int64_t begin = 0, end = 0;  // positions; the block table covers them
    // [end − begin, (Hq + 2·Hkv) · D], columns [q | k | v], biases already added.
    const float* qkv = nullptr;
    // [D] or null: x · rsqrt(mean(x²) + eps) · w over each head, before RoPE.
    const float* q_norm = nullptr;
    const float* k_norm = nullptr;
    float norm_eps = 0;
    // [end − begin, rotary_dim / 2] of the positions; null: no RoPE.
    const float* cosines = nullptr;
    const float* sines = nullptr;
    std::int32_t rotary_dim = 0;  // half-split inside the first rotary_dim dims
};

// z = softmax(scores) · v for dest rows [begin, end) against all keys visible to each; reads q, k,
// v of the pages, writes lse and z there, and z once more densely as the next product wants it.
// Used for chunks of a prompt and, with one row, for a decode step (then split over heads and key
// ranges).
struct AttendArgs {
    TraceView trace;
    ScoreRule rule;
    std::int64_t begin = 0, end = 0;  // dest rows; keys 0 … dest are in the pages
    float* z_out = nullptr;           // [end − begin, Hq · D]
    float* scratch = nullptr;         // attend_scratch(args, threads) floats, uninitialised
};

namespace cpu {
void append(const AppendArgs&, const Parallel&);
std::int64_t attend_scratch(const AttendArgs&, int threads);  // floats
void attend(const AttendArgs&, const Parallel&);
}  // namespace cpu

}  // namespace kernels
