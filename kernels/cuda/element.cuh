// SPDX-License-Identifier: GPL-3.0-or-later
// The three element types, and one tensor core product of the 16-bit ones.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda_check.h"
#include "kernels/views.h"

namespace kernels::cuda {

using bf16 = __nv_bfloat16;

__device__ inline float to_float(float x) {
    return x;
}
__device__ inline float to_float(__half x) {
    return __half2float(x);
}
__device__ inline float to_float(bf16 x) {
    return __bfloat162float(x);
}
template <typename T>
__device__ inline T from_float(float x) {
    if constexpr (sizeof(T) == 4)
        return x;
    else if constexpr (std::is_same_v<T, __half>)
        return __float2half_rn(x);
    else
        return __float2bfloat16_rn(x);
}

// Two neighbours in one register, the first in the low half.
template <typename T>
__device__ inline std::uint32_t pack(float low, float high) {
    if constexpr (std::is_same_v<T, __half>) {
        const __half2 pair = __floats2half2_rn(low, high);
        return *reinterpret_cast<const std::uint32_t*>(&pair);
    } else {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
        return *reinterpret_cast<const std::uint32_t*>(&pair);
    }
}
template <typename T>
__device__ inline float2 unpack(std::uint32_t pair) {
    if constexpr (std::is_same_v<T, __half>)
        return __half22float2(*reinterpret_cast<const __half2*>(&pair));
    else
        return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
}

// c [16 × 8] += a [16 × 16] · b [16 × 8]. With r = lane / 4 and i = lane % 4, a lane holds
// a at (r, 2i), (r + 8, 2i), (r, 2i + 8), (r + 8, 2i + 8), b at (2i, r), (2i + 8, r), pairs along
// k; c at (r, 2i), (r, 2i + 1), (r + 8, 2i), (r + 8, 2i + 1).
template <typename T>
__device__ inline void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                std::uint32_t b1) {
    if constexpr (std::is_same_v<T, __half>)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
// Four 8 × 8 matrices of 16-bit elements; lanes 8m … 8m + 7 give the rows of matrix m.
__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}
__device__ inline void load_matrices_turned(std::uint32_t (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}
// An 8 × 8 matrix of 16-bit elements over a warp, transposed.
__device__ inline std::uint32_t turn(std::uint32_t x) {
    std::uint32_t y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}

constexpr float log2_of_e = 1.4426950408889634f;

// Relative error 2⁻²²; below the least normal number 0.
__device__ inline float power_of_2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline float power_of_e(float x) {
    return power_of_2(x * log2_of_e);
}

// Over the four lanes that share a row of c.
__device__ inline float quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ inline float quad_min(float x) {
    x = fminf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fminf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ inline float quad_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Calls f with a value of the element's type.
template <typename F>
void with_element(Element element, F&& f) {
    if (element == Element::F32)
        f(float{});
    else if (element == Element::F16)
        f(__half{});
    else
        f(bf16{});
}

// Dynamic shared memory above 48 KB has to be asked for, once a kernel and device; asking is cheap.
template <typename Kernel>
void allow_shared(Kernel kernel, std::int64_t bytes, const char* name) {
    if (bytes > 48 * 1024)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)),
              name);
}

}  // namespace kernels::cuda
