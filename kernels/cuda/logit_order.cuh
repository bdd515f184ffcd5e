// SPDX-License-Identifier: GPL-3.0-or-later
// Logits as unsigned keys, so that the greatest can be found by an integer maximum.
#pragma once
#include <cstdint>

namespace kernels::cuda {

// Orders like the value; of equal values the lower id is the greater key.
__device__ inline std::uint32_t ordered(float y) {
    const std::uint32_t bits = __float_as_uint(y);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ inline float unordered(std::uint32_t key) {
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}
__device__ inline std::uint64_t key_of(float y, std::int64_t id) {
    return static_cast<std::uint64_t>(ordered(y)) << 32 |
           (0xffffffffu - static_cast<std::uint32_t>(id));
}
__device__ inline std::int32_t id_of(std::uint64_t key) {
    return static_cast<std::int32_t>(0xffffffffu - static_cast<std::uint32_t>(key));
}

}  // namespace kernels::cuda
