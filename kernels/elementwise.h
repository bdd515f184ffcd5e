// SPDX-License-Identifier: GPL-3.0-or-later
// The small steps between products.
#pragma once
#include <cstdint>

#include "kernels/parallel.h"

namespace kernels::cpu {

// y[t] = x[t] · rsqrt(mean(x[t]²) + eps) ⊙ w. x, y [rows, columns]; y may be x.
void rms_norm(const float* x, const float* w, float eps, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel&);

// y[t] = (x[t] − mean) · rsqrt(variance + eps) ⊙ w + b. x, y [rows, columns]; y may be x.
void layer_norm(const float* x, const float* w, const float* b, float eps, float* y,
                std::int64_t rows, std::int64_t columns, const Parallel&);

// y = act(gate) ⊙ up, or act(gate) where up is null. gate, up [rows, columns] with rows `stride`
// apart; y dense, may be gate.
//   silu       a / (1 + e^−a)
//   gelu_tanh  a/2 · (1 + tanh(√(2/π) · (a + 0.044715 a³)))
//   gelu       a/2 · (1 + erf(a / √2))
void silu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel&);
void gelu_tanh_mul(const float* gate, const float* up, std::int64_t stride, float* y,
                   std::int64_t rows, std::int64_t columns, const Parallel&);
void gelu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel&);

// x += y, n elements.
void add(float* x, const float* y, std::int64_t n, const Parallel&);

}  // namespace kernels::cpu
