// SPDX-License-Identifier: GPL-3.0-or-later
// The small steps between the products of many rows, on the device. Every pointer is a device
// pointer; calls enqueue on the stream and return. The residual stream is fp32 whatever the model's
// element type; columns are multiples of 8.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/views.h"

namespace kernels::cuda {

// x[i] = scale · table[tokens[i]]; table [vocabulary, columns], x fp32 [rows, columns].
void embed(const void* table, Element, const std::int32_t* tokens, std::int64_t rows,
           std::int64_t columns, float scale, float* x, cudaStream_t);

// y[t] = x[t] · rsqrt(mean(x[t]²) + eps) ⊙ w, rounded once to the element; x fp32 [rows, columns].
// scale_out [rows] or null: the factor before w, which a frozen final norm is made of.
void rms_norm(const float* x, const float* w, float eps, std::int64_t rows, std::int64_t columns,
              void* y, Element, float* scale_out, cudaStream_t);

// scale[t] = rsqrt(mean(x[t]²) + eps).
void norm_scale(const float* x, float eps, std::int64_t rows, std::int64_t columns, float* scale,
                cudaStream_t);

// y = silu(gate) ⊙ up of gate_up [rows, 2 · columns], columns [gate | up]; y [rows, columns].
void silu_mul(const void* gate_up, std::int64_t rows, std::int64_t columns, void* y, Element,
              cudaStream_t);

// y[t] += bias for y [rows, columns].
void add_bias(void* y, Element, const float* bias, std::int64_t rows, std::int64_t columns,
              cudaStream_t);

// cos and sin of t · inverse_frequency[i] · factor, t in [begin, begin + rows), formed in fp64 and
// rounded once; [rows, count] each.
void rope_table(const double* inverse_frequency, std::int64_t count, double factor,
                std::int64_t begin, std::int64_t rows, float* cosines, float* sines, cudaStream_t);

// Rows [begin, end) of one section of a layer's trace, dense: to [rows, heads, head_dim] of the
// trace's element.
enum class Section : std::uint8_t { Q, K, V, Z };
void gather_rows(const TraceView&, Section, std::int64_t begin, std::int64_t end, void* to,
                 cudaStream_t);

}  // namespace kernels::cuda
