// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/tanh.h>

#include <vector>

#include "kernels/cuda/elementwise.h"

namespace engine::cuda {
namespace {

// x / rms(x) ⊙ w, over the last dimension.
at::Tensor rms_normed(const at::Tensor& x, const at::Tensor& weight, float eps) {
    return x * at::rsqrt(x.square().mean(-1, true) + eps) * weight;
}

}  // namespace

Blocks::Blocks(const DeviceModel& model, cudaStream_t stream)
    : model_(model), stream_(stream), on_(stream) {}

at::Tensor Blocks::small(const float* values, std::int64_t count) const {
    return on_.view(values, {count}, kernels::Element::F32);
}

at::Tensor Blocks::product(const DeviceMatrix& weight, const float* bias,
                           const at::Tensor& x) const {
    const at::Tensor w = on_.view(weight.data, {weight.rows, weight.columns}, weight.element).t();
    // A product of 16-bit elements whose fp32 sums are kept needs the overload with a type.
    at::Tensor y =
        weight.element == kernels::Element::F32 ? at::mm(x, w) : at::mm(x, w, at::kFloat);
    if (bias != nullptr) y.add_(small(bias, weight.rows));
    return y;
}

at::Tensor Blocks::embed(std::span<const std::int32_t> tokens, std::int64_t begin) const {
    const ModelConfig& config = model_.config;
    const auto count = static_cast<std::int64_t>(tokens.size());
    const auto rows_of = [&](const DeviceMatrix& table) {
        return on_.view(table.data, {table.rows, table.columns}, table.element);
    };
    // From pageable memory: copied before the call returns.
    const at::Tensor ids =
        at::from_blob(const_cast<std::int32_t*>(tokens.data()), {count}, at::kInt)
            .to(on_.options(kernels::Element::F32).device(), at::kInt);
    at::Tensor x = at::index_select(rows_of(model_.embedding), 0, ids).to(at::kFloat);
    if (config.embedding_scale != 1) x = x * config.embedding_scale;
    if (config.learned_positions)
        x = x + rows_of(model_.positions).narrow(0, begin, count).to(at::kFloat);
    return x;
}

at::Tensor Blocks::norm(const at::Tensor& x, const float* weight, const float* bias,
                        kernels::Element to, float* scales) const {
    const ModelConfig& config = model_.config;
    if (config.norm == NormKind::Rms) {
        at::Tensor y = at::empty(x.sizes(), on_.options(to));
        kernels::cuda::rms_norm(x.const_data_ptr<float>(), weight, config.norm_eps, x.size(0),
                                config.d_model, y.data_ptr(), to, scales, stream_);
        return y;
    }
    const auto [y, mean, scale] = at::native_layer_norm(
        x, {config.d_model}, small(weight, config.d_model),
        bias == nullptr ? at::Tensor() : small(bias, config.d_model), double{config.norm_eps});
    if (scales != nullptr) on_.view(scales, {x.size(0), 1}, kernels::Element::F32).copy_(scale);
    return y.to(scalar_type(to));
}

at::Tensor Blocks::block_input(const at::Tensor& stream, const float* weight,
                               const float* bias) const {
    return model_.config.pre_norm ? norm(stream, weight, bias, model_.element, nullptr)
                                  : typed(stream);
}

at::Tensor Blocks::written(const at::Tensor& out, const float* post_norm, float* scales) const {
    return model_.config.post_norm ? norm(out, post_norm, nullptr, kernels::Element::F32, scales)
                                   : out;
}

at::Tensor Blocks::qkv(const DeviceLayer& layer, const at::Tensor& stream, bool whole) const {
    const ModelConfig& config = model_.config;
    at::Tensor x = product(layer.qkv, layer.qkv_bias,
                           block_input(stream, layer.attention_norm, layer.attention_norm_bias));
    if (!whole || layer.q_whole_norm == nullptr) return x;
    const std::int64_t q = config.q_columns(), k = config.kv_columns();
    return at::cat({rms_normed(x.narrow(1, 0, q), small(layer.q_whole_norm, q), config.norm_eps),
                    rms_normed(x.narrow(1, q, k), small(layer.k_whole_norm, k), config.norm_eps),
                    x.narrow(1, q + k, k)},
                   1);
}

at::Tensor Blocks::attention_out(const DeviceLayer& layer, const at::Tensor& z) const {
    return product(layer.o, layer.o_bias, z);
}

Blocks::Writes Blocks::finish_layer(const DeviceLayer& layer, const at::Tensor& before,
                                    const at::Tensor& attention_out, float* scales) const {
    Writes writes;
    writes.attention_write = written(attention_out, layer.attention_post_norm, scales);
    const at::Tensor between = before + writes.attention_write;
    // Side by side, the MLP reads the stream before attention adds to it.
    writes.mlp_out = mlp(layer, block_input(model_.config.parallel_residual ? before : between,
                                            layer.mlp_norm, layer.mlp_norm_bias));
    writes.mlp_write = written(writes.mlp_out, layer.mlp_post_norm, nullptr);
    writes.after = between + writes.mlp_write;
    return writes;
}

void Blocks::final_scales(const at::Tensor& stream, float* to) const {
    (void)norm(stream, model_.final_norm, model_.final_norm_bias, kernels::Element::F32, to);
}

at::Tensor Blocks::logits(const at::Tensor& stream, bool capped) const {
    const at::Tensor x =
        product(model_.unembedding, nullptr,
                norm(stream, model_.final_norm, model_.final_norm_bias, model_.element, nullptr));
    const float cap = model_.config.final_soft_cap;
    return capped && cap > 0 ? at::tanh(x / cap) * cap : x;
}

}  // namespace engine::cuda
