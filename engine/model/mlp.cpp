// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/mlp.h"

#include <algorithm>
#include <cmath>

#include "engine/model/router.h"
#include "kernels/elementwise.h"

namespace engine {
namespace {

void clamped_swiglu(const ModelConfig& config, const float* gate, const float* up,
                    std::int64_t stride, float* y, std::int64_t rows, std::int64_t columns) {
    const float limit = config.swiglu_limit;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            const float g = std::min(gate[row * stride + i], limit);
            const float u = std::clamp(up[row * stride + i], -limit, limit);
            y[row * columns + i] = (u + 1) * g / (1 + std::exp(-config.swiglu_alpha * g));
        }
    }
}

void activate(const ModelConfig& config, const float* gate, const float* up, std::int64_t stride,
              float* y, std::int64_t rows, std::int64_t columns,
              const kernels::Parallel& parallel) {
    switch (config.activation) {
        case Activation::Silu:
            return kernels::cpu::silu_mul(gate, up, stride, y, rows, columns, parallel);
        case Activation::GeluTanh:
            return kernels::cpu::gelu_tanh_mul(gate, up, stride, y, rows, columns, parallel);
        case Activation::Gelu:
            return kernels::cpu::gelu_mul(gate, up, stride, y, rows, columns, parallel);
        case Activation::ClampedSwiglu:
            return clamped_swiglu(config, gate, up, stride, y, rows, columns);
    }
}

// down(act(gate x) ⊙ up x), without a gate down(act(up x)).
void dense(const ModelConfig& config, const Linear& gate_up, const Linear& down, const float* x,
           std::int64_t rows, float* hidden, float* to, bool accumulate, PanelScratch& panel,
           const kernels::Parallel& parallel) {
    const std::int64_t d_ff = down.in();
    const std::int64_t stride = gate_up.out();  // [rows, gate | up], or up alone
    float* gated = hidden + rows * stride;      // [rows, d_ff]
    gate_up.forward(x, rows, hidden, false, panel, parallel);
    activate(config, hidden, config.gated_mlp ? hidden + d_ff : nullptr, stride, gated, rows, d_ff,
             parallel);
    down.forward(gated, rows, to, accumulate, panel, parallel);
}

std::int64_t widest(const ModelConfig& config) {
    return std::max(config.d_ff, config.experts.d_ff);
}

// to += each expert's output on the rows that chose it.
void mixture(const ModelConfig& config, const DecoderLayer& layer, const float* x,
             std::int64_t rows, float* hidden, float* to, PanelScratch& panel,
             const kernels::Parallel& parallel) {
    const std::int64_t d = config.d_model;
    float* ratings = hidden + rows * 3 * widest(config);
    float* in = ratings + rows * config.experts.count;
    float* out = in + rows * d;
    layer.router.forward(x, rows, ratings, false, panel, parallel);
    const auto chosen = route(config.experts, ratings, rows);
    for (std::size_t e = 0; e < chosen.size(); ++e) {
        if (chosen[e].empty()) continue;
        float* next = in;
        for (const RoutedRow& routed : chosen[e]) next = std::copy_n(x + routed.row * d, d, next);
        const Expert& expert = layer.experts[e];
        dense(config, expert.gate_up, expert.down, in, static_cast<std::int64_t>(chosen[e].size()),
              hidden, out, false, panel, parallel);
        const float* made = out;
        for (const RoutedRow& routed : chosen[e])
            for (std::int64_t c = 0; c < d; ++c) to[routed.row * d + c] += routed.weight * *made++;
    }
}

}  // namespace

void mlp(const ModelConfig& config, const DecoderLayer& layer, const float* x, std::int64_t rows,
         float* hidden, float* to, bool accumulate, PanelScratch& panel,
         const kernels::Parallel& parallel) {
    if (layer.experts.empty())
        return dense(config, layer.gate_up, layer.down, x, rows, hidden, to, accumulate, panel,
                     parallel);
    if (!accumulate) std::fill_n(to, rows * config.d_model, 0.0f);
    mixture(config, layer, x, rows, hidden, to, panel, parallel);
}

std::int64_t mlp_scratch(const ModelConfig& config, std::int64_t rows) {
    const std::int64_t mixed =
        config.experts.count > 0 ? config.experts.count + 2 * config.d_model : 0;
    return rows * (3 * widest(config) + mixed);
}

}  // namespace engine
