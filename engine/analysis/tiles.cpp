// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/tiles.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "engine/model/score_rule.h"
#include "engine/values/failure.h"
#include "kernels/contribution.h"
#include "kernels/pattern.h"

namespace engine {
namespace {

// What a row's cells are multiplied by beside their column weight: what the run's edits leave of
// the head there, and the scales of the norms that it goes through, frozen at dest. Empty: nothing.
std::vector<float> row_weight(const RunTrace& run, LayerHead head, bool attribution) {
    const float* through = run.attention_scales(head.layer);
    const bool edited = run.edits().change(head);
    if (!attribution && through == nullptr && !edited) return {};
    const std::int64_t rows = run.rows();
    std::vector<float> weight(static_cast<std::size_t>(rows), 1.0f);
    for (std::int64_t i = 0; i < rows; ++i) {
        float& at = weight[static_cast<std::size_t>(i)];
        if (attribution) at = run.final_scale()[i];
        if (through != nullptr) at *= through[i];
        if (!edited) continue;
        const float left = run.edits().left_of(head, i);
        at *= attribution ? left : std::abs(left);  // a length has no sign
    }
    return weight;
}

// ‖v[src] · W_O_h‖ or v[src] · p_h for the tile's sources that have a row; 0 past them.
std::vector<float> column_weight(const HeadProjections& projections, const RunTrace& run,
                                 LayerHead at, const TileRequest& request, Rows src,
                                 const kernels::Parallel& parallel) {
    std::vector<float> weight(static_cast<std::size_t>(src.count()), 0.0f);
    kernels::ColumnWeightArgs args;
    args.trace = run.view(at.layer);
    args.head = to_int(at.head);
    args.begin = src.begin;
    args.end = std::min(src.end, run.rows());
    args.out = weight.data();
    if (args.end <= args.begin) return weight;
    const std::int64_t d = args.trace.head_dim;
    Floats factor;
    if (request.quantity == Quantity::Value) {
        factor = projections.r(to_int(at.layer));
        args.r = factor->data() + args.head * d * d;
    } else {
        factor = projections.p(to_int(at.layer), {request.target, request.distractor});
        args.p = factor->data() + args.head * d;
    }
    kernels::cpu::column_weights(args, parallel);
    return weight;
}

// What each row of the tile has on other sources than the first, as the weight that makes it 1.
std::vector<float> row_weight_without_first(const kernels::TileHead& of, Rows dest,
                                            const bool* stop, const kernels::Parallel& parallel) {
    std::vector<float> weight(static_cast<std::size_t>(of.rows), 0.0f);
    const std::int64_t end = std::min(dest.end, of.rows);
    if (dest.begin >= end || end <= 1) return weight;
    std::vector<std::int64_t> rows(static_cast<std::size_t>(end - dest.begin + 1));
    std::iota(rows.begin(), rows.end(), dest.begin);
    const std::int64_t sources[] = {1, end};
    kernels::TileHead head = of;
    head.column_weight = head.row_weight = nullptr;
    head.minus_trace = nullptr;
    head.out = weight.data() + dest.begin;
    head.out_u8 = nullptr;
    kernels::TileArgs args;
    args.heads = &head;
    args.head_count = 1;
    args.dest = {rows.data(), end - dest.begin};
    args.src = {sources, 1};
    args.pooling = kernels::TilePooling::Sum;
    args.stop = stop;
    kernels::cpu::tile(args, parallel);
    invert_row_sums(weight);
    return weight;
}

}  // namespace

Tile rebuild_tile(const Model& model, const HeadProjections& projections, const RunTable& table,
                  const TileRequest& request, std::stop_token stop,
                  const kernels::Parallel& parallel) {
    const auto started = std::chrono::steady_clock::now();
    const std::shared_ptr<const RunTrace> run = table.at(request.run);
    const std::shared_ptr<const RunTrace> minus =
        request.minus ? table.at(*request.minus) : nullptr;
    const TilePlan plan = plan_tile(model.config, request);

    Tile tile;
    tile.request = request;
    tile.rows_ready = run->rows();
    const std::int64_t pixels = plan.pixels();
    const std::int64_t count = static_cast<std::int64_t>(request.heads.size());
    const bool bytes = request.format == PixelFormat::U8;
    std::vector<float> floats(static_cast<std::size_t>(bytes ? 0 : pixels * count));
    std::vector<std::uint8_t> table8(static_cast<std::size_t>(bytes ? pixels * count : 0));

    std::vector<kernels::TileHead> heads(request.heads.size());
    std::vector<std::vector<float>> weights;  // stays put: reserved for both runs of every head
    std::vector<kernels::TraceView> minus_views(request.heads.size());
    weights.reserve(4 * request.heads.size());
    bool stopped = false;  // the kernel polls it as an atomic byte
    const std::stop_callback on_stop(stop,
                                     [&] { __atomic_store_n(&stopped, true, __ATOMIC_RELAXED); });
    const std::vector<float> later_columns =
        plan.renormalized ? columns_without_first(plan.sources()) : std::vector<float>();
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const LayerHead at = request.heads[i];
        kernels::TileHead& head = heads[i];
        head.trace = run->view(at.layer);
        head.rule = score_rule(model, *run, at.layer);
        head.head = to_int(at.head);
        head.rows = tile.rows_ready;
        const auto weigh = [&](const RunTrace& of) {
            weights.push_back(
                column_weight(projections, of, at, request, plan.sources(), parallel));
            return weights.back().data();
        };
        const auto weigh_rows = [&](const RunTrace& of) -> const float* {
            std::vector<float> rows = row_weight(of, at, plan.attribution);
            if (rows.empty()) return nullptr;
            weights.push_back(std::move(rows));
            return weights.back().data();
        };
        if (plan.weighted) head.column_weight = weigh(*run);
        if (plan.weighted) head.row_weight = weigh_rows(*run);
        if (minus) {
            minus_views[i] = minus->view(at.layer);
            head.minus_trace = &minus_views[i];
            head.minus_rows = minus->rows();
            head.minus_forbidden = minus->forbidden(at.layer);
            if (plan.weighted) head.minus_column_weight = weigh(*minus);
            if (plan.weighted) head.minus_row_weight = weigh_rows(*minus);
        }
        if (plan.renormalized) {
            const auto rest_of = [&](const kernels::TraceView& trace, std::int64_t rows,
                                     const kernels::ForbiddenEdges& forbidden) {
                kernels::TileHead one = head;
                one.trace = trace;
                one.rows = rows;
                one.rule.forbidden = forbidden;
                weights.push_back(row_weight_without_first(
                    one, {plan.dest.front(), plan.dest.back()}, &stopped, parallel));
                return weights.back().data();
            };
            head.column_weight = later_columns.data();
            head.row_weight = rest_of(head.trace, head.rows, head.rule.forbidden);
            if (minus) {
                head.minus_column_weight = later_columns.data();
                head.minus_row_weight =
                    rest_of(minus_views[i], head.minus_rows, head.minus_forbidden);
            }
        }
        const std::size_t offset = i * static_cast<std::size_t>(pixels);
        head.out = bytes ? nullptr : floats.data() + offset;
        head.out_u8 = bytes ? table8.data() + offset : nullptr;
        if (stop.stop_requested()) throw Cancelled{};
    }

    kernels::TileArgs args;
    args.heads = heads.data();
    args.head_count = count;
    args.dest = {plan.dest.data(), plan.dest_pixels()};
    args.src = {plan.src.data(), plan.src_pixels()};
    args.raw = plan.raw;
    args.pooling = plan.pooling;
    args.signed_max = plan.signed_max;
    args.span_mean = plan.span_mean;
    args.low = request.range.low;
    args.high = request.range.high;
    args.transfer = plan.transfer;
    args.stop = &stopped;
    kernels::cpu::tile(args, parallel);
    if (stop.stop_requested()) throw Cancelled{};

    const std::vector<std::int64_t> shape{count, args.dest.pixels, args.src.pixels};
    tile.data = bytes ? make_payload(DType::U8, shape, std::move(table8))
                      : make_payload(DType::F32, shape, std::move(floats));
    tile.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return tile;
}

std::vector<float> exact_rows(const Model& model, const RunTrace& run, Layer layer, Rows rows,
                              bool scores, const kernels::Parallel& parallel) {
    check_layer(model.config, layer);
    check_rows(run.rows(), rows);
    std::vector<std::int64_t> edges(static_cast<std::size_t>(rows.end + 1));
    std::iota(edges.begin(), edges.end(), 0);
    const int query_heads = model.config.query_heads;
    std::vector<float> out(static_cast<std::size_t>(query_heads * rows.count() * rows.end));
    std::vector<kernels::TileHead> heads(static_cast<std::size_t>(query_heads));
    for (int h = 0; h < query_heads; ++h) {
        kernels::TileHead& head = heads[static_cast<std::size_t>(h)];
        head.trace = run.view(layer);
        head.rule = score_rule(model, run, layer);
        head.head = h;
        head.rows = run.rows();
        head.out = out.data() + h * rows.count() * rows.end;
    }
    kernels::TileArgs args;
    args.heads = heads.data();
    args.head_count = query_heads;
    args.dest = {edges.data() + rows.begin, rows.count()};
    args.src = {edges.data(), rows.end};
    args.raw = scores;
    args.pooling = kernels::TilePooling::None;
    kernels::cpu::tile(args, parallel);
    return out;
}

std::vector<float> exact_row(const Model& model, const RunTrace& run, LayerHead at,
                             std::int64_t dest, Rows src, bool scores,
                             const kernels::Parallel& parallel) {
    const std::int64_t row[] = {dest, dest + 1};
    std::vector<std::int64_t> edges(static_cast<std::size_t>(src.count() + 1));
    std::iota(edges.begin(), edges.end(), src.begin);
    std::vector<float> out(static_cast<std::size_t>(src.count()));
    kernels::TileHead head;
    head.trace = run.view(at.layer);
    head.rule = score_rule(model, run, at.layer);
    head.head = to_int(at.head);
    head.rows = run.rows();
    head.out = out.data();
    kernels::TileArgs args;
    args.heads = &head;
    args.head_count = 1;
    args.dest = {row, 1};
    args.src = {edges.data(), src.count()};
    args.raw = scores;
    args.pooling = kernels::TilePooling::None;
    kernels::cpu::tile(args, parallel);
    return out;
}

HeadTable head_metrics(const Model& model, const RunTrace& run, const MetricsRequest& request,
                       std::stop_token stop, const kernels::Parallel& parallel) {
    const Rows rows = metrics_rows(run.rows(), request);
    const int layers = model.config.layers, query_heads = model.config.query_heads;
    std::vector<kernels::MetricsHead> heads(static_cast<std::size_t>(layers * query_heads));
    for (int layer = 0; layer < layers; ++layer) {
        for (int head = 0; head < query_heads; ++head) {
            kernels::MetricsHead& at = heads[static_cast<std::size_t>(layer * query_heads + head)];
            at.trace = run.view(Layer{layer});
            at.rule = score_rule(model, run, Layer{layer});
            at.head = head;
        }
    }
    bool stopped = false;
    const std::stop_callback on_stop(stop,
                                     [&] { __atomic_store_n(&stopped, true, __ATOMIC_RELAXED); });
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < rows.end; ++i) tokens.push_back(to_int(run.token(i)));
    kernels::MetricsArgs args;
    args.heads = heads.data();
    args.head_count = static_cast<std::int64_t>(heads.size());
    args.begin = rows.begin;
    args.end = rows.end;
    args.tokens = tokens.data();
    args.stop = &stopped;
    kernels::cpu::metrics(args, parallel);
    if (stop.stop_requested()) throw Cancelled{};

    return head_table(model.config, request, rows, heads);
}

}  // namespace engine
