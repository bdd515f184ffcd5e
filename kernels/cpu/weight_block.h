// SPDX-License-Identifier: GPL-3.0-or-later
// Weights as they lie in the file, 32 elements at a time. engine/formats/gguf_quants.h has the
// layouts in plain words.
#pragma once
#include "kernels/cpu/simd.h"
#include "kernels/gemv.h"

namespace kernels::cpu::HEADSCOPE_ISA {

constexpr int block_elements = 32;
constexpr int block_vectors = block_elements / lanes;

constexpr int block_bytes(WeightType type) {
    switch (type) {
        case WeightType::F32: return 128;
        case WeightType::F16: return 64;
        case WeightType::BF16: return 64;
        case WeightType::Q4_0: return 18;
        case WeightType::Q4_1: return 20;
        case WeightType::Q8_0: return 34;
        default: return 0;  // kernels/cpu/decoded_rows.h
    }
}

constexpr int block_header(WeightType type) {
    return type == WeightType::Q4_1 ? 4 : 2;
}

HEADSCOPE_INLINE i32v widen_u8(const std::byte* p) {
#if defined(__AVX512F__)
    return reinterpret_cast<i32v>(
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(__AVX2__)
    return reinterpret_cast<i32v>(
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
    return __builtin_convertvector(load_bytes<u8v>(p), i32v);
#endif
}

HEADSCOPE_INLINE i32v widen_i8(const std::byte* p) {
#if defined(__AVX512F__)
    return reinterpret_cast<i32v>(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(__AVX2__)
    return reinterpret_cast<i32v>(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
    return __builtin_convertvector(load_bytes<i8v>(p), i32v);
#endif
}

HEADSCOPE_INLINE i32v widen_u16(const std::byte* p) {
#if defined(__AVX512F__)
    return reinterpret_cast<i32v>(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif defined(__AVX2__)
    return reinterpret_cast<i32v>(
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
    return __builtin_convertvector(load_bytes<u16v>(p), i32v);
#endif
}

// binary16 to fp32, subnormals, infinities and NaN included.
HEADSCOPE_INLINE f32v load_half(const std::byte* p) {
#if defined(__AVX512F__)
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
#elif defined(__AVX2__)
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
    const i32v bits = widen_u16(p);
    const f32v magnitude = as_float((bits & 0x7fff) << 13);
    const i32v special = (bits & 0x7c00) == 0x7c00;
    const i32v value = special ? as_int(magnitude) | 0x7f800000 : as_int(magnitude * 0x1p112f);
    return as_float(value | ((bits & 0x8000) << 16));
#endif
}

HEADSCOPE_INLINE float half(const std::byte* p) {
    std::uint16_t bits;
    std::memcpy(&bits, p, sizeof bits);
#if defined(__AVX2__)
    return _cvtsh_ss(bits);
#else
    std::uint32_t value = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
    float magnitude;
    std::memcpy(&magnitude, &value, sizeof value);
    magnitude *= 0x1p112f;
    if ((bits & 0x7c00) == 0x7c00)
        value |= 0x7f800000;
    else
        std::memcpy(&value, &magnitude, sizeof value);
    value |= static_cast<std::uint32_t>(bits & 0x8000) << 16;
    std::memcpy(&magnitude, &value, sizeof value);
    return magnitude;
#endif
}

// One block's numbers before its scale: nibbles 0 … 15, bytes −128 … 127, or the weights
// themselves.
template <WeightType type>
HEADSCOPE_INLINE void load_numbers(const std::byte* block, f32v (&n)[block_vectors]) {
    if constexpr (type == WeightType::Q4_0 || type == WeightType::Q4_1) {
#pragma GCC unroll 4
        for (int i = 0; i < block_vectors / 2; ++i) {
            const i32v pair = widen_u8(block + block_header(type) + i * lanes);
            n[i] = to_float(pair & 15);
            n[block_vectors / 2 + i] = to_float(pair >> 4);
        }
    } else {
#pragma GCC unroll 8
        for (int i = 0; i < block_vectors; ++i) {
            if constexpr (type == WeightType::F32)
                n[i] = load_bytes<f32v>(block + i * lanes * 4);
            else if constexpr (type == WeightType::F16)
                n[i] = load_half(block + i * lanes * 2);
            else if constexpr (type == WeightType::BF16)
                n[i] = as_float(widen_u16(block + i * lanes * 2) << 16);
            else
                n[i] = to_float(widen_i8(block + block_header(type) + i * lanes));
        }
    }
}

template <WeightType type>
HEADSCOPE_INLINE void decode_block(const std::byte* block, f32v (&w)[block_vectors]) {
    load_numbers<type>(block, w);
    if constexpr (type == WeightType::Q4_0 || type == WeightType::Q4_1 ||
                  type == WeightType::Q8_0) {
        const float d = half(block);
        const float m = type == WeightType::Q4_1   ? half(block + 2)
                        : type == WeightType::Q4_0 ? -8 * d
                                                   : 0;
#pragma GCC unroll 8
        for (int i = 0; i < block_vectors; ++i)
            w[i] = type == WeightType::Q8_0 ? w[i] * d : w[i] * d + m;
    }
}

// Rows need not be whole blocks where a weight is a number of its own.
template <WeightType type>
HEADSCOPE_INLINE float decode_element(const std::byte* row, std::int64_t i) {
    if constexpr (type == WeightType::F32) {
        float w;
        std::memcpy(&w, row + i * 4, sizeof w);
        return w;
    } else if constexpr (type == WeightType::F16) {
        return half(row + i * 2);
    } else if constexpr (type == WeightType::BF16) {
        std::uint16_t bits;
        std::memcpy(&bits, row + i * 2, sizeof bits);
        const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
        float w;
        std::memcpy(&w, &wide, sizeof w);
        return w;
    } else {
        return 0;  // whole blocks only
    }
}

template <WeightType type>
struct TypeTag {
    static constexpr WeightType value = type;
};

// body(TypeTag<type>{}) for the type named at run time.
template <typename Body>
HEADSCOPE_INLINE void with_type(WeightType type, const Body& body) {
    switch (type) {
        case WeightType::F32: return body(TypeTag<WeightType::F32>{});
        case WeightType::F16: return body(TypeTag<WeightType::F16>{});
        case WeightType::BF16: return body(TypeTag<WeightType::BF16>{});
        case WeightType::Q4_0: return body(TypeTag<WeightType::Q4_0>{});
        case WeightType::Q4_1: return body(TypeTag<WeightType::Q4_1>{});
        case WeightType::Q8_0: return body(TypeTag<WeightType::Q8_0>{});
        default: return;  // decoded first
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
