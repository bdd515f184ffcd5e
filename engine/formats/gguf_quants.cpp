// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf_quants.h"

#include <bit>
#include <cstring>

#include "kernels/block_codecs.h"

namespace engine::formats {
namespace {

constexpr int block_weights = 32;

template <typename T>
T load(const std::byte* from) {  // tensors of a safetensors file may be unaligned
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

float scale_at(const std::byte* from) {
    return half_to_float(load<std::uint16_t>(from));
}

// 16 bytes of nibbles: low ones are elements 0–15, high ones 16–31.
void decode_nibbles(const std::byte* nibbles, float scale, float offset, float* to) {
    for (int i = 0; i < block_weights / 2; ++i) {
        const auto byte = std::to_integer<unsigned>(nibbles[i]);
        to[i] = scale * static_cast<float>(byte & 15) + offset;
        to[i + block_weights / 2] = scale * static_cast<float>(byte >> 4) + offset;
    }
}

void decode_q4_0(const std::byte* from, float* to) {
    const float d = scale_at(from);
    for (int i = 0; i < block_weights / 2; ++i) {
        const auto byte = std::to_integer<int>(from[2 + i]);
        to[i] = d * static_cast<float>((byte & 15) - 8);
        to[i + block_weights / 2] = d * static_cast<float>((byte >> 4) - 8);
    }
}

void decode_q8_0(const std::byte* from, float* to) {
    const float d = scale_at(from);
    for (int i = 0; i < block_weights; ++i)
        to[i] = d * static_cast<float>(std::to_integer<std::int8_t>(from[2 + i]));
}

}  // namespace

float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31u;
    const std::uint32_t mantissa = bits & 1023u;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal or zero, exact
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

std::uint16_t float_to_half(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)  // NaN stays NaN, its upper payload kept
        return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
    if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // ≥ 65536, ∞
    if (magnitude <
        0x38800000u) {  // below 2⁻¹⁴: adding ½ leaves a multiple of 2⁻²⁴, rounded to even
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(
            sign | (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f)));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<std::uint16_t>(sign | ((magnitude - (112u << 23) + 0xFFFu + odd) >> 13));
}

void decode(Storage storage, const std::byte* from, float* to, std::int64_t elements) {
    if (storage == Storage::F64) return kernels::decode_f64(from, to, elements);
    if (storage == Storage::F8_E4M3) return kernels::decode_e4m3(from, to, elements);
    if (storage == Storage::F8_E5M2) return kernels::decode_e5m2(from, to, elements);
    const std::int64_t step = block_elements(storage);
    const std::int64_t bytes = block_bytes(storage);
    for (std::int64_t i = 0; i + step <= elements; i += step, from += bytes, to += step) {
        switch (storage) {
            case Storage::F32: *to = load<float>(from); break;
            case Storage::F16: *to = scale_at(from); break;
            case Storage::BF16:
                *to = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from))
                                           << 16);
                break;
            case Storage::Q4_0: decode_q4_0(from, to); break;
            case Storage::Q4_1:
                decode_nibbles(from + 4, scale_at(from), scale_at(from + 2), to);
                break;
            case Storage::Q8_0: decode_q8_0(from, to); break;
            case Storage::Q5_0: kernels::decode_q5_0(from, to); break;
            case Storage::Q5_1: kernels::decode_q5_1(from, to); break;
            case Storage::Q2_K: kernels::decode_q2_k(from, to); break;
            case Storage::Q3_K: kernels::decode_q3_k(from, to); break;
            case Storage::Q4_K: kernels::decode_q4_k(from, to); break;
            case Storage::Q5_K: kernels::decode_q5_k(from, to); break;
            case Storage::Q6_K: kernels::decode_q6_k(from, to); break;
            case Storage::IQ4_NL: kernels::decode_iq4_nl(from, to); break;
            case Storage::IQ4_XS: kernels::decode_iq4_xs(from, to); break;
            case Storage::MXFP4: kernels::decode_mxfp4(from, to); break;
            case Storage::MXFP4_PAIRS: kernels::decode_mxfp4_pairs(from, 127, to); break;
            case Storage::U8: *to = static_cast<float>(std::to_integer<int>(*from)); break;
            case Storage::F64:
            case Storage::F8_E4M3:
            case Storage::F8_E5M2: break;  // above
        }
    }
}

}  // namespace engine::formats
