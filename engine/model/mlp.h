// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP, dense or a mixture: what the decoder and the recomputed residual stream share.
#pragma once
#include <cstdint>

#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// to (+)= the layer's MLP of x [rows, d_model]; hidden [mlp_scratch] is scratch.
void mlp(const ModelConfig&, const DecoderLayer&, const float* x, std::int64_t rows, float* hidden,
         float* to, bool accumulate, PanelScratch&, const kernels::Parallel&);
std::int64_t mlp_scratch(const ModelConfig&, std::int64_t rows);  // floats

}  // namespace engine
