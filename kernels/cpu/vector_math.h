// SPDX-License-Identifier: GPL-3.0-or-later
// exp, tanh and log of a vector, within 2 ulp where the result is a normal number. Polynomials of
// the Cephes library.
#pragma once
#include "kernels/cpu/simd.h"

namespace kernels::cpu::HEADSCOPE_ISA {

constexpr float infinity = __builtin_inff();

// 0 below −87.33 (the smallest normal number), −inf included; infinite from 88.4; NaN stays NaN.
HEADSCOPE_INLINE f32v exp(f32v x) {
    const f32v lowest = splat(-87.33654f);
    // The constant comes first so that min and max hand a NaN on.
    const f32v in = min(splat(89.0f), max(lowest, x));
    const f32v magic =
        splat(12582912.0f);  // 1.5 · 2²³: the low bits of the sum are round(x / ln 2)
    const f32v shifted = in * 1.44269504f + magic;
    const f32v n = shifted - magic;
    f32v r = in - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    f32v p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    const f32v power = as_float((as_int(shifted) << 23) + 0x3f800000);
    return x < lowest ? f32v{} : p * power;
}

HEADSCOPE_INLINE f32v tanh(f32v x) {
    const f32v magnitude = as_float(as_int(x) & 0x7fffffff);
    const f32v large = 1.0f - 2.0f / (exp(magnitude + magnitude) + 1.0f);
    const f32v signed_large = as_float(as_int(large) | (as_int(x) & as_int(splat(-0.0f))));
    const f32v z = x * x;
    f32v p = z * -5.70498872745e-3f + 2.06390887954e-2f;
    p = p * z + -5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z + -3.33332819422e-1f;
    return magnitude < 0.625f ? p * z * x + x : signed_large;
}

// Of positive normal numbers.
HEADSCOPE_INLINE f32v log(f32v x) {
    const i32v bits = as_int(x);
    i32v exponent = (bits >> 23) - 126;
    f32v m = as_float((bits & 0x007fffff) | 0x3f000000);  // [0.5, 1)
    const i32v small = m < 0.707106781f;
    exponent += small;
    m = (small ? m + m : m) - 1.0f;
    const f32v z = m * m;
    f32v p = m * 7.0376836292e-2f + -1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m + -1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m + -1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m + -2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    const f32v e = to_float(exponent);
    return (p * m * z + e * -2.12194440e-4f - z * 0.5f) + m + e * 0.693359375f;
}

// cap · tanh(s / cap), the cap and its inverse given.
HEADSCOPE_INLINE f32v soft_cap(f32v s, float cap, float inverse) {
    return tanh(s * inverse) * cap;
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
