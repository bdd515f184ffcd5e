// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/decoder.h"

#include "engine/model/mlp.h"
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

void Decoder::forward(RunTrace& run, Rows rows, float* logits, std::stop_token stop,
                      const std::function<void(int)>& on_layer) {
    const ModelConfig& config = model_->config;
    const std::int64_t count = rows.count(), d_model = config.d_model;
    const std::int64_t q_columns = config.q_columns(),
                       qkv_columns = q_columns + 2 * config.kv_columns();
    grow(residual_, count * d_model);
    grow(normed_, count * d_model);
    grow(qkv_, count * qkv_columns);
    grow(z_, count * q_columns);
    grow(hidden_, mlp_scratch(count, config.d_ff));
    tokens_.clear();
    for (std::int64_t at = rows.begin; at < rows.end; ++at)
        tokens_.push_back(to_int(run.token(at)));
    model_->embed(tokens_.data(), count, residual_.data());
    rope_.fill(rows.begin, rows.end);

    for (int index = 0; index < config.layers; ++index) {
        if (stop.stop_requested()) throw Cancelled{};
        if (on_layer) on_layer(index);
        const DecoderLayer& layer = model_->layers[static_cast<std::size_t>(index)];

        kernels::cpu::rms_norm(residual_.data(), layer.attention_norm.data(), config.norm_eps,
                               normed_.data(), count, d_model, parallel_);
        layer.qkv.forward(normed_.data(), count, qkv_.data(), false, panel_, parallel_);

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
        attend.rule = score_rule(*model_, Layer{index});
        attend.begin = rows.begin;
        attend.end = rows.end;
        attend.z_out = z_.data();
        grow(attend_scratch_, kernels::cpu::attend_scratch(attend, parallel_.threads));
        attend.scratch = attend_scratch_.data();
        kernels::cpu::attend(attend, parallel_);
        layer.o.forward(z_.data(), count, residual_.data(), true, panel_, parallel_);

        kernels::cpu::rms_norm(residual_.data(), layer.mlp_norm.data(), config.norm_eps,
                               normed_.data(), count, d_model, parallel_);
        mlp(layer, normed_.data(), count, hidden_.data(), residual_.data(), true, panel_,
            parallel_);
    }

    for (std::int64_t i = 0; i < count; ++i)
        run.set_final_scale(rows.begin + i,
                            frozen_scale(residual_.data() + i * d_model, d_model, config.norm_eps));
    if (logits == nullptr) return;
    const float* newest = residual_.data() + (count - 1) * d_model;
    kernels::cpu::rms_norm(newest, model_->final_norm.data(), config.norm_eps, normed_.data(), 1,
                           d_model, parallel_);
    model_->unembedding.forward(normed_.data(), 1, logits, false, panel_, parallel_);
}

}  // namespace engine
