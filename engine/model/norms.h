// SPDX-License-Identifier: GPL-3.0-or-later
// A model's own norms, and what they multiply by when frozen.
#pragma once
#include <cstdint>

#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// y = norm(x) [rows, d_model], by the model's kind (bias: of a LayerNorm); y may be x.
void apply_norm(const ModelConfig&, const std::vector<float>& weight,
                const std::vector<float>& bias, const float* x, float* y, std::int64_t rows,
                const kernels::Parallel&);

// 1 / rms of one row (of a LayerNorm 1 / its standard deviation), formed in fp64: what the norm
// multiplies by, frozen for attributions.
float frozen_scale(const ModelConfig&, const float* row);

// In place: RMS norm over all query heads together, then over all KV heads' k, of rows [q | k | v].
// Does nothing for a layer without it.
void norm_whole_projections(const ModelConfig&, const DecoderLayer&, float* qkv, std::int64_t rows,
                            const kernels::Parallel&);

}  // namespace engine
