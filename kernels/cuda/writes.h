// SPDX-License-Identifier: GPL-3.0-or-later
// Small steps of reading a trace back, on the device: rows as fp32, what each head writes, lengths
// and dots of writes, and the invariants. Every pointer is a device pointer; calls enqueue on the
// stream and return.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/views.h"

namespace kernels::cuda {

// Rows [begin, end) of heads [first_head, first_head + heads) of a section (TraceView's k_offset,
// v_offset, q_offset or z_offset): to [end − begin, heads, D].
void gather_floats(const TraceView&, std::int64_t section, std::int32_t first_head,
                   std::int32_t heads, std::int64_t begin, std::int64_t end, float* to,
                   cudaStream_t);
// to [Hq, end − begin].
void gather_lse(const TraceView&, std::int64_t begin, std::int64_t end, float* to, cudaStream_t);

// z_h · W_O_hᵀ of every head: z fp32 [rows, Hq · D], weights [d_model, Hq · D] of the element, to
// [rows, Hq, d_model].
struct HeadWritesArgs {
    const void* weights = nullptr;
    Element element = Element::BF16;
    std::int64_t d_model = 0;
    std::int32_t query_heads = 0, head_dim = 0;
    const float* z = nullptr;
    std::int64_t rows = 0;
    float* to = nullptr;
};
void head_writes(const HeadWritesArgs&, cudaStream_t);

// Two numbers that start at 0 and grow: |Σ_h parts + bias − whole| and |whole| at most. parts
// [rows, Hq, d_model], whole [rows, d_model], bias [d_model] or null. Not a number counts as the
// largest.
void compare_sums(const float* parts, const float* bias, const float* whole, std::int64_t rows,
                  std::int32_t heads, std::int64_t d_model, float* apart_and_most, cudaStream_t);

// Of each of n vectors x [n, columns]: to [n, 2] = its length and its dot with u, sums in fp64.
void lengths_and_dots(const float* x, const float* u, std::int64_t n, std::int64_t columns,
                      float* to, cudaStream_t);

// x += y, n elements.
void add(float* x, const float* y, std::int64_t n, cudaStream_t);
// x *= y, n elements.
void multiply(float* x, const float* y, std::int64_t n, cudaStream_t);

// One row's invariants, a head each: to [Hq, 4] = |Σ p − 1|, largest |score|, largest |p · v − z|
// and |z|, sums in fp64. scores and pattern [Hq, dest + 1]; a score of −inf is not visible. sinks
// [Hq] or null: what they take is in Σ p; a row that sees nothing has none to be off.
void check_row(const TraceView&, std::int64_t dest, const float* sinks, const float* scores,
               const float* pattern, float* to, cudaStream_t);

}  // namespace kernels::cuda
