// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of the instruction set that a file is being compiled for. Everything lives in that
// build's namespace, and builds call no inline function of another header that could end up out of
// line: the linker would keep one copy for all, perhaps one with instructions that this CPU lacks.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef HEADSCOPE_ISA
#error "kernels/cpu/sources.cmake names the build: HEADSCOPE_ISA"
#endif
#define HEADSCOPE_INLINE inline __attribute__((always_inline))

namespace kernels::cpu::HEADSCOPE_ISA {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX2__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif

typedef float f32v __attribute__((vector_size(lanes * 4)));
typedef std::int32_t i32v __attribute__((vector_size(lanes * 4)));
typedef std::uint8_t u8v __attribute__((vector_size(lanes)));
typedef std::int8_t i8v __attribute__((vector_size(lanes)));
typedef std::uint16_t u16v __attribute__((vector_size(lanes * 2)));
typedef float f32u __attribute__((vector_size(lanes * 4), aligned(4), may_alias));

HEADSCOPE_INLINE f32v load(const float* p) {
    return *reinterpret_cast<const f32u*>(p);
}
HEADSCOPE_INLINE void store(float* p, f32v v) {
    *reinterpret_cast<f32u*>(p) = v;
}

template <typename Vector>
HEADSCOPE_INLINE Vector load_bytes(const void* p) {
    Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

HEADSCOPE_INLINE f32v splat(float a) {
    return a - f32v{};
}
HEADSCOPE_INLINE i32v splat(std::int32_t a) {
    return a - i32v{};
}

HEADSCOPE_INLINE i32v iota() {
    i32v v{};
    for (int i = 0; i < lanes; ++i) v[i] = i;
    return v;
}

HEADSCOPE_INLINE f32v as_float(i32v v) {
    return reinterpret_cast<f32v>(v);
}
HEADSCOPE_INLINE i32v as_int(f32v v) {
    return reinterpret_cast<i32v>(v);
}
HEADSCOPE_INLINE f32v to_float(i32v v) {
    return __builtin_convertvector(v, f32v);
}

// a · b + c with one rounding where the CPU has it. Left to the compiler, whether it is one differs
// between the copies of a loop, and the same cell would differ in its last digit between two tiles.
HEADSCOPE_INLINE f32v fused(f32v a, f32v b, f32v c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

// a > b ? a : b and a < b ? a : b: the second operand where either is NaN.
HEADSCOPE_INLINE f32v max(f32v a, f32v b) {
#if defined(__AVX512F__)
    return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
    return _mm256_max_ps(a, b);
#elif defined(__SSE2__)
    return _mm_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

HEADSCOPE_INLINE f32v min(f32v a, f32v b) {
#if defined(__AVX512F__)
    return _mm512_min_ps(a, b);
#elif defined(__AVX2__)
    return _mm256_min_ps(a, b);
#elif defined(__SSE2__)
    return _mm_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}

template <typename T>
constexpr HEADSCOPE_INLINE T least(T a, T b) {
    return a < b ? a : b;
}
template <typename T>
constexpr HEADSCOPE_INLINE T greatest(T a, T b) {
    return a > b ? a : b;
}

HEADSCOPE_INLINE float sum(f32v v) {
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) v[i] += v[i + half];
    return v[0];
}

// Rounds of "zip the upper half of the rows into the lower": after log2(lanes) of them row i holds
// what was column i.
HEADSCOPE_INLINE void zip(f32v a, f32v b, f32v& low, f32v& high) {
#if defined(__AVX512F__)
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif defined(__AVX2__)
    const f32v even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
    low = _mm256_permute2f128_ps(even, odd, 0x20);
    high = _mm256_permute2f128_ps(even, odd, 0x31);
#else
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

HEADSCOPE_INLINE void transpose(f32v (&rows)[lanes]) {
#pragma GCC unroll 4
    for (int round = 1; round < lanes; round *= 2) {
        f32v next[lanes];
#pragma GCC unroll 8
        for (int i = 0; i < lanes / 2; ++i)
            zip(rows[i], rows[i + lanes / 2], next[2 * i], next[2 * i + 1]);
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i) rows[i] = next[i];
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
