// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/model.h"

#include <cstring>

#include "engine/formats/gguf_quants.h"
#include "engine/values/failure.h"

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

// Rows of each head from pair order (0, D/2 interleaved: 0 1 2 3 … = a0 b0 a1 b1 …) to half-split
// (a0 a1 … b0 b1 …), as llama.cpp's converter permutes them; whole rows move, so blocks stay as
// they are.
StoredTensor half_split_rows(const StoredTensor& from, int head_dim) {
    auto bytes = std::make_shared<std::vector<std::byte>>(from.bytes);
    const std::size_t row = from.row_bytes();
    for (std::int64_t i = 0; i < from.rows(); ++i) {
        const std::int64_t in_head = i % head_dim, half = head_dim / 2;
        const std::int64_t source =
            i - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
        std::memcpy(bytes->data() + static_cast<std::size_t>(i) * row,
                    from.data + static_cast<std::size_t>(source) * row, row);
    }
    StoredTensor to = from;
    to.data = bytes->data();
    to.owner = bytes;
    return to;
}

void add_rotary(Linear& linear, const Checkpoint& checkpoint, const std::string& weight,
                const std::string& bias, families::RotaryRows rows, int head_dim) {
    const StoredTensor& stored = checkpoint.at(weight);
    const StoredTensor* stored_bias = optional(checkpoint, bias);
    if (rows == families::RotaryRows::HalfSplit) return linear.add(stored, stored_bias);
    if (stored_bias == nullptr) return linear.add(half_split_rows(stored, head_dim), nullptr);
    StoredTensor column =
        *stored_bias;  // [out] read as [out, 1], so that its elements move like the rows
    column.shape = {column.columns(), 1};
    StoredTensor moved = half_split_rows(column, head_dim);
    moved.shape = stored_bias->shape;
    linear.add(half_split_rows(stored, head_dim), &moved);
}

}  // namespace

void Model::embed(const std::int32_t* tokens, std::int64_t count, float* to) const {
    const kernels::Parallel serial;
    for (std::int64_t i = 0; i < count; ++i)
        kernels::cpu::decode_rows(embedding.weights().front(), tokens[i], tokens[i] + 1,
                                  to + i * config.d_model, serial);
}

std::shared_ptr<const Model> load_model(
    const Checkpoint& checkpoint, const families::ModelPlan& plan,
    const std::function<void(std::int64_t, std::int64_t)>& progress, std::stop_token stop) {
    auto model = std::make_shared<Model>();
    model->config = plan.config;
    const int head_dim = plan.config.head_dim;
    std::int64_t done = 0;
    const auto count = [&](std::int64_t bytes) {
        done += bytes;
        if (progress) progress(done, checkpoint.file_bytes);
        if (stop.stop_requested()) throw Cancelled{};
    };
    model->embedding.add(checkpoint.at(plan.embedding), nullptr);
    model->unembedding.add(checkpoint.at(plan.unembedding), nullptr);
    model->final_norm = vector_of(checkpoint, plan.final_norm);
    count(model->embedding.bytes() +
          (plan.embedding == plan.unembedding ? 0 : model->unembedding.bytes()));
    for (const families::LayerWeights& names : plan.layers) {
        DecoderLayer layer;
        layer.attention_norm = vector_of(checkpoint, names.attention_norm);
        layer.mlp_norm = vector_of(checkpoint, names.mlp_norm);
        layer.q_norm = vector_of(checkpoint, names.q_norm);
        layer.k_norm = vector_of(checkpoint, names.k_norm);
        add_rotary(layer.qkv, checkpoint, names.q, names.q_bias, plan.q_rows, head_dim);
        add_rotary(layer.qkv, checkpoint, names.k, names.k_bias, plan.k_rows, head_dim);
        layer.qkv.add(checkpoint.at(names.v), optional(checkpoint, names.v_bias));
        layer.o.add(checkpoint.at(names.o), optional(checkpoint, names.o_bias));
        layer.gate_up.add(checkpoint.at(names.gate), nullptr);
        layer.gate_up.add(checkpoint.at(names.up), nullptr);
        layer.down.add(checkpoint.at(names.down), nullptr);
        count(layer.qkv.bytes() + layer.o.bytes() + layer.gate_up.bytes() + layer.down.bytes());
        model->layers.push_back(std::move(layer));
    }
    model->weight_bytes = done;
    return model;
}

}  // namespace engine
