// SPDX-License-Identifier: GPL-3.0-or-later
// The products of a decode step: one vector against a matrix, at the rate its bytes come in, with
// what stands before and after it in a decoder layer fused. fp32 accumulation. Every pointer is a
// device pointer; calls enqueue on the stream, as dependent launches where the device has them.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/views.h"

namespace kernels::cuda {

enum class Finish : std::uint8_t {
    Store,   // y = W x + bias
    Add,     // y += W x + bias, the residual stream
    SiluMul  // y = silu(W[0 … rows) x) ⊙ (W[rows … 2 · rows) x): gate over up, one matrix
};

struct ProductArgs {
    // [rows, columns] row-major ([2 · rows, columns] for SiluMul), at a multiple of 16 bytes;
    // columns · bytes of an element a multiple of 16, at most 64 KB.
    const void* weights = nullptr;
    Element element = Element::BF16;
    std::int64_t rows = 0, columns = 0;
    const void* x = nullptr;            // [columns], at a multiple of 16 bytes
    Element x_element = Element::BF16;  // that of the weights, or F32
    // [columns], or null: x is x · rsqrt(mean(x²) + eps) ⊙ norm, not rounded in between.
    const float* norm = nullptr;
    float norm_eps = 0;
    const float* bias = nullptr;  // [rows] or null; not with SiluMul
    Finish finish = Finish::Store;
    void* y = nullptr;                  // [rows]
    Element y_element = Element::BF16;  // that of the weights, or F32
    // Or null. Max of (y, row) as a key that orders like y, the lowest row winning a tie; 0 before
    // the first product, which next_token sees to.
    std::uint64_t* best = nullptr;
};
void product(const ProductArgs&, cudaStream_t);

// The step from one token to the next, on the device: takes `best`, writes the token at
// tokens[*position + 1] and its embedding to x, counts position up and clears best.
struct NextTokenArgs {
    std::uint64_t* best = nullptr;
    std::int64_t* position = nullptr;
    std::int32_t* tokens = nullptr;   // [context]
    const void* embedding = nullptr;  // [vocabulary, columns]
    Element element = Element::BF16;
    std::int64_t columns = 0;
    float scale = 1;                    // of the embedding
    void* x = nullptr;                  // [columns]
    Element x_element = Element::BF16;  // that of the embedding, or F32
};
void next_token(const NextTokenArgs&, cudaStream_t);

}  // namespace kernels::cuda
