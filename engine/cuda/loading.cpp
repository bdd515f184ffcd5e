// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/loading.h"

#include <algorithm>
#include <utility>

#include "engine/cuda/fast_attention.h"
#include "engine/cuda/staging.h"
#include "engine/cuda/weight_place.h"
#include "kernels/cuda/random.h"

namespace engine::cuda {
namespace {

void add(std::vector<WeightCopy>& copies, const Linear& from, const DeviceMatrix& to) {
    std::int64_t rows = 0;
    for (const kernels::Weight& weight : from.weights()) {
        const std::int64_t size = to.element == kernels::Element::F32 ? 4 : 2;
        // The data is ours to write until the model is handed out.
        copies.push_back(
            {weight, to.element, const_cast<std::byte*>(to.data) + rows * to.columns * size});
        rows += weight.rows;
    }
    if (rows != to.rows || from.in() != to.columns)
        throw Error(Failure::Kind::Internal,
                    "a matrix of " + std::to_string(rows) + " x " + std::to_string(from.in()) +
                        " where the config has " + std::to_string(to.rows) + " x " +
                        std::to_string(to.columns));
}

kernels::ScoreRule rule_of(const AttentionRule& rule) {
    return {rule.scale, rule.soft_cap, rule.window, nullptr};
}

std::shared_ptr<DeviceModel> empty_model(const ModelConfig& config, kernels::Element element,
                                         bool tied_head) {
    auto model = std::make_shared<DeviceModel>();
    model->config = config;
    model->element = element;
    check(cudaGetDevice(&model->device), "cudaGetDevice");
    shape_matrices(*model, tied_head);
    add_rotary_tables(*model);
    for (std::size_t i = 0; i < model->layers.size(); ++i)
        model->layers[i].rule = rule_of(config.per_layer[i].attention);
    return model;
}

// The vectors of a layer, and where they were put.
struct LayerVectors {
    std::size_t attention_norm, mlp_norm, q_norm, k_norm, qkv_bias, o_bias;
};

void point(DeviceLayer& layer, const LayerVectors& at, const DeviceBuffer& small) {
    layer.attention_norm = SmallVectors::at(small, at.attention_norm);
    layer.mlp_norm = SmallVectors::at(small, at.mlp_norm);
    layer.q_norm = SmallVectors::at(small, at.q_norm);
    layer.k_norm = SmallVectors::at(small, at.k_norm);
    layer.qkv_bias = SmallVectors::at(small, at.qkv_bias);
    layer.o_bias = SmallVectors::at(small, at.o_bias);
}

std::size_t add(SmallVectors& small, const std::vector<float>& values) {
    return small.add(values.data(), static_cast<std::int64_t>(values.size()));
}

}  // namespace

std::string lacking(const ModelConfig& config, kernels::Element element) {
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2;
    if (config.head_dim > 256 || config.head_dim * size % 16 != 0)
        return "head_dim " + std::to_string(config.head_dim) +
               " (up to 256, rows of whole 16 bytes)";
    for (const int columns : {config.d_model, config.d_ff, config.q_columns()})
        if (columns % 8 != 0 || columns * size > 65536)
            return "rows of " + std::to_string(columns) + " weights (whole eights, up to 64 KB)";
    // What the one decoder of the CPU engine knows and the chains of this one do not.
    const auto any_layer = [&](auto fact) {
        return std::any_of(config.per_layer.begin(), config.per_layer.end(), fact);
    };
    const std::pair<bool, const char*> facts[] = {
        {config.norm != NormKind::Rms, "LayerNorm"},
        {!config.pre_norm, "blocks that read the stream without a norm"},
        {config.post_norm, "norms behind a block"},
        {config.parallel_residual, "attention and MLP side by side"},
        {!config.gated_mlp, "an MLP without a gate"},
        {any_layer([](const LayerConfig& layer) { return layer.experts; }), "a mixture of experts"},
        {config.activation != Activation::Silu, "an activation that is not SiLU"},
        {config.embedding_scale != 1, "a scale of the embedding"},
        {config.learned_positions, "learned positions"},
        {config.final_soft_cap > 0, "a soft cap of the logits"},
        {config.long_rope_from > 0, "RoPE frequencies that depend on a run's length"},
        {any_layer([](const LayerConfig& layer) { return layer.mlp_bias; }), "biases in the MLP"},
        {any_layer([](const LayerConfig& layer) { return layer.qk_norm_whole; }),
         "a norm over all of q and of k"},
        {any_layer([](const LayerConfig& layer) { return layer.attention.sink; }), "sinks"},
    };
    for (const auto& [needed, name] : facts)
        if (needed) return name;
    return {};
}

std::int64_t device_bytes(const ModelConfig& config, kernels::Element element, bool tied_head) {
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2, d = config.d_model;
    const std::int64_t layer = d * (config.q_columns() + 2 * config.kv_columns()) +
                               d * config.q_columns() + 3 * d * config.d_ff;
    const std::int64_t rope =
        config.per_layer.empty() ? 0 : config.context * config.per_layer[0].rope.rotary_dim * 4;
    return size * (config.layers * layer + (tied_head ? 1 : 2) * d * config.vocab) + rope;
}

std::shared_ptr<const DeviceModel> load_to_device(
    const Model& mapped, kernels::Element element,
    const std::function<void(std::int64_t, std::int64_t)>& progress, std::stop_token stop) {
    const bool tied =
        mapped.embedding.weights().front().data == mapped.unembedding.weights().front().data;
    auto model = empty_model(mapped.config, element, tied);

    std::vector<WeightCopy> copies;
    SmallVectors small;
    std::vector<LayerVectors> places;
    const std::size_t final_norm = add(small, mapped.final_norm);
    add(copies, mapped.embedding, model->embedding);
    if (!tied) add(copies, mapped.unembedding, model->unembedding);
    for (std::size_t i = 0; i < model->layers.size(); ++i) {
        const DecoderLayer& from = mapped.layers[i];
        const DeviceLayer& to = model->layers[i];
        add(copies, from.qkv, to.qkv);
        add(copies, from.o, to.o);
        add(copies, from.gate_up, to.gate_up);
        add(copies, from.down, to.down);
        places.push_back({add(small, from.attention_norm), add(small, from.mlp_norm),
                          add(small, from.q_norm), add(small, from.k_norm),
                          small.add(from.qkv.bias(), from.qkv.out()),
                          small.add(from.o.bias(), from.o.out())});
    }
    DeviceBuffer vectors = small.upload();
    model->final_norm = SmallVectors::at(vectors, final_norm);
    for (std::size_t i = 0; i < places.size(); ++i) point(model->layers[i], places[i], vectors);
    model->memory.push_back(std::move(vectors));

    std::int64_t total = 0, done = 0;
    for (const WeightCopy& copy : copies) total += copy.from.rows * copy.from.row_bytes;
    copy_weights(
        copies,
        [&](std::int64_t bytes) {
            done += bytes;
            if (progress) progress(done, total);
        },
        stop, [&] { warm_up(mapped.config, element); });
    return model;
}

std::shared_ptr<const DeviceModel> random_model(const ModelConfig& config,
                                                kernels::Element element) {
    auto model = empty_model(config, element, false);
    SmallVectors small;
    const std::vector<float> ones(
        static_cast<std::size_t>(std::max(config.d_model, config.head_dim)), 1.0f);
    const std::size_t one = add(small, ones);
    DeviceBuffer vectors = small.upload();
    const float* norm = SmallVectors::at(vectors, one);
    model->final_norm = norm;
    for (std::size_t i = 0; i < model->layers.size(); ++i) {
        DeviceLayer& layer = model->layers[i];
        layer.attention_norm = layer.mlp_norm = norm;
        if (config.per_layer[i].qk_norm_per_head) layer.q_norm = layer.k_norm = norm;
    }
    model->memory.push_back(std::move(vectors));
    // Uniform of this spread: what trained weights look like to a product.
    constexpr float spread = 0.035f;
    std::uint64_t seed = 1;
    const auto fill = [&](DeviceMatrix& matrix) {
        kernels::cuda::fill_random(const_cast<std::byte*>(matrix.data), element,
                                   matrix.rows * matrix.columns, spread, seed++, nullptr);
    };
    for_each_matrix(*model, fill);
    fill(model->unembedding);
    warm_up(config, element);
    check(cudaDeviceSynchronize(), "random weights");
    return model;
}

}  // namespace engine::cuda
