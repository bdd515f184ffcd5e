// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/decoder.h"

#include "engine/model/blocks.h"
#include "engine/model/mlp.h"
#include "engine/model/norms.h"
#include "engine/model/score_rule.h"
#include "engine/values/failure.h"
#include "kernels/attention.h"
#include "kernels/elementwise.h"

namespace engine {
namespace {

void grow(std::vector<float>& buffer, std::int64_t floats) {
    if (static_cast<std::int64_t>(buffer.size()) < floats)
        buffer.resize(static_cast<std::size_t>(floats));
}

}  // namespace

Decoder::Decoder(std::shared_ptr<const Model> model, kernels::Parallel parallel)
    : model_(std::move(model)), parallel_(parallel), rope_(model_->config) {}

void Decoder::attend(RunTrace& run, Rows rows, int index, const float* input) {
    const ModelConfig& config = model_->config;
    const DecoderLayer& layer = model_->layers[static_cast<std::size_t>(index)];
    layer.qkv.forward(input, rows.count(), qkv_.data(), false, panel_, parallel_);
    norm_whole_projections(config, layer, qkv_.data(), rows.count(), parallel_);

    const RopeTable::Layer rope = rope_.layer(index);
    kernels::AppendArgs append;
    append.trace = run.view(Layer{index});
    append.begin = rows.begin;
    append.end = rows.end;
    append.qkv = qkv_.data();
    append.q_norm = layer.q_norm.empty() ? nullptr : layer.q_norm.data();
    append.k_norm = layer.k_norm.empty() ? nullptr : layer.k_norm.data();
    append.norm_eps = config.norm_eps;
    append.cosines = rope.cosines;
    append.sines = rope.sines;
    append.rotary_dim = rope.rotary_dim;
    kernels::cpu::append(append, parallel_);

    kernels::AttendArgs attend;
    attend.trace = append.trace;
    attend.rule = score_rule(*model_, run, Layer{index});
    attend.begin = rows.begin;
    attend.end = rows.end;
    attend.z_out = z_.data();
    grow(attend_scratch_, kernels::cpu::attend_scratch(attend, parallel_.threads));
    attend.scratch = attend_scratch_.data();
    kernels::cpu::attend(attend, parallel_);
    run.edits().apply(append.trace, Layer{index}, rows, z_.data());
}

void Decoder::write(const std::function<void(float*, bool)>& block,
                    const std::vector<float>& post_norm, std::int64_t rows, float* scales) {
    if (!model_->config.post_norm) return block(residual_.data(), true);
    const std::int64_t size = rows * model_->config.d_model;
    grow(out_, size);
    block(out_.data(), false);
    apply_post_norm(model_->config, post_norm, out_.data(), rows, scales, parallel_);
    kernels::cpu::add(residual_.data(), out_.data(), size, parallel_);
}

void Decoder::forward(RunTrace& run, Rows rows, float* logits, std::stop_token stop,
                      const std::function<void(int)>& on_layer) {
    const ModelConfig& config = model_->config;
    const std::int64_t count = rows.count(), d_model = config.d_model;
    const std::int64_t q_columns = config.q_columns();
    grow(residual_, count * d_model);
    grow(normed_, count * d_model);
    grow(qkv_, count * (q_columns + 2 * config.kv_columns()));
    grow(z_, count * q_columns);
    grow(hidden_, mlp_scratch(config, count));
    tokens_.clear();
    for (std::int64_t at = rows.begin; at < rows.end; ++at)
        tokens_.push_back(to_int(run.token(at)));
    model_->embed(tokens_.data(), rows.begin, count, residual_.data());
    rope_.fill(rows.begin, rows.end, config.long_frequencies(run.prompt_length()));

    float* stream = residual_.data();
    for (int index = 0; index < config.layers; ++index) {
        if (stop.stop_requested()) throw Cancelled{};
        if (on_layer) on_layer(index);
        const DecoderLayer& layer = model_->layers[static_cast<std::size_t>(index)];
        attend(run, rows, index,
               attention_input(config, layer, stream, normed_.data(), count, parallel_));
        // Side by side, the MLP reads the stream before attention adds to it.
        const float* input = nullptr;
        const auto read = [&] {
            input = mlp_input(config, layer, stream, normed_.data(), count, parallel_);
        };
        if (config.parallel_residual) read();
        float* scales = run.attention_scales(Layer{index});
        write(
            [&](float* to, bool accumulate) {
                layer.o.forward(z_.data(), count, to, accumulate, panel_, parallel_);
            },
            layer.attention_post_norm, count, scales == nullptr ? nullptr : scales + rows.begin);
        if (!config.parallel_residual) read();
        write(
            [&](float* to, bool accumulate) {
                mlp(config, layer, input, count, hidden_.data(), to, accumulate, panel_, parallel_);
            },
            layer.mlp_post_norm, count, nullptr);
    }

    for (std::int64_t i = 0; i < count; ++i)
        run.set_final_scale(rows.begin + i, frozen_scale(config, stream + i * d_model));
    if (logits != nullptr)
        logits_of(*model_, stream + (count - 1) * d_model, 1, true, normed_.data(), logits, panel_,
                  parallel_);
}

}  // namespace engine
