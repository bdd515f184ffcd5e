// SPDX-License-Identifier: GPL-3.0-or-later
// The stored types that are decoded to fp32 before they are used: GGUF's 5-bit blocks, K-quants,
// non-linear 4-bit blocks, MXFP4, the 8-bit floats of safetensors, and doubles. Plain loops of
// fixed length, which compilers turn into vectors. `from` may be unaligned.
//
// Everything has internal linkage: a file that includes this compiles its own copy for its own
// instruction set.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kernels {
namespace {

// Inlined, a function loses what it knows of `to`, which bytes may not alias, and is not
// vectorized.
#define HEADSCOPE_OUT_OF_LINE [[maybe_unused]] __attribute__((noinline))

using Byte = std::uint8_t;

inline const Byte* bytes_at(const std::byte* from) {
    return reinterpret_cast<const Byte*>(from);
}

// binary16, subnormals, infinities and NaN included.
inline float half_at(const Byte* from) {
    const std::uint32_t bits = from[0] | static_cast<std::uint32_t>(from[1]) << 8;
    const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7FFFu;
    if (magnitude >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000u | magnitude << 13);
    if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
    const float tiny = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(tiny));
}

// Q5_0, 22 bytes: d, 32 fifth bits, 16 × nibbles (low = elements 0–15); w = d · (n − 16).
// Q5_1, 24 bytes: d, m, the same;                                       w = d · n + m.
inline void decode_5_bits(const Byte* high, const Byte* low, float d, float offset,
                          float* __restrict to) {
    std::uint32_t fifth;
    std::memcpy(&fifth, high, sizeof fifth);
    for (int i = 0; i < 16; ++i) {
        const auto upper = static_cast<int>(fifth >> i & 1) << 4;
        to[i] = d * static_cast<float>((low[i] & 15) | upper) + offset;
    }
    for (int i = 0; i < 16; ++i) {
        const auto upper = static_cast<int>(fifth >> (i + 16) & 1) << 4;
        to[16 + i] = d * static_cast<float>((low[i] >> 4) | upper) + offset;
    }
}
HEADSCOPE_OUT_OF_LINE void decode_q5_0(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    const float d = half_at(b);
    decode_5_bits(b + 2, b + 6, d, -16 * d, to);
}
HEADSCOPE_OUT_OF_LINE void decode_q5_1(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    decode_5_bits(b + 4, b + 8, half_at(b), half_at(b + 2), to);
}

// Q2_K, 84 bytes for 256: 16 × (scale | minimum << 4), 64 × 2-bit numbers, d, dmin. Sixteen
// elements share a scale; 32 bytes of numbers hold four stripes of 32.
HEADSCOPE_OUT_OF_LINE void decode_q2_k(const std::byte* from, float* __restrict to) {
    const Byte* const scales = bytes_at(from);
    const float d = half_at(scales + 80), minimum = half_at(scales + 82);
    for (int group = 0; group < 16; ++group) {
        const Byte* const q = scales + 16 + group / 8 * 32 + group % 2 * 16;
        const int shift = group % 8 / 2 * 2;
        const float dl = d * static_cast<float>(scales[group] & 15);
        const float ml = minimum * static_cast<float>(scales[group] >> 4);
        for (int i = 0; i < 16; ++i)
            to[group * 16 + i] = dl * static_cast<float>(q[i] >> shift & 3) - ml;
    }
}

// Q3_K, 110 bytes: 32 × third bits, 64 × 2-bit numbers as in Q2_K, 12 bytes of 6-bit scales, d. A
// third bit that is not set takes 4 away. Scale i: the nibble i of the first 8 bytes, its upper two
// bits in the last 4.
HEADSCOPE_OUT_OF_LINE void decode_q3_k(const std::byte* from, float* __restrict to) {
    const Byte* const high = bytes_at(from);
    const Byte* const scales = high + 96;
    const float d = half_at(high + 108);
    for (int group = 0; group < 16; ++group) {
        const Byte* const q = high + 32 + group / 8 * 32 + group % 2 * 16;
        const Byte* const h = high + group % 2 * 16;
        const int shift = group % 8 / 2 * 2, bit = group / 2;
        const int low = group < 8 ? scales[group] & 15 : scales[group - 8] >> 4;
        const int scale = low | (scales[8 + group % 4] >> group / 4 * 2 & 3) << 4;
        const float dl = d * static_cast<float>(scale - 32);
        for (int i = 0; i < 16; ++i) {
            const int n = (q[i] >> shift & 3) - (h[i] >> bit & 1 ? 0 : 4);
            to[group * 16 + i] = dl * static_cast<float>(n);
        }
    }
}

// The 6-bit scales and minima of Q4_K and Q5_K, eight of each in 12 bytes: the first four lie in
// the low six bits of bytes 0–7, the others in nibbles of bytes 8–11 and the bits left over.
struct ScaleAndMinimum {
    int scale, minimum;
};
inline ScaleAndMinimum scale_and_minimum(const Byte* q, int i) {
    if (i < 4) return {q[i] & 63, q[i + 4] & 63};
    return {(q[i + 4] & 15) | (q[i - 4] >> 6) << 4, (q[i + 4] >> 4) | (q[i] >> 6) << 4};
}

// Q4_K, 144 bytes: d, dmin, 12 × scales, 128 × nibbles; 32 bytes hold two stripes of 32.
HEADSCOPE_OUT_OF_LINE void decode_q4_k(const std::byte* from, float* __restrict to) {
    const Byte* const b = bytes_at(from);
    const float d = half_at(b), minimum = half_at(b + 2);
    for (int group = 0; group < 8; ++group) {
        const ScaleAndMinimum s = scale_and_minimum(b + 4, group);
        const float dl = d * static_cast<float>(s.scale);
        const float ml = minimum * static_cast<float>(s.minimum);
        const Byte* const q = b + 16 + group / 2 * 32;
        const int shift = group % 2 * 4;
        for (int i = 0; i < 32; ++i)
            to[group * 32 + i] = dl * static_cast<float>(q[i] >> shift & 15) - ml;
    }
}

// Q5_K, 176 bytes: d, dmin, 12 × scales, 32 × fifth bits (bit i of each belongs to stripe i), 128 ×
// nibbles.
HEADSCOPE_OUT_OF_LINE void decode_q5_k(const std::byte* from, float* __restrict to) {
    const Byte* const b = bytes_at(from);
    const float d = half_at(b), minimum = half_at(b + 2);
    const Byte* const high = b + 16;
    for (int group = 0; group < 8; ++group) {
        const ScaleAndMinimum s = scale_and_minimum(b + 4, group);
        const float dl = d * static_cast<float>(s.scale);
        const float ml = minimum * static_cast<float>(s.minimum);
        const Byte* const q = b + 48 + group / 2 * 32;
        const int shift = group % 2 * 4;
        for (int i = 0; i < 32; ++i) {
            const int n = (q[i] >> shift & 15) | (high[i] >> group & 1) << 4;
            to[group * 32 + i] = dl * static_cast<float>(n) - ml;
        }
    }
}

// Q6_K, 210 bytes: 128 × nibbles, 64 × upper two bits, 16 × int8 scales, d. Half a block is four
// stripes of 32 elements.
HEADSCOPE_OUT_OF_LINE void decode_q6_k(const std::byte* from, float* __restrict to) {
    const Byte* const b = bytes_at(from);
    const float d = half_at(b + 208);
    for (int stripe = 0; stripe < 8; ++stripe) {
        const int half = stripe / 4, part = stripe % 4;
        const Byte* const q = b + half * 64 + part % 2 * 32;
        const Byte* const h = b + 128 + half * 32;
        const int shift = part / 2 * 4;
        for (int sixteen = 0; sixteen < 2; ++sixteen) {
            const auto scale = static_cast<std::int8_t>(b[192 + half * 8 + part * 2 + sixteen]);
            const float dl = d * static_cast<float>(scale);
            for (int i = sixteen * 16; i < sixteen * 16 + 16; ++i) {
                const int n = (q[i] >> shift & 15) | (h[i] >> part * 2 & 3) << 4;
                to[stripe * 32 + i] = dl * static_cast<float>(n - 32);
            }
        }
    }
}

constexpr float nonlinear_4_bits[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                        1,    13,   25,  38,  53,  69,  89,  113};
// Twice the values of a 4-bit float (E2M1): the block's scale is halved instead.
constexpr float e2m1_doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, -0.0f, -1, -2, -3, -4, -6, -8, -12};

inline void decode_nibble_table(const Byte* q, const float* table, float d, float* __restrict to) {
    for (int i = 0; i < 16; ++i) to[i] = d * table[q[i] & 15];
    for (int i = 0; i < 16; ++i) to[16 + i] = d * table[q[i] >> 4];
}
// IQ4_NL, 18 bytes: d, 16 × nibbles that index a table.
HEADSCOPE_OUT_OF_LINE void decode_iq4_nl(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    decode_nibble_table(b + 2, nonlinear_4_bits, half_at(b), to);
}
// IQ4_XS, 136 bytes for 256: d, 8 × upper two bits of the scales, 8 × their low nibbles, nibbles.
HEADSCOPE_OUT_OF_LINE void decode_iq4_xs(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    const float d = half_at(b);
    const int high = b[2] | b[3] << 8;
    for (int group = 0; group < 8; ++group) {
        const int low = b[4 + group / 2] >> group % 2 * 4 & 15;
        const int scale = low | (high >> 2 * group & 3) << 4;
        decode_nibble_table(b + 8 + group * 16, nonlinear_4_bits,
                            d * static_cast<float>(scale - 32), to + group * 32);
    }
}
// Half of 2^(e − 127); the two smallest are subnormal.
inline float half_of_e8m0(Byte e) {
    return e < 2 ? std::bit_cast<float>(0x00200000u << e)
                 : std::bit_cast<float>(static_cast<std::uint32_t>(e - 1) << 23);
}
// MXFP4, 17 bytes: a power of two (E8M0, bias 127), 16 × nibbles of E2M1.
HEADSCOPE_OUT_OF_LINE void decode_mxfp4(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    decode_nibble_table(b + 1, e2m1_doubled, half_of_e8m0(b[0]), to);
}
// The same as safetensors have it: the power of two lies elsewhere, and elements 2i and 2i + 1 are
// the nibbles of byte i.
HEADSCOPE_OUT_OF_LINE void decode_mxfp4_pairs(const std::byte* from, Byte exponent,
                                              float* __restrict to) {
    const Byte* const b = bytes_at(from);
    const float d = half_of_e8m0(exponent);
    for (int i = 0; i < 16; ++i) {
        to[2 * i] = d * e2m1_doubled[b[i] & 15];
        to[2 * i + 1] = d * e2m1_doubled[b[i] >> 4];
    }
}

// 8-bit floats, one element each. E4M3 has no infinities, 7F is NaN; E5M2 is half of a binary16.
// Subnormals are made from their integer: as operands of a multiplication they would cost a
// hundred times a normal one.
HEADSCOPE_OUT_OF_LINE void decode_e4m3(const std::byte* from, float* __restrict to,
                                       std::int64_t count) {
    const Byte* const b = bytes_at(from);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t sign = static_cast<std::uint32_t>(b[i] & 0x80) << 24;
        const std::uint32_t magnitude = b[i] & 0x7Fu;
        const auto tiny = std::bit_cast<std::uint32_t>(static_cast<float>(b[i] & 7) * 0x1p-9f);
        std::uint32_t bits = (magnitude << 20) + (120u << 23);
        bits = magnitude < 8 ? tiny : bits;
        to[i] = std::bit_cast<float>(sign | (magnitude == 0x7F ? 0x7FC00000u : bits));
    }
}
HEADSCOPE_OUT_OF_LINE void decode_e5m2(const std::byte* from, float* __restrict to,
                                       std::int64_t count) {
    const Byte* const b = bytes_at(from);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t sign = static_cast<std::uint32_t>(b[i] & 0x80) << 24;
        const std::uint32_t magnitude = b[i] & 0x7Fu;
        const auto tiny = std::bit_cast<std::uint32_t>(static_cast<float>(b[i] & 3) * 0x1p-16f);
        std::uint32_t bits = (magnitude << 21) + (112u << 23);
        bits = magnitude < 4 ? tiny : bits;
        bits = magnitude >= 0x7C ? 0x7F800000u | (magnitude & 3u) << 21 : bits;
        to[i] = std::bit_cast<float>(sign | bits);
    }
}
HEADSCOPE_OUT_OF_LINE void decode_f64(const std::byte* from, float* __restrict to,
                                      std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        double value;
        std::memcpy(&value, from + i * 8, sizeof value);
        to[i] = static_cast<float>(value);
    }
}

}  // namespace
}  // namespace kernels
