// SPDX-License-Identifier: GPL-3.0-or-later
// What lengths and dots of writes are taken of.
#pragma once
#include "kernels/cuda/score_tile.cuh"

namespace kernels::cuda {

struct Forms {
    TraceView trace;
    std::int64_t section = 0;
    std::int32_t first_head = 0;  // query head of block y = 0
    std::int32_t group = 1;       // query heads that share a head of the section
    std::int64_t begin = 0, end = 0;
    const float* r = nullptr;  // of first_head
    const float* p = nullptr;
    float* norm = nullptr;
    float* dot = nullptr;
    std::int64_t stride = 1;            // of norm and dot from row to row
    const TraceView* layers = nullptr;  // of block z, where there are several
    // The layer of block z alone.
    __device__ Forms of_layer() const {
        Forms one = *this;
        if (layers == nullptr) return one;
        const std::int64_t heads = trace.query_heads, dim = trace.head_dim, z = blockIdx.z;
        one.trace = layers[z];
        one.section = one.trace.z_offset;
        if (r != nullptr) one.r += z * heads * dim * dim;
        if (p != nullptr) one.p += z * heads * dim;
        if (norm != nullptr) one.norm += z * (end - begin) * stride;
        if (dot != nullptr) one.dot += z * (end - begin) * stride;
        return one;
    }
};

// Adds the squares of R z to those of a lane's two rows, `Groups` eights of them.
template <int Groups>
__device__ inline void add_squares(float (&squares)[2], const float (&y)[Groups][4]) {
#pragma unroll
    for (int j = 0; j < Groups; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) squares[e / 2] = fmaf(y[j][e], y[j][e], squares[e / 2]);
}
// row: of the lane's first; its other is 8 further.
__device__ inline void write_lengths(const Forms& forms, const float (&squares)[2],
                                     std::int32_t head, std::int32_t row, std::int32_t limit) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const float length = sqrtf(quad_sum(squares[half]));
        const std::int32_t at = row + 8 * half;
        if (lane_key() == 0 && at < limit)
            forms.norm[(at - forms.begin) * forms.stride + head] = length;
    }
}
// Eight elements of a bf16 row times eight of p.
__device__ inline float dot8(const uint4& eight, const float* p, float sum) {
    const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = unpack<bf16>(words[i]);
        sum = fmaf(two.x, p[2 * i], sum);
        sum = fmaf(two.y, p[2 * i + 1], sum);
    }
    return sum;
}

// Long stretches of bf16 rows where the device and the build have Hopper's products: true if it was
// enqueued.
bool hopper_forms(const Forms&, std::int32_t heads, std::int32_t layers, cudaStream_t);

}  // namespace kernels::cuda
