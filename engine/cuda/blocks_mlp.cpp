// SPDX-License-Identifier: GPL-3.0-or-later
// The MLP, dense or a mixture, on the device. Which rows an expert takes is decided on the host, by
// the CPU engine's own rule: a wait a layer.
#include <ATen/TensorOperators.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include "engine/cuda/blocks.h"
#include "engine/model/router.h"

namespace engine::cuda {

at::Tensor Blocks::activated(const at::Tensor& gate_up, std::int64_t d_ff) const {
    const ModelConfig& config = model_.config;
    const at::Tensor gate = gate_up.narrow(1, 0, d_ff);
    const auto up = [&] { return gate_up.narrow(1, d_ff, d_ff); };
    if (config.activation == Activation::ClampedSwiglu) {
        const double limit = config.swiglu_limit, alpha = config.swiglu_alpha;
        const at::Tensor g = at::clamp_max(gate, limit);
        return (at::clamp(up(), -limit, limit) + 1) * g * at::sigmoid(g * alpha);
    }
    const at::Tensor bent = config.activation == Activation::Silu       ? at::silu(gate)
                            : config.activation == Activation::GeluTanh ? at::gelu(gate, "tanh")
                                                                        : at::gelu(gate, "none");
    return config.gated_mlp ? bent * up() : bent;
}

// down(act(gate x) ⊙ up x), without a gate down(act(up x)).
at::Tensor Blocks::dense(const DeviceMlp& mlp, const at::Tensor& x) const {
    const at::Tensor hidden =
        activated(product(mlp.gate_up, mlp.gate_up_bias, x), mlp.down.columns);
    return product(mlp.down, mlp.down_bias, typed(hidden));
}

at::Tensor Blocks::mixture(const DeviceLayer& layer, const at::Tensor& x) const {
    const Experts& experts = model_.config.experts;
    const std::int64_t rows = x.size(0);
    const at::Tensor ratings =
        product(layer.router, layer.router_bias, x).to(at::kCPU).contiguous();  // waits
    const auto chosen = route(experts, ratings.const_data_ptr<float>(), rows);
    at::Tensor sum = at::zeros({rows, model_.config.d_model}, on_.options(kernels::Element::F32));
    const at::Device device = sum.device();
    for (std::size_t e = 0; e < chosen.size(); ++e) {
        if (chosen[e].empty()) continue;
        std::vector<std::int64_t> of;
        std::vector<float> weights;
        for (const RoutedRow& routed : chosen[e]) {
            of.push_back(routed.row);
            weights.push_back(routed.weight);
        }
        const auto count = static_cast<std::int64_t>(of.size());
        const at::Tensor index = at::from_blob(of.data(), {count}, at::kLong).to(device);
        const at::Tensor weight = at::from_blob(weights.data(), {count, 1}, at::kFloat).to(device);
        const at::Tensor in = count == rows ? x : at::index_select(x, 0, index);
        // A row comes once to an expert: the order of sums is that of the experts.
        sum.index_add_(0, index, dense(layer.experts[e], in) * weight);
    }
    return sum;
}

at::Tensor Blocks::mlp(const DeviceLayer& layer, const at::Tensor& x) const {
    return layer.experts.empty() ? dense(layer.mlp, x) : mixture(layer, x);
}

}  // namespace engine::cuda
