// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/mlp.h"

#include <cmath>

#include "kernels/elementwise.h"

namespace engine {

float frozen_scale(const float* row, std::int64_t d_model, float eps) {
    double squares = 0;
    for (std::int64_t i = 0; i < d_model; ++i) squares += double{row[i]} * row[i];
    return static_cast<float>(1.0 / std::sqrt(squares / static_cast<double>(d_model) + eps));
}

void mlp(const DecoderLayer& layer, const float* x, std::int64_t rows, float* hidden, float* to,
         bool accumulate, PanelScratch& panel, const kernels::Parallel& parallel) {
    const std::int64_t d_ff = layer.down.in();
    float* gate_up = hidden;                  // [rows, gate | up]
    float* gated = hidden + rows * 2 * d_ff;  // [rows, d_ff]
    layer.gate_up.forward(x, rows, gate_up, false, panel, parallel);
    kernels::cpu::silu_mul(gate_up, gate_up + d_ff, 2 * d_ff, gated, rows, d_ff, parallel);
    layer.down.forward(gated, rows, to, accumulate, panel, parallel);
}

}  // namespace engine
