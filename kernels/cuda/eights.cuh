// SPDX-License-Identifier: GPL-3.0-or-later
// Eight neighbours of a row at a time, at multiples of 16 bytes.
#pragma once
#include "kernels/cuda/element.cuh"

namespace kernels::cuda {

// As fp32, whatever they are, and back.
template <typename T>
__device__ inline void load8(const T* from, float (&x)[8]) {
    if constexpr (sizeof(T) == 4) {
        const float4 low = *reinterpret_cast<const float4*>(from);
        const float4 high = *reinterpret_cast<const float4*>(from + 4);
        x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
        x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    } else {
        const uint4 eight = *reinterpret_cast<const uint4*>(from);
        const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 two = unpack<T>(words[i]);
            x[2 * i] = two.x, x[2 * i + 1] = two.y;
        }
    }
}
template <typename T>
__device__ inline void store8(T* to, const float (&x)[8]) {
    if constexpr (sizeof(T) == 4) {
        *reinterpret_cast<float4*>(to) = {x[0], x[1], x[2], x[3]};
        *reinterpret_cast<float4*>(to + 4) = {x[4], x[5], x[6], x[7]};
    } else {
        *reinterpret_cast<uint4*>(to) = {pack<T>(x[0], x[1]), pack<T>(x[2], x[3]),
                                         pack<T>(x[4], x[5]), pack<T>(x[6], x[7])};
    }
}

}  // namespace kernels::cuda
