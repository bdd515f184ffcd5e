// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF's block types as plain scalar code: the readable reference that the vectorized kernels are
// tested against, and what load-time conversions use. Layouts from the GGUF/ggml format: 32
// elements a block, scales in fp16.
//   Q4_0 18 bytes: d, 16 × nibbles (low = elements 0–15, high = 16–31);      w = d · (n − 8)
//   Q4_1 20 bytes: d, m, 16 × nibbles (same order);                          w = d · n + m
//   Q8_0 34 bytes: d, 32 × int8;                                             w = d · n
// The other types, the 8-bit floats and F64 of safetensors among them, are in
// kernels/block_codecs.h.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/formats/checkpoint.h"

namespace engine::formats {

float half_to_float(std::uint16_t bits);   // IEEE binary16, subnormals, infinities and NaN included
std::uint16_t float_to_half(float value);  // round to nearest even

// Decodes `elements` (a whole number of blocks) from `from` to fp32; scales that lie apart are left
// out.
void decode(Storage, const std::byte* from, float* to, std::int64_t elements);

}  // namespace engine::formats
