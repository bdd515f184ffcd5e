// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/loading.h"

#include <algorithm>
#include <utility>

#include "engine/cuda/fast_attention.h"
#include "engine/cuda/staging.h"
#include "engine/cuda/weight_place.h"
#include "engine/model/decoder_terms.h"
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
    model->by_blocks = beyond_chain(config, element);
    check(cudaGetDevice(&model->device), "cudaGetDevice");
    shape_matrices(*model, tied_head);
    add_rotary_tables(*model);
    for (std::size_t i = 0; i < model->layers.size(); ++i)
        model->layers[i].rule = rule_of(config.per_layer[i].attention);
    return model;
}

// The model's small vectors: collected, then all put on the device, where the pointers to them then
// point. What a model lacks stays null.
class VectorPlaces {
  public:
    void add(const std::vector<float>& values, const float*& to) {
        places_.emplace_back(&to,
                             small_.add(values.data(), static_cast<std::int64_t>(values.size())));
    }
    void add_bias(const Linear& of, const float*& to) {
        places_.emplace_back(&to, small_.add(of.bias(), of.out()));
    }
    void put(DeviceModel& model) {
        DeviceBuffer vectors = small_.upload();
        for (const auto& [pointer, place] : places_) *pointer = SmallVectors::at(vectors, place);
        model.memory.push_back(std::move(vectors));
    }

  private:
    SmallVectors small_;
    std::vector<std::pair<const float**, std::size_t>> places_;
};

void add_vectors(VectorPlaces& places, const DecoderLayer& from, DeviceLayer& to) {
    places.add(from.attention_norm, to.attention_norm);
    places.add(from.attention_norm_bias, to.attention_norm_bias);
    places.add(from.attention_post_norm, to.attention_post_norm);
    places.add(from.mlp_norm, to.mlp_norm);
    places.add(from.mlp_norm_bias, to.mlp_norm_bias);
    places.add(from.mlp_post_norm, to.mlp_post_norm);
    places.add(from.q_norm, to.q_norm);
    places.add(from.k_norm, to.k_norm);
    places.add(from.q_whole_norm, to.q_whole_norm);
    places.add(from.k_whole_norm, to.k_whole_norm);
    places.add(from.sinks, to.sinks);
    places.add_bias(from.qkv, to.qkv_bias);
    places.add_bias(from.o, to.o_bias);
    places.add_bias(from.gate_up, to.mlp.gate_up_bias);
    places.add_bias(from.down, to.mlp.down_bias);
    places.add_bias(from.router, to.router_bias);
    for (std::size_t e = 0; e < from.experts.size(); ++e) {
        places.add_bias(from.experts[e].gate_up, to.experts[e].gate_up_bias);
        places.add_bias(from.experts[e].down, to.experts[e].down_bias);
    }
}

void add_matrices(std::vector<WeightCopy>& copies, const DecoderLayer& from,
                  const DeviceLayer& to) {
    add(copies, from.qkv, to.qkv);
    add(copies, from.o, to.o);
    if (from.experts.empty()) {
        add(copies, from.gate_up, to.mlp.gate_up);
        add(copies, from.down, to.mlp.down);
        return;
    }
    add(copies, from.router, to.router);
    for (std::size_t e = 0; e < from.experts.size(); ++e) {
        add(copies, from.experts[e].gate_up, to.experts[e].gate_up);
        add(copies, from.experts[e].down, to.experts[e].down);
    }
}

}  // namespace

std::string lacking(const ModelConfig& config, kernels::Element element) {
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2;
    if (config.head_dim > 256 || config.head_dim * size % 16 != 0 || config.q_columns() % 8 != 0)
        return "head_dim " + std::to_string(config.head_dim) +
               " (up to 256, rows of whole 16 bytes)";
    if (config.d_model % 8 != 0)
        return "rows of " + std::to_string(config.d_model) + " dims (whole eights)";
    return {};
}

std::string beyond_chain(const ModelConfig& config, kernels::Element element) {
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2;
    std::string term = term_beyond_llama(config);
    if (!term.empty()) return term;
    for (const int columns : {config.d_model, config.d_ff, config.q_columns()})
        if (columns % 8 != 0 || columns * size > 65536)
            return "rows of " + std::to_string(columns) + " weights (whole eights, up to 64 KB)";
    return {};
}

std::int64_t device_bytes(const ModelConfig& config, kernels::Element element, bool tied_head) {
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2, d = config.d_model;
    const std::int64_t matrices = config.gated_mlp ? 3 : 2;
    std::int64_t weights = (tied_head ? 1 : 2) * d * config.vocab;
    if (config.learned_positions) weights += d * config.context;
    for (const LayerConfig& layer : config.per_layer) {
        weights += d * (2 * config.q_columns() + 2 * config.kv_columns());
        weights += layer.experts ? config.experts.count * d * (matrices * config.experts.d_ff + 1)
                                 : matrices * d * config.d_ff;
    }
    const std::int64_t rope =
        config.per_layer.empty() ? 0 : config.context * config.per_layer[0].rope.rotary_dim * 4;
    return size * weights + rope;
}

std::shared_ptr<const DeviceModel> load_to_device(
    const Model& mapped, kernels::Element element,
    const std::function<void(std::int64_t, std::int64_t)>& progress, std::stop_token stop) {
    const bool tied =
        mapped.embedding.weights().front().data == mapped.unembedding.weights().front().data;
    auto model = empty_model(mapped.config, element, tied);

    std::vector<WeightCopy> copies;
    VectorPlaces vectors;
    vectors.add(mapped.final_norm, model->final_norm);
    vectors.add(mapped.final_norm_bias, model->final_norm_bias);
    add(copies, mapped.embedding, model->embedding);
    if (mapped.config.learned_positions) add(copies, mapped.positions, model->positions);
    if (!tied) add(copies, mapped.unembedding, model->unembedding);
    for (std::size_t i = 0; i < model->layers.size(); ++i) {
        add_matrices(copies, mapped.layers[i], model->layers[i]);
        add_vectors(vectors, mapped.layers[i], model->layers[i]);
    }
    vectors.put(*model);
    for (DeviceLayer& layer : model->layers) layer.rule.sinks = layer.sinks;

    std::int64_t total = 0, done = 0;
    for (const WeightCopy& copy : copies) total += copy.from.rows * copy.from.row_bytes;
    copy_weights(
        copies,
        [&](std::int64_t bytes) {
            done += bytes;
            if (progress) progress(done, total);
        },
        stop,
        [&] {
            if (model->by_blocks.empty()) warm_up(mapped.config, element);
        });
    return model;
}

std::shared_ptr<const DeviceModel> random_model(const ModelConfig& config,
                                                kernels::Element element) {
    auto model = empty_model(config, element, false);
    SmallVectors small;
    const std::vector<float> ones(
        static_cast<std::size_t>(std::max(config.d_model, config.head_dim)), 1.0f);
    const std::size_t one = small.add(ones.data(), static_cast<std::int64_t>(ones.size()));
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
