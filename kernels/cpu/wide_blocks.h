// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks to fp32 by vectors, of the types whose plain loops (kernels/block_codecs.h, which has the
// layouts) compilers leave narrow: numbers of 2 and 3 bits, and nibbles that index a table.
#pragma once
#include "kernels/block_codecs.h"
#include "kernels/cpu/weight_block.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// Sixteen groups of sixteen elements share a factor each; 32 bytes hold four stripes of 32.
HEADSCOPE_INLINE void wide_q2_k(const std::byte* from, float* to) {
    const Byte* const scales = bytes_at(from);
    const float d = half(from + 80), minimum = half(from + 82);
    float dl[16], ml[16];
    for (int group = 0; group < 16; ++group) {
        dl[group] = d * static_cast<float>(scales[group] & 15);
        ml[group] = minimum * static_cast<float>(scales[group] >> 4);
    }
    for (int half_block = 0; half_block < 2; ++half_block)
        for (int i = 0; i < 32; i += lanes) {
            const i32v q = widen_u8(from + 16 + half_block * 32 + i);
#pragma GCC unroll 4
            for (int stripe = 0; stripe < 4; ++stripe) {
                const int group = half_block * 8 + stripe * 2 + i / 16;
                store(to + half_block * 128 + stripe * 32 + i,
                      to_float(q >> (2 * stripe) & 3) * splat(dl[group]) - splat(ml[group]));
            }
        }
}

// The sixteen 6-bit scales of Q3_K, four bytes at a time: low nibbles of eight bytes, high ones,
// and two bits more of each in the last four bytes.
HEADSCOPE_INLINE void q3_k_scales(const std::byte* from, float d, float (&out)[16]) {
    constexpr std::uint32_t nibbles = 0x0F0F0F0Fu, pairs = 0x03030303u;
    std::uint32_t low[2], high, packed[4];
    std::memcpy(low, from, sizeof low);
    std::memcpy(&high, from + 8, sizeof high);
    for (int i = 0; i < 4; ++i)
        packed[i] = (low[i % 2] >> i / 2 * 4 & nibbles) | (high >> 2 * i & pairs) << 4;
    Byte scales[16];
    std::memcpy(scales, packed, sizeof scales);
    for (int i = 0; i < 16; ++i) out[i] = d * static_cast<float>(scales[i] - 32);
}

// As Q2_K, and a third bit, which takes 4 away where it is not set: bit `stripe` of a byte of the
// first 32 for the first half of the block, 4 + stripe for the second.
HEADSCOPE_INLINE void wide_q3_k(const std::byte* from, float* to) {
    float dl[16];
    q3_k_scales(from + 96, half(from + 108), dl);
    for (int i = 0; i < 32; i += lanes) {
        const i32v high = widen_u8(from + i);
#pragma GCC unroll 2
        for (int half_block = 0; half_block < 2; ++half_block) {
            const i32v q = widen_u8(from + 32 + half_block * 32 + i);
#pragma GCC unroll 4
            for (int stripe = 0; stripe < 4; ++stripe) {
                const i32v third = (high >> (half_block * 4 + stripe) & 1) << 2;
                const i32v n = (q >> (2 * stripe) & 3) + third - 4;
                const int group = half_block * 8 + stripe * 2 + i / 16;
                store(to + half_block * 128 + stripe * 32 + i, to_float(n) * splat(dl[group]));
            }
        }
    }
}

#if defined(__AVX2__)
// What sixteen nibbles stand for, times d: a table of whole numbers −128 … 127.
HEADSCOPE_INLINE void store_looked_up(__m128i nibbles, __m128i table, float d, float* to) {
    const __m128i numbers = _mm_shuffle_epi8(table, nibbles);
#if defined(__AVX512F__)
    store(to, to_float(reinterpret_cast<i32v>(_mm512_cvtepi8_epi32(numbers))) * splat(d));
#else
    const __m256i low = _mm256_cvtepi8_epi32(numbers);
    const __m256i high = _mm256_cvtepi8_epi32(_mm_srli_si128(numbers, 8));
    store(to, to_float(reinterpret_cast<i32v>(low)) * splat(d));
    store(to + 8, to_float(reinterpret_cast<i32v>(high)) * splat(d));
#endif
}

struct Nibbles {
    __m128i low, high;
};
HEADSCOPE_INLINE Nibbles nibbles_at(const std::byte* q) {
    const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
    const __m128i four_bits = _mm_set1_epi8(15);
    return {_mm_and_si128(both, four_bits), _mm_and_si128(_mm_srli_epi16(both, 4), four_bits)};
}

HEADSCOPE_INLINE __m128i nonlinear_table() {
    return _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
}
// Without the sign of −0, which no sum shows.
HEADSCOPE_INLINE __m128i e2m1_table() {
    return _mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
}

HEADSCOPE_INLINE void wide_nibbles(const std::byte* q, __m128i table, float d, float* to) {
    const Nibbles nibbles = nibbles_at(q);
    store_looked_up(nibbles.low, table, d, to);
    store_looked_up(nibbles.high, table, d, to + 16);
}

HEADSCOPE_INLINE void wide_iq4_nl(const std::byte* from, float* to) {
    wide_nibbles(from + 2, nonlinear_table(), half(from), to);
}
HEADSCOPE_INLINE void wide_iq4_xs(const std::byte* from, float* to) {
    const Byte* const b = bytes_at(from);
    const float d = half(from);
    const int high = b[2] | b[3] << 8;
#pragma GCC unroll 8
    for (int group = 0; group < 8; ++group) {
        const int low = b[4 + group / 2] >> group % 2 * 4 & 15;
        const int scale = low | (high >> 2 * group & 3) << 4;
        wide_nibbles(from + 8 + group * 16, nonlinear_table(), d * static_cast<float>(scale - 32),
                     to + group * 32);
    }
}
HEADSCOPE_INLINE void wide_mxfp4(const std::byte* from, float* to) {
    wide_nibbles(from + 1, e2m1_table(), half_of_e8m0(*bytes_at(from)), to);
}
HEADSCOPE_INLINE void wide_mxfp4_pairs(const std::byte* from, Byte exponent, float* to) {
    const Nibbles nibbles = nibbles_at(from);
    const float d = half_of_e8m0(exponent);
    store_looked_up(_mm_unpacklo_epi8(nibbles.low, nibbles.high), e2m1_table(), d, to);
    store_looked_up(_mm_unpackhi_epi8(nibbles.low, nibbles.high), e2m1_table(), d, to + 16);
}
#else
HEADSCOPE_INLINE void wide_iq4_nl(const std::byte* from, float* to) {
    decode_iq4_nl(from, to);
}
HEADSCOPE_INLINE void wide_iq4_xs(const std::byte* from, float* to) {
    decode_iq4_xs(from, to);
}
HEADSCOPE_INLINE void wide_mxfp4(const std::byte* from, float* to) {
    decode_mxfp4(from, to);
}
HEADSCOPE_INLINE void wide_mxfp4_pairs(const std::byte* from, Byte exponent, float* to) {
    decode_mxfp4_pairs(from, exponent, to);
}
#endif

}  // namespace kernels::cpu::HEADSCOPE_ISA
