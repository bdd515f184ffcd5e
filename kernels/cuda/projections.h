// SPDX-License-Identifier: GPL-3.0-or-later
// What analysis needs of the output projections, on the device: R_h of W_O_h = Q_h R_h (lengths of
// writes) and W_O_hᵀ u for directions u of the residual stream (dots with writes). Every pointer is
// a device pointer; calls enqueue on the stream and return.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/views.h"

namespace kernels::cuda {

// W_O of one layer, or of several that are alike, [d_model, Hq · D] row-major; columns must be a
// multiple of 8.
struct OutputProjection {
    const void* weights = nullptr;
    Element element = Element::BF16;
    std::int64_t d_model = 0;
    std::int32_t query_heads = 0, head_dim = 0;
    // [layers] on the device, instead of weights; turned_products() alone takes it.
    const void* const* all_weights = nullptr;
    std::int32_t layers = 1;
    std::int64_t columns() const { return std::int64_t{query_heads} * head_dim; }
};

// r [Hq, D, D] row-major, 0 below the diagonal: the Cholesky factor of W_O_hᵀ W_O_h, formed and
// factored in fp64. What a head cannot write at all is a row of zeros. scratch: triangle_scratch
// bytes.
std::int64_t triangle_scratch(const OutputProjection&);
void triangles(const OutputProjection&, float* r, void* scratch, cudaStream_t);

// u [columns] = norm ⊙ (table[token] − table[distractor]); distractor < 0: none. table [..,
// columns] of the element.
void direction(const void* table, Element, std::int64_t columns, std::int32_t token,
               std::int32_t distractor, const float* norm, float* u, cudaStream_t);

// p [layers, directions, Hq · D] = u W_O for u [directions, d_model], up to most_directions of them
// while the weights are read once. scratch: turned_scratch bytes.
constexpr int most_directions = 8;
std::int64_t turned_scratch(const OutputProjection&, int directions);
void turned_products(const OutputProjection&, const float* u, int directions, float* p,
                     void* scratch, cudaStream_t);

}  // namespace kernels::cuda
