// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/residual_replay.h"

#include <algorithm>

#include "engine/model/blocks.h"
#include "engine/model/mlp.h"
#include "kernels/elementwise.h"

namespace engine {

void gather_z(const kernels::TraceView& trace, Rows rows, float* to) {
    for (std::int64_t at = rows.begin; at < rows.end; ++at)
        for (int head = 0; head < trace.query_heads; ++head, to += trace.head_dim)
            std::copy_n(trace.z(at, head), trace.head_dim, to);
}

ResidualReplay::ResidualReplay(std::shared_ptr<const Model> model, kernels::Parallel parallel)
    : model_(std::move(model)), parallel_(parallel) {}

const float* ResidualReplay::replay(const RunTrace& run, Rows rows,
                                    const std::function<void(const Writes&)>& visit) {
    const ModelConfig& config = model_->config;
    const std::int64_t count = rows.count(), size = count * config.d_model;
    for (std::vector<float>* buffer : {&before_, &after_, &attention_, &mlp_, &normed_})
        buffer->resize(static_cast<std::size_t>(size));
    z_.resize(static_cast<std::size_t>(count * config.q_columns()));
    hidden_.resize(static_cast<std::size_t>(mlp_scratch(config, count)));
    tokens_.clear();
    for (std::int64_t at = rows.begin; at < rows.end; ++at)
        tokens_.push_back(to_int(run.token(at)));
    model_->embed(tokens_.data(), rows.begin, count, after_.data());
    // What a block put out to what the stream gets of it.
    const auto written = [&](const std::vector<float>& out, const std::vector<float>& post_norm,
                             std::vector<float>& write) -> const float* {
        if (!config.post_norm) return out.data();
        write = out;
        apply_post_norm(config, post_norm, write.data(), count, nullptr, parallel_);
        return write.data();
    };

    for (int index = 0; index < config.layers; ++index) {
        const DecoderLayer& layer = model_->layers[static_cast<std::size_t>(index)];
        before_.swap(after_);
        gather_z(run.view(Layer{index}), rows, z_.data());
        layer.o.forward(z_.data(), count, attention_.data(), false, panel_, parallel_);
        const float* attention = written(attention_, layer.attention_post_norm, attention_write_);
        std::copy_n(before_.data(), size, after_.data());
        kernels::cpu::add(after_.data(), attention, size, parallel_);
        const float* stream = config.parallel_residual ? before_.data() : after_.data();
        const float* input = mlp_input(config, layer, stream, normed_.data(), count, parallel_);
        mlp(config, layer, input, count, hidden_.data(), mlp_.data(), false, panel_, parallel_);
        const float* fed = written(mlp_, layer.mlp_post_norm, mlp_write_);
        kernels::cpu::add(after_.data(), fed, size, parallel_);
        if (visit)
            visit({index, before_.data(), attention_.data(), mlp_.data(), attention, fed,
                   after_.data()});
    }
    return after_.data();
}

void ResidualReplay::logits(const float* residual, std::int64_t rows, float* to, bool capped) {
    normed_.resize(static_cast<std::size_t>(rows * model_->config.d_model));
    engine::logits_of(*model_, residual, rows, capped, normed_.data(), to, panel_, parallel_);
}

std::vector<float> ResidualReplay::logits_of(const RunTrace& run, std::int64_t position) {
    std::vector<float> out(static_cast<std::size_t>(model_->config.vocab));
    logits(replay(run, {position, position + 1}, {}), 1, out.data());
    return out;
}

}  // namespace engine
