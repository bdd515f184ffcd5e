// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/random.h"

#include "kernels/cuda/element.cuh"

namespace kernels::cuda {

namespace {

// SplitMix64's mixing of a counter.
__device__ inline std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

template <typename T>
__global__ void __launch_bounds__(256)
    random_kernel(T* to, std::int64_t count, float spread, std::uint64_t seed) {
    for (std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x; at < count;
         at += std::int64_t{gridDim.x} * 256) {
        const auto bits =
            static_cast<std::uint32_t>(mixed(seed << 40 | static_cast<std::uint64_t>(at)) >> 40);
        to[at] = from_float<T>((static_cast<float>(bits) * 0x1p-23f - 1.0f) * spread);
    }
}

}  // namespace

void fill_random(void* to, Element element, std::int64_t count, float spread, std::uint64_t seed,
                 cudaStream_t stream) {
    if (count <= 0) return;
    with_element(element, [&](auto t) {
        using T = decltype(t);
        random_kernel<T><<<4096, 256, 0, stream>>>(static_cast<T*>(to), count, spread, seed);
    });
    check_launch("fill_random");
}

}  // namespace kernels::cuda
