// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/reader_tensors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cuda/contribution.h"
#include "kernels/cuda/writes.h"

namespace engine::cuda {
namespace {

// Scratch for one piece of a tensor, and rows whose stream is computed again at once.
constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
constexpr std::int64_t replay_rows = 256;

std::size_t size(std::int64_t count) {
    return static_cast<std::size_t>(count);
}

}  // namespace

struct ReaderTensors::Streams {
    RunId run{};
    Rows rows;
    std::vector<float> embedding;                                   // [rows, d_model]
    std::vector<std::vector<float>> attention_out, mlp_out, after;  // [layers] of the same
    const std::vector<float>& before(int layer) const {
        return layer == 0 ? embedding : after[static_cast<std::size_t>(layer - 1)];
    }
};

ReaderTensors::ReaderTensors(std::shared_ptr<const DeviceModel> model, const HeadFactors& factors,
                             const ReaderTiles& tiles, const ReaderWrites& writes)
    : model_(std::move(model)), factors_(factors), tiles_(tiles), writes_(writes) {}

std::shared_ptr<const ReaderTensors::Streams> ReaderTensors::streams(ViewLane& lane,
                                                                     const DeviceRun& run,
                                                                     Rows rows) const {
    const std::lock_guard lock(mutex_);  // held while they are computed: who waits wants them too
    if (streams_ && streams_->run == run.id() && streams_->rows == rows) return streams_;
    const std::int64_t d_model = model_->config.d_model,
                       at_once = std::min(replay_rows, rows.count());
    const auto layers = static_cast<std::size_t>(model_->config.layers);
    auto fresh = std::make_shared<Streams>();
    fresh->run = run.id();
    fresh->rows = rows;
    fresh->embedding.resize(size(rows.count() * d_model));
    for (auto* of_layers : {&fresh->attention_out, &fresh->mlp_out, &fresh->after})
        of_layers->assign(layers, std::vector<float>(size(rows.count() * d_model)));
    DeviceReplay replay(*model_, lane, at_once);
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, rows.end);
        const auto keep = [&](std::vector<float>& to, const float* from) {
            lane.copy_out(to.data() + (begin - rows.begin) * d_model, 0, from,
                          (end - begin) * d_model * 4, 1);
        };
        replay.replay(run, {begin, end}, [&](const DeviceReplay::Writes& writes) {
            const auto at = static_cast<std::size_t>(writes.layer);
            if (writes.layer == 0) keep(fresh->embedding, writes.before);
            keep(fresh->attention_out[at], writes.attention_out);
            keep(fresh->mlp_out[at], writes.mlp_out);
            keep(fresh->after[at], writes.after);
        });
    }
    streams_ = std::move(fresh);
    return streams_;
}

std::vector<float> ReaderTensors::section(ViewLane& lane, const kernels::TraceView& trace,
                                          std::int64_t offset, std::int32_t heads, Rows rows) {
    const std::int64_t line = std::int64_t{heads} * trace.head_dim;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(piece_bytes / (line * 4), 1, rows.count());
    std::vector<float> out(size(rows.count() * line));
    auto* piece = lane.scratch().take<float>(at_once * line);
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, rows.end);
        kernels::cuda::gather_floats(trace, offset, 0, heads, begin, end, piece, lane.stream());
        lane.copy_out(out.data() + (begin - rows.begin) * line, 0, piece, (end - begin) * line * 4,
                      1);
    }
    return out;
}

std::vector<float> ReaderTensors::exact(ViewLane& lane, const DeviceRun& run, int layer, Rows rows,
                                        bool scores) const {
    const std::int64_t heads = model_->config.query_heads, row_bytes = rows.end * 4;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(piece_bytes / (heads * row_bytes), 1, rows.count());
    std::vector<float> out(size(heads * rows.count() * rows.end));
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, rows.end);
        // The src axis of every piece is that of the whole: [Hq, end − begin, rows.end].
        const float* piece =
            tiles_.exact_rows(lane, run, Layer{layer}, {begin, end}, rows.end, scores);
        lane.copy_out(out.data() + (begin - rows.begin) * rows.end, rows.count() * row_bytes, piece,
                      (end - begin) * row_bytes, heads);
        lane.clear_scratch();
    }
    return out;
}

std::vector<float> ReaderTensors::head_writes(ViewLane& lane, const DeviceRun& run, int layer,
                                              Rows rows) const {
    const std::int64_t line = std::int64_t{model_->config.query_heads} * model_->config.d_model;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(piece_bytes / (line * 4), 1, rows.count());
    std::vector<float> out(size(rows.count() * line));
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, rows.end);
        const float* piece = writes_.head_writes(lane, run, layer, {begin, end});
        lane.copy_out(out.data() + (begin - rows.begin) * line, 0, piece, (end - begin) * line * 4,
                      1);
        lane.clear_scratch();
    }
    return out;
}

std::vector<float> ReaderTensors::norms(ViewLane& lane, const DeviceRun& run, int layer,
                                        Rows rows) const {
    // A post-norm's weight is in R: the length before it is taken of the contributions themselves.
    if (model_->config.post_norm) return lengths(lane, run, layer, rows);
    kernels::ContributionArgs args;
    args.trace = run.view(Layer{layer});
    args.begin = rows.begin;
    args.end = rows.end;
    args.r = factors_.r(lane, layer);
    args.norm = lane.scratch().take<float>(rows.count() * args.trace.query_heads);
    kernels::cuda::contributions(args, lane.stream());
    return lane.download(args.norm, rows.count() * args.trace.query_heads);
}

std::vector<float> ReaderTensors::lengths(ViewLane& lane, const DeviceRun& run, int layer,
                                          Rows rows) const {
    const std::vector<float> writes = head_writes(lane, run, layer, rows);
    const std::int64_t d_model = model_->config.d_model;
    std::vector<float> out;
    for (auto at = writes.begin(); at != writes.end(); at += d_model)
        out.push_back(static_cast<float>(std::sqrt(std::inner_product(at, at + d_model, at, 0.0))));
    return out;
}

std::vector<float> ReaderTensors::attributions(ViewLane& lane, const DeviceRun& run,
                                               const TensorName& name, Rows rows) const {
    const ModelConfig& config = model_->config;
    const std::int64_t heads = config.query_heads, columns = config.q_columns();
    const int layer = to_int(*name.layer);
    kernels::ContributionArgs args;
    args.trace = run.view(*name.layer);
    auto* dots = lane.scratch().take<float>(rows.count() * heads);
    std::shared_ptr<const HeadFactors::Direction> direction;
    if (name.target) {
        direction = factors_.direction(lane, {*name.target, std::nullopt});
        args.begin = rows.begin;
        args.end = rows.end;
        args.p = direction->of_layer(layer, columns);
        args.dot = dots;
        kernels::cuda::contributions(args, lane.stream());
    } else {  // each row's own top token, as many directions at once as the kernel takes
        constexpr std::int64_t at_once = kernels::cuda::most_directions;
        const std::vector<float> all = logits(lane, run, rows);
        const auto projection = WrittenProjections(*model_, lane).of(layer);
        auto* u = lane.scratch().take<float>(at_once * config.d_model);
        auto* p = lane.scratch().take<float>(at_once * columns);
        auto* scratch = lane.scratch().take<std::byte>(
            kernels::cuda::turned_scratch(projection, static_cast<int>(at_once)));
        for (std::int64_t first = 0; first < rows.count(); first += at_once) {
            const std::int64_t count = std::min(at_once, rows.count() - first);
            for (std::int64_t i = 0; i < count; ++i) {
                const auto row = all.begin() + (first + i) * config.vocab;
                const auto top = std::max_element(row, row + config.vocab) - row;
                target_direction(*model_, {TokenId{static_cast<std::int32_t>(top)}, {}},
                                 u + i * config.d_model, lane.stream());
            }
            kernels::cuda::turned_products(projection, u, static_cast<int>(count), p, scratch,
                                           lane.stream());
            for (std::int64_t i = 0; i < count; ++i) {
                args.begin = rows.begin + first + i;
                args.end = args.begin + 1;
                args.p = p + i * columns;
                args.dot = dots + (first + i) * heads;
                kernels::cuda::contributions(args, lane.stream());
            }
        }
    }
    std::vector<float> out = lane.download(dots, rows.count() * heads);
    std::vector<float> scales = lane.download(run.final_scale() + rows.begin, rows.count());
    if (const float* through = run.attention_scales(*name.layer)) {
        const std::vector<float> factors = lane.download(through + rows.begin, rows.count());
        for (std::size_t i = 0; i < scales.size(); ++i) scales[i] *= factors[i];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= scales[i / size(heads)];
    return out;
}

std::vector<float> ReaderTensors::logits(ViewLane& lane, const DeviceRun& run, Rows rows) const {
    const auto held = streams(lane, run, rows);
    const std::int64_t d_model = model_->config.d_model, vocab = model_->config.vocab,
                       at_once = std::min<std::int64_t>(64, rows.count());
    std::vector<float> out(size(rows.count() * vocab));
    DeviceReplay replay(*model_, lane, at_once);
    auto* residual = lane.scratch().take<float>(at_once * d_model);
    for (std::int64_t first = 0; first < rows.count(); first += at_once) {
        const std::int64_t count = std::min(at_once, rows.count() - first);
        lane.copy_in(residual, held->after.back().data() + first * d_model, count * d_model * 4);
        lane.copy_out(out.data() + first * vocab, 0, replay.logits(residual, count),
                      count * vocab * 4, 1);
    }
    return out;
}

std::vector<float> ReaderTensors::qkv(ViewLane& lane, const DeviceRun& run, int layer,
                                      Rows rows) const {
    const auto held = streams(lane, run, rows);
    const std::int64_t d_model = model_->config.d_model,
                       columns = model_->config.q_columns() + 2 * model_->config.kv_columns(),
                       at_once = std::min(replay_rows, rows.count());
    std::vector<float> out(size(rows.count() * columns));
    DeviceReplay replay(*model_, lane, at_once);
    auto* before = lane.scratch().take<float>(at_once * d_model);
    for (std::int64_t first = 0; first < rows.count(); first += at_once) {
        const std::int64_t count = std::min(at_once, rows.count() - first);
        lane.copy_in(before, held->before(layer).data() + first * d_model, count * d_model * 4);
        lane.copy_out(out.data() + first * columns, 0, replay.qkv(layer, before, count),
                      count * columns * 4, 1);
    }
    return out;
}

NamedTensor ReaderTensors::read(ViewLane& lane, const DeviceRun& run, const TensorName& name,
                                Rows rows) const {
    const TensorPlan plan = plan_tensor(model_->config, run.rows(), name, rows);
    return {name.full(), make_payload(DType::F32, plan.shape, values(lane, run, name, plan, rows))};
}

std::vector<float> ReaderTensors::values(ViewLane& lane, const DeviceRun& run,
                                         const TensorName& name, const TensorPlan& plan,
                                         Rows rows) const {
    const int layer = plan.layer;
    const auto at = static_cast<std::size_t>(layer);
    const kernels::TraceView trace = run.view(Layer{layer});
    switch (plan.kind) {
        case TensorKind::Logits: return logits(lane, run, rows);
        case TensorKind::Embedding: return streams(lane, run, rows)->embedding;
        case TensorKind::Q: return section(lane, trace, trace.q_offset, trace.query_heads, rows);
        case TensorKind::K: return section(lane, trace, trace.k_offset, trace.kv_heads, rows);
        case TensorKind::V: return section(lane, trace, trace.v_offset, trace.kv_heads, rows);
        case TensorKind::Z: return section(lane, trace, trace.z_offset, trace.query_heads, rows);
        case TensorKind::Lse: {
            const std::int64_t count = rows.count() * trace.query_heads;
            auto* lse = lane.scratch().take<float>(count);
            kernels::cuda::gather_lse(trace, rows.begin, rows.end, lse, lane.stream());
            return lane.download(lse, count);
        }
        case TensorKind::Qkv: return qkv(lane, run, layer, rows);
        case TensorKind::Scores:
        case TensorKind::Pattern:
            return exact(lane, run, layer, rows, plan.kind == TensorKind::Scores);
        case TensorKind::Contribution: return head_writes(lane, run, layer, rows);
        case TensorKind::ContributionNorm: return norms(lane, run, layer, rows);
        case TensorKind::LogitAttribution: return attributions(lane, run, name, rows);
        case TensorKind::AttentionOut: return streams(lane, run, rows)->attention_out[at];
        case TensorKind::MlpOut: return streams(lane, run, rows)->mlp_out[at];
        case TensorKind::Residual: return streams(lane, run, rows)->after[at];
    }
    return {};
}

}  // namespace engine::cuda
