// SPDX-License-Identifier: GPL-3.0-or-later
// The gated MLP and the frozen norm scale: what the decoder and the recomputed residual stream
// share.
#pragma once
#include <cstdint>

#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// 1 / rms of one row, formed in fp64: what the final norm multiplies by, frozen for attributions.
float frozen_scale(const float* row, std::int64_t d_model, float eps);

// to (+)= down(silu(gate x) ⊙ up x) for normed x [rows, d_model]; hidden [rows, 3 · d_ff] scratch.
void mlp(const DecoderLayer&, const float* x, std::int64_t rows, float* hidden, float* to,
         bool accumulate, PanelScratch&, const kernels::Parallel&);
constexpr std::int64_t mlp_scratch(std::int64_t rows, std::int64_t d_ff) {
    return rows * 3 * d_ff;
}

}  // namespace engine
