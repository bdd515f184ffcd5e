// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/mlp.h"

#include "kernels/elementwise.h"

namespace engine {
namespace {

void activate(Activation activation, const float* gate, const float* up, std::int64_t stride,
              float* y, std::int64_t rows, std::int64_t columns,
              const kernels::Parallel& parallel) {
    switch (activation) {
        case Activation::Silu:
            return kernels::cpu::silu_mul(gate, up, stride, y, rows, columns, parallel);
        case Activation::GeluTanh:
            return kernels::cpu::gelu_tanh_mul(gate, up, stride, y, rows, columns, parallel);
        case Activation::Gelu:
            return kernels::cpu::gelu_mul(gate, up, stride, y, rows, columns, parallel);
    }
}

}  // namespace

void mlp(const ModelConfig& config, const DecoderLayer& layer, const float* x, std::int64_t rows,
         float* hidden, float* to, bool accumulate, PanelScratch& panel,
         const kernels::Parallel& parallel) {
    const std::int64_t d_ff = layer.down.in();
    const std::int64_t stride = layer.gate_up.out();  // [rows, gate | up], or up alone
    float* gate_up = hidden;
    float* gated = hidden + rows * stride;  // [rows, d_ff]
    layer.gate_up.forward(x, rows, gate_up, false, panel, parallel);
    activate(config.activation, gate_up, config.gated_mlp ? gate_up + d_ff : nullptr, stride, gated,
             rows, d_ff, parallel);
    layer.down.forward(gated, rows, to, accumulate, panel, parallel);
}

}  // namespace engine
