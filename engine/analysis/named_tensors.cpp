// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/named_tensors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/analysis/head_writes.h"
#include "engine/analysis/tiles.h"
#include "engine/model/blocks.h"
#include "kernels/contribution.h"

namespace engine {

struct NamedTensors::Streams {
    RunId run{};
    Rows rows;
    std::vector<std::vector<float>> before, attention_out, mlp_out,
        after;                  // [layers] of [rows, d_model]
    std::vector<float> logits;  // [rows, vocab], when asked for
};

NamedTensors::NamedTensors(std::shared_ptr<const Model> model,
                           std::shared_ptr<const HeadProjections> projections,
                           kernels::Parallel parallel)
    : model_(std::move(model)),
      projections_(std::move(projections)),
      parallel_(parallel),
      replay_(model_, parallel) {}

const NamedTensors::Streams& NamedTensors::streams(const RunTrace& run, Rows rows) {
    if (streams_ && streams_->run == run.id() && streams_->rows == rows) return *streams_;
    auto fresh = std::make_shared<Streams>();
    fresh->run = run.id();
    fresh->rows = rows;
    const std::int64_t size = rows.count() * model_->config.d_model;
    const float* last = replay_.replay(run, rows, [&](const ResidualReplay::Writes& writes) {
        fresh->before.emplace_back(writes.before, writes.before + size);
        fresh->attention_out.emplace_back(writes.attention_out, writes.attention_out + size);
        fresh->mlp_out.emplace_back(writes.mlp_out, writes.mlp_out + size);
        fresh->after.emplace_back(writes.after, writes.after + size);
    });
    fresh->logits.resize(static_cast<std::size_t>(rows.count() * model_->config.vocab));
    replay_.logits(last, rows.count(), fresh->logits.data());
    streams_ = std::move(fresh);
    return *streams_;
}

std::vector<float> NamedTensors::contribution_rows(const RunTrace& run, int layer, Rows rows,
                                                   bool norms) {
    // A post-norm's weight is in R: the length before it is taken of the contributions themselves.
    if (norms && !model_->config.post_norm) {
        const Floats r = projections_->r(layer);
        std::vector<float> out(static_cast<std::size_t>(rows.count() * model_->config.query_heads));
        kernels::ContributionArgs args;
        args.trace = run.view(Layer{layer});
        args.begin = rows.begin;
        args.end = rows.end;
        args.r = r->data();
        args.norm = out.data();
        kernels::cpu::contributions(args, parallel_);
        return out;
    }
    std::vector<float> z(static_cast<std::size_t>(rows.count() * model_->config.q_columns()));
    gather_z(run.view(Layer{layer}), rows, z.data());
    std::vector<float> parts =
        head_contributions(*model_, layer, z.data(), rows.count(), parallel_);
    if (!norms) return parts;
    const auto d_model = static_cast<std::size_t>(model_->config.d_model);
    std::vector<float> lengths;
    for (std::size_t at = 0; at < parts.size(); at += d_model) {
        const float* part = parts.data() + at;
        lengths.push_back(
            static_cast<float>(std::sqrt(std::inner_product(part, part + d_model, part, 0.0))));
    }
    return lengths;
}

std::vector<float> NamedTensors::attribution(const RunTrace& run, const TensorName& name,
                                             Rows rows) {
    const int layer = to_int(*name.layer);
    const std::int64_t heads = model_->config.query_heads, vocab = model_->config.vocab;
    std::vector<float> out(static_cast<std::size_t>(rows.count() * heads));
    for (std::int64_t i = 0; i < rows.count(); ++i) {
        Target target{};
        if (name.target) {
            target.token = *name.target;
        } else {
            const float* logits = streams(run, rows).logits.data() + i * vocab;
            target.token = TokenId{
                static_cast<std::int32_t>(std::max_element(logits, logits + vocab) - logits)};
        }
        const Floats p = projections_->p(layer, target);
        kernels::ContributionArgs args;
        args.trace = run.view(*name.layer);
        args.begin = rows.begin + i;
        args.end = args.begin + 1;
        args.p = p->data();
        args.dot = out.data() + i * heads;
        kernels::cpu::contributions(args, parallel_);
        const float* scales = run.attention_scales(*name.layer);
        const float scale =
            run.final_scale()[args.begin] * (scales != nullptr ? scales[args.begin] : 1);
        for (std::int64_t h = 0; h < heads; ++h) args.dot[h] *= scale;
    }
    return out;
}

std::vector<float> NamedTensors::qkv(const RunTrace& run, int layer, Rows rows) {
    const DecoderLayer& weights = model_->layers[static_cast<std::size_t>(layer)];
    const std::int64_t count = rows.count();
    std::vector<float> normed = streams(run, rows).before[static_cast<std::size_t>(layer)];
    attention_input(model_->config, weights, normed.data(), normed.data(), count, parallel_);
    std::vector<float> out(static_cast<std::size_t>(count * weights.qkv.out()));
    PanelScratch panel;
    weights.qkv.forward(normed.data(), count, out.data(), false, panel, parallel_);
    return out;
}

NamedTensor NamedTensors::read(std::shared_ptr<const RunTrace> held, const TensorName& name,
                               Rows rows) {
    const RunTrace& run = *held;
    const TensorPlan plan = plan_tensor(model_->config, run.rows(), name, rows);
    const std::lock_guard lock(mutex_);
    return {name.full(), make_payload(DType::F32, plan.shape, values(run, name, plan, rows))};
}

std::vector<float> NamedTensors::values(const RunTrace& run, const TensorName& name,
                                        const TensorPlan& plan, Rows rows) {
    const int layer = plan.layer;
    const auto at = static_cast<std::size_t>(layer);
    const kernels::TraceView trace = run.view(Layer{layer});
    // [rows, n, D], as the kernel got or gave them.
    const auto kept = [&](auto&& row_of) {
        const auto n = static_cast<std::int32_t>(plan.shape[1]);
        std::vector<float> out;
        out.reserve(static_cast<std::size_t>(rows.count() * n * trace.head_dim));
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
            for (std::int32_t head = 0; head < n; ++head)
                out.insert(out.end(), row_of(row, head), row_of(row, head) + trace.head_dim);
        return out;
    };
    switch (plan.kind) {
        case TensorKind::Logits: return streams(run, rows).logits;
        case TensorKind::Embedding: return streams(run, rows).before.front();
        case TensorKind::Q: return kept([&](auto t, auto h) { return trace.q(t, h); });
        case TensorKind::K: return kept([&](auto t, auto h) { return trace.k(t, h); });
        case TensorKind::V: return kept([&](auto t, auto h) { return trace.v(t, h); });
        case TensorKind::Z: return kept([&](auto t, auto h) { return trace.z(t, h); });
        case TensorKind::Lse: {
            std::vector<float> out;
            for (std::int32_t head = 0; head < trace.query_heads; ++head)
                for (std::int64_t row = rows.begin; row < rows.end; ++row)
                    out.push_back(*trace.lse(row, head));
            return out;
        }
        case TensorKind::Qkv: return qkv(run, layer, rows);
        case TensorKind::Scores:
        case TensorKind::Pattern:
            return exact_rows(*model_, run, Layer{layer}, rows, plan.kind == TensorKind::Scores,
                              parallel_);
        case TensorKind::Contribution: return contribution_rows(run, layer, rows, false);
        case TensorKind::ContributionNorm: return contribution_rows(run, layer, rows, true);
        case TensorKind::LogitAttribution: return attribution(run, name, rows);
        case TensorKind::AttentionOut: return streams(run, rows).attention_out[at];
        case TensorKind::MlpOut: return streams(run, rows).mlp_out[at];
        case TensorKind::Residual: return streams(run, rows).after[at];
    }
    return {};
}

}  // namespace engine
