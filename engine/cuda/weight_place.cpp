// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/weight_place.h"

#include <algorithm>
#include <functional>

#include "kernels/cuda/elementwise.h"

namespace engine::cuda {

std::size_t SmallVectors::add(const float* values, std::int64_t count) {
    if (values == nullptr || count == 0) return none;
    const std::size_t at = values_.size();
    values_.insert(values_.end(), values, values + count);
    values_.resize((values_.size() + 63) / 64 * 64);
    return at;
}

DeviceBuffer SmallVectors::upload() const {
    const auto bytes = values_.size() * sizeof(float);
    DeviceBuffer to(static_cast<std::int64_t>(bytes));
    check(cudaMemcpy(to.data(), values_.data(), bytes, cudaMemcpyHostToDevice), "small weights");
    return to;
}

void shape_matrices(DeviceModel& model, bool tied_head) {
    const ModelConfig& config = model.config;
    const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
        return DeviceMatrix{nullptr, rows, columns, model.element};
    };
    model.embedding = matrix(config.vocab, config.d_model);
    model.unembedding = model.embedding;
    model.layers.resize(static_cast<std::size_t>(config.layers));
    for (DeviceLayer& layer : model.layers) {
        layer.qkv = matrix(config.q_columns() + 2 * config.kv_columns(), config.d_model);
        layer.o = matrix(config.d_model, config.q_columns());
        layer.gate_up = matrix(2 * std::int64_t{config.d_ff}, config.d_model);
        layer.down = matrix(config.d_model, config.d_ff);
    }
    Arena arena;
    for_each_matrix(model, [&](DeviceMatrix& each) { arena.place(each.bytes()); });
    const std::int64_t head = tied_head ? 0 : arena.place(model.unembedding.bytes());
    DeviceBuffer buffer(arena.bytes());
    Arena again;
    for_each_matrix(
        model, [&](DeviceMatrix& each) { each.data = buffer.data() + again.place(each.bytes()); });
    model.unembedding.data = tied_head ? model.embedding.data : buffer.data() + head;
    model.weight_bytes += arena.bytes();
    model.memory.push_back(std::move(buffer));
}

void for_each_matrix(DeviceModel& model, const std::function<void(DeviceMatrix&)>& visit) {
    visit(model.embedding);
    for (DeviceLayer& layer : model.layers)
        for (DeviceMatrix* each : {&layer.qkv, &layer.o, &layer.gate_up, &layer.down}) visit(*each);
}

void add_rotary_tables(DeviceModel& model) {
    struct Table {
        const Rope* rope;
        const float *cosines, *sines;
    };
    std::vector<Table> tables;
    for (std::size_t index = 0; index < model.layers.size(); ++index) {
        const LayerConfig& layer = model.config.per_layer[index];
        if (!layer.attention.rope) continue;
        const Rope& rope = layer.rope;
        const auto same = [&](const Table& known) {
            return known.rope->inverse_frequency == rope.inverse_frequency &&
                   known.rope->attention_factor == rope.attention_factor;
        };
        auto found = std::find_if(tables.begin(), tables.end(), same);
        if (found == tables.end()) {
            const auto count = static_cast<std::int64_t>(rope.inverse_frequency.size());
            const std::int64_t each = (model.config.context * count * 4 + 255) / 256 * 256;
            DeviceBuffer buffer(2 * each), frequencies(count * 8);
            check(cudaMemcpy(frequencies.data(), rope.inverse_frequency.data(),
                             static_cast<std::size_t>(count) * 8, cudaMemcpyHostToDevice),
                  "rotary frequencies");
            auto *cosines = buffer.as<float>(), *sines = buffer.as<float>(each);
            kernels::cuda::rope_table(frequencies.as<double>(), count, rope.attention_factor, 0,
                                      model.config.context, cosines, sines, nullptr);
            check(cudaDeviceSynchronize(), "rotary tables");
            tables.push_back({&rope, cosines, sines});
            found = tables.end() - 1;
            model.memory.push_back(std::move(buffer));
        }
        model.layers[index].cosines = found->cosines;
        model.layers[index].sines = found->sines;
        model.layers[index].rotary_dim = rope.rotary_dim;
    }
}

}  // namespace engine::cuda
