// SPDX-License-Identifier: GPL-3.0-or-later
// Stretches of a row of the types that are decoded before they are multiplied.
#pragma once
#include "kernels/cpu/wide_blocks.h"

namespace kernels::cpu::HEADSCOPE_ISA {

constexpr std::int64_t stretch_elements = 1024;  // whole blocks of every type; 4 KiB of fp32

template <int Elements, int Bytes, typename Decode>
HEADSCOPE_INLINE void decode_each(const std::byte* from, float* to, std::int64_t count,
                                  const Decode& decode) {
    for (std::int64_t i = 0; i + Elements <= count; i += Elements, from += Bytes)
        decode(from, to + i);
}

// Elements [first, first + count) of a row; `first` is a multiple of stretch_elements.
inline void decode_stretch(const Weight& weight, std::int64_t row, std::int64_t first,
                           std::int64_t count, float* to) {
    const std::byte* const begin = weight.data + row * weight.row_bytes;
    const auto at = [&](std::int64_t elements, std::int64_t bytes) {
        return begin + first / elements * bytes;
    };
    switch (weight.type) {
        case WeightType::Q5_0: decode_each<32, 22>(at(32, 22), to, count, decode_q5_0); break;
        case WeightType::Q5_1: decode_each<32, 24>(at(32, 24), to, count, decode_q5_1); break;
        case WeightType::Q2_K: decode_each<256, 84>(at(256, 84), to, count, wide_q2_k); break;
        case WeightType::Q3_K: decode_each<256, 110>(at(256, 110), to, count, wide_q3_k); break;
        case WeightType::Q4_K: decode_each<256, 144>(at(256, 144), to, count, decode_q4_k); break;
        case WeightType::Q5_K: decode_each<256, 176>(at(256, 176), to, count, decode_q5_k); break;
        case WeightType::Q6_K: decode_each<256, 210>(at(256, 210), to, count, decode_q6_k); break;
        case WeightType::IQ4_NL: decode_each<32, 18>(at(32, 18), to, count, wide_iq4_nl); break;
        case WeightType::IQ4_XS: decode_each<256, 136>(at(256, 136), to, count, wide_iq4_xs); break;
        case WeightType::MXFP4: decode_each<32, 17>(at(32, 17), to, count, wide_mxfp4); break;
        case WeightType::MXFP4_PAIRS: {
            const std::byte* exponents =
                weight.exponents + row * weight.exponent_row_bytes + first / 32;
            decode_each<32, 16>(at(32, 16), to, count, [&](const std::byte* block, float* out) {
                wide_mxfp4_pairs(block, static_cast<Byte>(*exponents++), out);
            });
            break;
        }
        case WeightType::F64: decode_f64(at(1, 8), to, count); break;
        case WeightType::F8_E4M3: decode_e4m3(at(1, 1), to, count); break;
        case WeightType::F8_E5M2: decode_e5m2(at(1, 1), to, count); break;
        default: break;
    }
    if (weight.scales == nullptr) return;
    const std::int64_t wide = (weight.columns + weight.scale_columns - 1) / weight.scale_columns;
    const float* const scales = weight.scales + row / weight.scale_rows * wide;
    for (std::int64_t i = 0; i < count;) {
        const std::int64_t block = (first + i) / weight.scale_columns;
        const std::int64_t end = least(count, (block + 1) * weight.scale_columns - first);
        for (const float scale = scales[block]; i < end; ++i) to[i] *= scale;
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
