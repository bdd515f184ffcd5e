// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP: what the decoder and the recomputed residual stream share.
#pragma once
#include <cstdint>

#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// to (+)= down(act(gate x) ⊙ up x), without a gate down(act(up x)), for x [rows, d_model]; hidden
// [mlp_scratch] scratch.
void mlp(const ModelConfig&, const DecoderLayer&, const float* x, std::int64_t rows, float* hidden,
         float* to, bool accumulate, PanelScratch&, const kernels::Parallel&);
constexpr std::int64_t mlp_scratch(std::int64_t rows, std::int64_t d_ff) {
    return rows * 3 * d_ff;
}

}  // namespace engine
