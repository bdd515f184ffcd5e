// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/model.h"

#include "engine/formats/gguf_quants.h"
#include "engine/model/stored_rows.h"
#include "engine/values/failure.h"
#include "kernels/elementwise.h"

namespace engine {
namespace {

using formats::Checkpoint;
using formats::StoredTensor;

const StoredTensor* optional(const Checkpoint& checkpoint, const std::string& name) {
    return name.empty() ? nullptr : &checkpoint.at(name);
}

std::vector<float> vector_of(const Checkpoint& checkpoint, const std::string& name) {
    if (name.empty()) return {};
    const StoredTensor& tensor = checkpoint.at(name);
    std::vector<float> values(static_cast<std::size_t>(tensor.columns()));
    formats::decode(tensor.storage, tensor.data, values.data(), tensor.columns());
    return values;
}

// Weights by role, laid as the decoder wants them.
class Loader {
  public:
    Loader(const Checkpoint& checkpoint, const families::ModelPlan& plan)
        : checkpoint_(checkpoint), plan_(plan) {}

    std::vector<float> norm(const std::string& name) const {
        std::vector<float> weight = vector_of(checkpoint_, name);
        for (float& w : weight) w += static_cast<float>(plan_.norm_offset);
        return weight;
    }

    void add(Linear& linear, const std::string& weight, const std::string& bias) const {
        if (weight.empty()) return;
        linear.add(matrix(weight), optional(checkpoint_, bias));
    }

    std::vector<Expert> experts(const families::LayerWeights& names) const {
        std::vector<Expert> experts;
        if (names.router.empty()) return experts;
        for (int i = 0; i < plan_.config.experts.count; ++i) {
            Expert& expert = experts.emplace_back();
            add_expert(expert.gate_up, names.expert_gate_up, names.expert_gate_up_bias, i, true);
            add_expert(expert.gate_up, names.expert_gate, names.expert_gate_bias, i, false);
            add_expert(expert.gate_up, names.expert_up, names.expert_up_bias, i, false);
            add_expert(expert.down, names.expert_down, names.expert_down_bias, i, false);
        }
        return experts;
    }

    void add_qkv(Linear& linear, const families::LayerWeights& names) const {
        if (!names.qkv.empty()) return add_fused(linear, names.qkv, names.qkv_bias);
        add_rotary(linear, names.q, names.q_bias, plan_.q_rows);
        add_rotary(linear, names.k, names.k_bias, plan_.k_rows);
        add(linear, names.v, names.v_bias);
    }

  private:
    StoredTensor matrix(const std::string& name) const {
        const StoredTensor& stored = checkpoint_.at(name);
        return plan_.transposed ? transposed(stored) : stored;
    }

    // One expert's matrix or bias, of a tensor of its own or out of all experts'.
    StoredTensor expert_part(const std::string& name, int index) const {
        StoredTensor part = checkpoint_.at(families::expert_name(name, index));
        if (name.find('*') != std::string::npos) return part;
        part.shape.erase(part.shape.begin());
        const auto count = static_cast<std::size_t>(plan_.config.experts.count);
        part.bytes /= count;
        part.data += static_cast<std::size_t>(index) * part.bytes;
        if (part.scales.data == nullptr) return part;
        part.scales.bytes /= count;
        part.scales.data += static_cast<std::size_t>(index) * part.scales.bytes;
        return part;
    }

    // fused: gate and up in one tensor, as the plan says of how they lie.
    void add_expert(Linear& linear, const std::string& weight, const std::string& bias, int index,
                    bool fused) const {
        if (weight.empty()) return;
        StoredTensor stored = expert_part(weight, index);
        const bool blocks = formats::block_elements(stored.storage) > 1;
        const bool deal = fused && plan_.interleaved_experts;
        if (plan_.interleaved_experts && !blocks) stored = transposed(stored);
        if (deal && blocks) return add_in_turn(linear, stored, bias, index);
        if (deal) stored = dealt_rows(stored);
        if (bias.empty()) return linear.add(stored, nullptr);
        const StoredTensor part = expert_part(bias, index);
        const StoredTensor added = deal ? dealt_rows(part) : part;
        linear.add(stored, &added);
    }

    // Gate, then up, where they lie: blocks are most of a model's bytes.
    void add_in_turn(Linear& linear, const StoredTensor& stored, const std::string& bias,
                     int index) const {
        StoredTensor added;
        if (!bias.empty()) {
            added = dealt_rows(expert_part(bias, index));
            added.bytes /= 2;
        }
        for (const int first : {0, 1}) {
            linear.add(every_second_row(stored, first), bias.empty() ? nullptr : &added);
            added.data += added.bytes;
        }
    }

    void add_fused(Linear& linear, const std::string& weight, const std::string& bias) const {
        if (plan_.fused_rows == families::FusedRows::QThenKThenV) return add(linear, weight, bias);
        const int head_dim = plan_.config.head_dim;
        if (bias.empty()) return linear.add(gathered_heads(matrix(weight), head_dim), nullptr);
        const StoredTensor moved = gathered_heads(checkpoint_.at(bias), head_dim);
        linear.add(gathered_heads(matrix(weight), head_dim), &moved);
    }

    void add_rotary(Linear& linear, const std::string& weight, const std::string& bias,
                    families::RotaryRows rows) const {
        if (rows == families::RotaryRows::HalfSplit) return add(linear, weight, bias);
        const int head_dim = plan_.config.head_dim;
        if (bias.empty()) return linear.add(half_split_rows(matrix(weight), head_dim), nullptr);
        const StoredTensor moved = half_split_rows(checkpoint_.at(bias), head_dim);
        linear.add(half_split_rows(matrix(weight), head_dim), &moved);
    }

    const Checkpoint& checkpoint_;
    const families::ModelPlan& plan_;
};

DecoderLayer load_layer(const Checkpoint& checkpoint, const families::ModelPlan& plan,
                        std::size_t index) {
    const Loader loader(checkpoint, plan);
    const families::LayerWeights& names = plan.layers[index];
    DecoderLayer layer;
    layer.attention_norm = loader.norm(names.attention_norm);
    layer.attention_norm_bias = vector_of(checkpoint, names.attention_norm_bias);
    layer.attention_post_norm = loader.norm(names.attention_post_norm);
    layer.mlp_norm = loader.norm(names.mlp_norm);
    layer.mlp_norm_bias = vector_of(checkpoint, names.mlp_norm_bias);
    layer.mlp_post_norm = loader.norm(names.mlp_post_norm);
    const bool whole = plan.config.per_layer[index].qk_norm_whole;
    (whole ? layer.q_whole_norm : layer.q_norm) = loader.norm(names.q_norm);
    (whole ? layer.k_whole_norm : layer.k_norm) = loader.norm(names.k_norm);
    layer.sinks = vector_of(checkpoint, names.sinks);
    loader.add_qkv(layer.qkv, names);
    loader.add(layer.o, names.o, names.o_bias);
    loader.add(layer.gate_up, names.gate_up, {});
    loader.add(layer.gate_up, names.gate, names.gate_bias);
    loader.add(layer.gate_up, names.up, names.up_bias);
    loader.add(layer.down, names.down, names.down_bias);
    loader.add(layer.router, names.router, names.router_bias);
    layer.experts = loader.experts(names);
    return layer;
}

}  // namespace

void Model::embed(const std::int32_t* tokens, std::int64_t begin, std::int64_t count,
                  float* to) const {
    const kernels::Parallel serial;
    const std::int64_t d_model = config.d_model;
    std::vector<float> position(static_cast<std::size_t>(config.learned_positions ? d_model : 0));
    for (std::int64_t i = 0; i < count; ++i) {
        float* row = to + i * d_model;
        kernels::cpu::decode_rows(embedding.weights().front(), tokens[i], tokens[i] + 1, row,
                                  serial);
        if (config.embedding_scale != 1)
            for (std::int64_t c = 0; c < d_model; ++c) row[c] *= config.embedding_scale;
        if (!config.learned_positions) continue;
        kernels::cpu::decode_rows(positions.weights().front(), begin + i, begin + i + 1,
                                  position.data(), serial);
        kernels::cpu::add(row, position.data(), d_model, serial);
    }
}

std::shared_ptr<const Model> load_model(
    const Checkpoint& checkpoint, const families::ModelPlan& plan,
    const std::function<void(std::int64_t, std::int64_t)>& progress, std::stop_token stop) {
    auto model = std::make_shared<Model>();
    model->config = plan.config;
    std::int64_t done = 0;
    const auto count = [&](std::int64_t bytes) {
        done += bytes;
        if (progress) progress(done, checkpoint.file_bytes);
        if (stop.stop_requested()) throw Cancelled{};
    };
    model->embedding.add(checkpoint.at(plan.embedding), nullptr);
    model->unembedding.add(checkpoint.at(plan.unembedding), nullptr);
    const Loader loader(checkpoint, plan);
    if (!plan.position_embedding.empty())
        model->positions.add(checkpoint.at(plan.position_embedding), nullptr);
    model->final_norm = loader.norm(plan.final_norm);
    model->final_norm_bias = vector_of(checkpoint, plan.final_norm_bias);
    count(model->embedding.bytes() + model->positions.bytes() +
          (plan.embedding == plan.unembedding ? 0 : model->unembedding.bytes()));
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        model->layers.push_back(load_layer(checkpoint, plan, i));
        const DecoderLayer& layer = model->layers.back();
        std::int64_t bytes = layer.qkv.bytes() + layer.o.bytes() + layer.gate_up.bytes() +
                             layer.down.bytes() + layer.router.bytes();
        for (const Expert& expert : layer.experts)
            bytes += expert.gate_up.bytes() + expert.down.bytes();
        count(bytes);
    }
    model->weight_bytes = done;
    return model;
}

}  // namespace engine
