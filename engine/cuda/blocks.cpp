// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/tanh.h>

#include <vector>

namespace engine::cuda {
namespace {

// x / rms(x) ⊙ w, over the last dimension.
at::Tensor rms_normed(const at::Tensor& x, const at::Tensor& weight, float eps) {
    return x * at::rsqrt(x.square().mean(-1, true) + eps) * weight;
}

}  // namespace

Blocks::Blocks(const DeviceModel& model, cudaStream_t stream) : model_(model), on_(stream) {}

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

at::Tensor Blocks::centred(const at::Tensor& x) const {
    return model_.config.norm == NormKind::Layer ? x - x.mean(-1, true) : x;
}

at::Tensor Blocks::frozen_scale(const at::Tensor& centred) const {
    return at::rsqrt(centred.square().mean(-1, true) + model_.config.norm_eps);
}

at::Tensor Blocks::norm(const at::Tensor& x, const float* weight, const float* bias) const {
    const at::Tensor around = centred(x);
    at::Tensor y = around * frozen_scale(around) * small(weight, model_.config.d_model);
    if (bias != nullptr) y.add_(small(bias, model_.config.d_model));
    return y;
}

at::Tensor Blocks::block_input(const at::Tensor& stream, const float* weight,
                               const float* bias) const {
    return typed(model_.config.pre_norm ? norm(stream, weight, bias) : stream);
}

at::Tensor Blocks::written(const at::Tensor& out, const float* post_norm, float* scales) const {
    if (!model_.config.post_norm) return out;
    const at::Tensor around = centred(out);
    const at::Tensor scale = frozen_scale(around);
    if (scales != nullptr) on_.view(scales, {out.size(0), 1}, kernels::Element::F32).copy_(scale);
    return around * scale * small(post_norm, model_.config.d_model);
}

at::Tensor Blocks::qkv(const DeviceLayer& layer, const at::Tensor& stream, bool whole) const {
    const ModelConfig& config = model_.config;
    const at::Tensor x =
        product(layer.qkv, layer.qkv_bias,
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
    on_.view(to, {stream.size(0), 1}, kernels::Element::F32).copy_(frozen_scale(centred(stream)));
}

at::Tensor Blocks::logits(const at::Tensor& stream, bool capped) const {
    const at::Tensor x = product(model_.unembedding, nullptr,
                                 typed(norm(stream, model_.final_norm, model_.final_norm_bias)));
    const float cap = model_.config.final_soft_cap;
    return capped && cap > 0 ? at::tanh(x / cap) * cap : x;
}

}  // namespace engine::cuda
