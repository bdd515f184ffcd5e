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
    const auto mlp = [&](std::int64_t d_ff) {
        return DeviceMlp{matrix((config.gated_mlp ? 2 : 1) * d_ff, config.d_model),
                         matrix(config.d_model, d_ff)};
    };
    model.embedding = matrix(config.vocab, config.d_model);
    model.unembedding = model.embedding;
    if (config.learned_positions) model.positions = matrix(config.context, config.d_model);
    model.layers.resize(static_cast<std::size_t>(config.layers));
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        DeviceLayer& layer = model.layers[i];
        layer.qkv = matrix(config.q_columns() + 2 * config.kv_columns(), config.d_model);
        layer.o = matrix(config.d_model, config.q_columns());
        if (!config.per_layer[i].experts) {
            layer.mlp = mlp(config.d_ff);
            continue;
        }
        layer.router = matrix(config.experts.count, config.d_model);
        layer.experts.assign(static_cast<std::size_t>(config.experts.count),
                             mlp(config.experts.d_ff));
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
    const auto there = [&](DeviceMatrix& each) {
        if (each.rows > 0) visit(each);
    };
    there(model.embedding);
    there(model.positions);
    for (DeviceLayer& layer : model.layers) {
        for (DeviceMatrix* each :
             {&layer.qkv, &layer.o, &layer.mlp.gate_up, &layer.mlp.down, &layer.router})
            there(*each);
        for (DeviceMlp& expert : layer.experts) {
            there(expert.gate_up);
            there(expert.down);
        }
    }
}

namespace {

// The tables of distinct frequencies.
class RotaryTables {
  public:
    explicit RotaryTables(DeviceModel& model) : model_(model) {}

    RotaryTable of(const std::vector<double>& frequencies, double factor) {
        const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& known) {
            return *known.frequencies == frequencies && known.factor == factor;
        });
        if (found != made_.end()) return found->table;
        const auto count = static_cast<std::int64_t>(frequencies.size());
        const std::int64_t each = (model_.config.context * count * 4 + 255) / 256 * 256;
        DeviceBuffer buffer(2 * each), on_device(count * 8);
        check(cudaMemcpy(on_device.data(), frequencies.data(), static_cast<std::size_t>(count) * 8,
                         cudaMemcpyHostToDevice),
              "rotary frequencies");
        auto *cosines = buffer.as<float>(), *sines = buffer.as<float>(each);
        kernels::cuda::rope_table(on_device.as<double>(), count, factor, 0, model_.config.context,
                                  cosines, sines, nullptr);
        check(cudaDeviceSynchronize(), "rotary tables");
        model_.memory.push_back(std::move(buffer));
        made_.push_back({&frequencies, factor, {cosines, sines}});
        return made_.back().table;
    }

  private:
    struct Made {
        const std::vector<double>* frequencies;
        double factor;
        RotaryTable table;
    };
    DeviceModel& model_;
    std::vector<Made> made_;
};

}  // namespace

void add_rotary_tables(DeviceModel& model) {
    RotaryTables tables(model);
    for (std::size_t index = 0; index < model.layers.size(); ++index) {
        const LayerConfig& layer = model.config.per_layer[index];
        const Rope& rope = layer.rope;
        if (!layer.attention.rope || rope.rotary_dim == 0) continue;
        DeviceLayer& to = model.layers[index];
        to.rotary = to.long_rotary = tables.of(rope.inverse_frequency, rope.attention_factor);
        if (!rope.long_inverse_frequency.empty())
            to.long_rotary = tables.of(rope.long_inverse_frequency, rope.attention_factor);
        to.rotary_dim = rope.rotary_dim;
    }
}

}  // namespace engine::cuda
