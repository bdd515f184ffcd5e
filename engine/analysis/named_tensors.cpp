// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/named_tensors.h"

#include <algorithm>
#include <functional>
#include <map>

#include "engine/analysis/head_writes.h"
#include "engine/analysis/tiles.h"
#include "engine/values/failure.h"
#include "kernels/contribution.h"
#include "kernels/elementwise.h"

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
    if (norms) {
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
    return head_contributions(*model_, layer, z.data(), rows.count(), parallel_);
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
        for (std::int64_t h = 0; h < heads; ++h) args.dot[h] *= run.final_scale()[args.begin];
    }
    return out;
}

NamedTensor NamedTensors::read(std::shared_ptr<const RunTrace> held, const TensorName& name,
                               Rows rows) {
    const RunTrace& run = *held;
    check_rows(run, rows);
    const ModelConfig& config = model_->config;
    const bool layered = name.kind != "logits" && name.kind != "embedding";
    if (layered && !name.layer)
        throw Error(Failure::Kind::BadRequest, "tensor \"" + name.kind + "\" needs a layer",
                    name.kind);
    if (name.layer) check_layer(*model_, *name.layer);
    if (name.target && (to_int(*name.target) < 0 || to_int(*name.target) >= config.vocab))
        throw Error(Failure::Kind::BadRequest, "target " + std::to_string(to_int(*name.target)) +
                                                   " is not in the vocabulary of " +
                                                   std::to_string(config.vocab));
    const std::lock_guard lock(mutex_);
    const std::int64_t count = rows.count(), heads = config.query_heads, d = config.head_dim;
    const int layer = name.layer ? to_int(*name.layer) : 0;
    const auto at = static_cast<std::size_t>(layer);
    const auto tensor = [&](std::vector<std::int64_t> shape, std::vector<float> values) {
        return NamedTensor{name.full(),
                           make_payload(DType::F32, std::move(shape), std::move(values))};
    };
    // [rows, n, D] of q, z (n = Hq) or k, v (n = Hkv), as the kernel got or gave them.
    const auto kept = [&](std::int64_t n, auto&& row_of) {
        std::vector<float> out;
        out.reserve(static_cast<std::size_t>(count * n * d));
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
            for (std::int32_t head = 0; head < n; ++head)
                out.insert(out.end(), row_of(row, head), row_of(row, head) + d);
        return tensor({count, n, d}, std::move(out));
    };
    const kernels::TraceView trace = run.view(Layer{layer});

    if (name.kind == "logits") return tensor({count, config.vocab}, streams(run, rows).logits);
    if (name.kind == "embedding")
        return tensor({count, config.d_model}, streams(run, rows).before.front());
    if (name.kind == "q") return kept(heads, [&](auto t, auto h) { return trace.q(t, h); });
    if (name.kind == "k")
        return kept(config.kv_heads, [&](auto t, auto h) { return trace.k(t, h); });
    if (name.kind == "v")
        return kept(config.kv_heads, [&](auto t, auto h) { return trace.v(t, h); });
    if (name.kind == "z") return kept(heads, [&](auto t, auto h) { return trace.z(t, h); });
    if (name.kind == "lse") {
        std::vector<float> out;
        for (std::int32_t head = 0; head < heads; ++head)
            for (std::int64_t row = rows.begin; row < rows.end; ++row)
                out.push_back(*trace.lse(row, head));
        return tensor({heads, count}, std::move(out));
    }
    if (name.kind == "qkv") {
        const DecoderLayer& weights = model_->layers[at];
        std::vector<float> normed = streams(run, rows).before[at];
        kernels::cpu::rms_norm(normed.data(), weights.attention_norm.data(), config.norm_eps,
                               normed.data(), count, config.d_model, parallel_);
        std::vector<float> out(static_cast<std::size_t>(count * weights.qkv.out()));
        PanelScratch panel;
        weights.qkv.forward(normed.data(), count, out.data(), false, panel, parallel_);
        return tensor({count, weights.qkv.out()}, std::move(out));
    }
    if (name.kind == "scores" || name.kind == "pattern")
        return tensor({heads, count, rows.end}, exact_rows(*model_, run, *name.layer, rows,
                                                           name.kind == "scores", parallel_));
    if (name.kind == "contribution")
        return tensor({count, heads, config.d_model}, contribution_rows(run, layer, rows, false));
    if (name.kind == "contribution_norm")
        return tensor({count, heads}, contribution_rows(run, layer, rows, true));
    if (name.kind == "logit_attribution")
        return tensor({count, heads}, attribution(run, name, rows));
    if (name.kind == "attention_out")
        return tensor({count, config.d_model}, streams(run, rows).attention_out[at]);
    if (name.kind == "mlp_out")
        return tensor({count, config.d_model}, streams(run, rows).mlp_out[at]);
    if (name.kind == "residual")
        return tensor({count, config.d_model}, streams(run, rows).after[at]);
    throw Error(Failure::Kind::BadRequest, "there is no tensor \"" + name.kind + "\"", {},
                "known: logits, embedding, q, k, v, qkv, scores, pattern, lse, z, contribution, "
                "contribution_norm, "
                "logit_attribution, attention_out, mlp_out, residual");
}

}  // namespace engine
