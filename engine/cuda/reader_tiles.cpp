// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/reader_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/cuda/contribution.h"
#include "kernels/cuda/writes.h"

namespace engine::cuda {
namespace {

constexpr double launch_seconds = 1.5e-3;
// Pixels and column weights of so many heads at once that they take no more.
constexpr std::int64_t group_bytes = std::int64_t{64} << 20;

// What kernel may take a request with this head.
void see(const kernels::TileHead& head, kernels::cuda::TileArgs& args) {
    if (head.rule.forbidden.count + head.minus_forbidden.count > 0) args.forbids = true;
    if (head.rule.scale <= 0 || args.forbids) args.plain = false;
    if (head.rule.soft_cap > 0) args.capped = true;
}

}  // namespace

double visible_cells(Rows dest, Rows src) {
    double cells = 0;
    const auto triangle = [](double n) { return n <= 0 ? 0 : n * (n + 1) / 2; };
    const auto up_to = [&](std::int64_t key) {  // pairs with src ≥ key
        return triangle(static_cast<double>(dest.end - key)) -
               triangle(static_cast<double>(dest.begin - key));
    };
    if (dest.end > dest.begin && src.end > src.begin) cells = up_to(src.begin) - up_to(src.end);
    return std::max(cells, 1.0);
}

double WorkRate::launch_work() const {
    return rate_.load() * launch_seconds;
}

void WorkRate::learn(double work, double seconds) {
    // A remainder of a request says more of the launch than of the device.
    if (work > 0.4 * launch_work()) rate_ = 0.5 * rate_.load() + 0.5 * work / seconds;
}

ReaderTiles::ReaderTiles(std::shared_ptr<const DeviceModel> model, const HeadFactors& factors)
    : model_(std::move(model)), factors_(factors) {}

kernels::TileHead ReaderTiles::head_of(const DeviceRun& run, std::int64_t rows,
                                       LayerHead at) const {
    kernels::TileHead head;
    head.trace = run.view(at.layer);
    head.rule = run.rule(*model_, at.layer);
    head.head = to_int(at.head);
    head.rows = rows;
    return head;
}

// ‖v[src] · W_O_h‖ or v[src] · p_h for the tile's sources that have a row.
const float* ReaderTiles::column_weight(ViewLane& lane, const DeviceRun& run, std::int64_t rows,
                                        LayerHead at, Rows src,
                                        const HeadFactors::Direction* direction) const {
    kernels::ColumnWeightArgs args;
    args.trace = run.view(at.layer);
    args.head = to_int(at.head);
    args.begin = src.begin;
    args.end = std::min(src.end, rows);
    args.out = lane.scratch().take<float>(src.count());
    if (args.end <= args.begin) return args.out;
    const std::int64_t d = args.trace.head_dim;
    if (direction == nullptr)
        args.r = factors_.r(lane, to_int(at.layer)) + args.head * d * d;
    else
        args.p = direction->of_layer(to_int(at.layer), model_->config.q_columns()) + args.head * d;
    kernels::cuda::column_weights(args, lane.stream());
    return args.out;
}

const float* ReaderTiles::row_weight(ViewLane& lane, const DeviceRun& run, std::int64_t rows,
                                     LayerHead at, bool attribution) {
    const float* scales = norm_weight(lane, run, rows, at.layer, attribution);
    if (rows == 0 || !run.edits().change(at)) return scales;
    std::vector<float> left(static_cast<std::size_t>(rows));
    for (std::int64_t dest = 0; dest < rows; ++dest) {
        const float of_row = run.edits().left_of(at, dest);
        left[static_cast<std::size_t>(dest)] = attribution ? of_row : std::abs(of_row);
    }
    const float* uploaded = lane.upload(left);
    if (scales == nullptr) return uploaded;
    auto* weight = lane.scratch().take<float>(rows);
    check(cudaMemcpyAsync(weight, scales, static_cast<std::size_t>(rows) * 4,
                          cudaMemcpyDeviceToDevice, lane.stream()),
          "scales of rows");
    kernels::cuda::multiply(weight, uploaded, rows, lane.stream());
    return weight;
}

const float* ReaderTiles::norm_weight(ViewLane& lane, const DeviceRun& run, std::int64_t rows,
                                      Layer layer, bool attribution) {
    const float* through = run.attention_scales(layer);
    if (through == nullptr || rows == 0) return attribution ? run.final_scale() : nullptr;
    if (!attribution) return through;
    auto* weight = lane.scratch().take<float>(rows);
    check(cudaMemcpyAsync(weight, run.final_scale(), static_cast<std::size_t>(rows) * 4,
                          cudaMemcpyDeviceToDevice, lane.stream()),
          "scales of rows");
    kernels::cuda::multiply(weight, through, rows, lane.stream());
    return weight;
}

const float* ReaderTiles::row_weights_without_first(ViewLane& lane,
                                                    std::vector<kernels::TileHead> heads, Rows dest,
                                                    const std::stop_token& stop) const {
    const auto count = static_cast<std::int64_t>(heads.size());
    std::vector<float> weights(static_cast<std::size_t>(count * dest.end), 0.0f);
    if (dest.begin < dest.end && dest.end > 1) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(dest.count() + 1));
        std::iota(rows.begin(), rows.end(), dest.begin);
        const std::vector<std::int64_t> sources = {1, dest.end};
        auto* sums = lane.scratch().take<float>(count * dest.count());
        for (std::int64_t i = 0; i < count; ++i)
            heads[static_cast<std::size_t>(i)].out = sums + i * dest.count();
        kernels::cuda::TileArgs args;
        args.heads = lane.upload(heads);
        args.head_count = count;
        args.element = model_->element;
        args.head_dim = model_->config.head_dim;
        args.dest = {rows.data(), dest.count()};
        args.src = {sources.data(), 1};
        args.dest_edges = lane.upload(rows);
        args.src_edges = lane.upload(sources);
        args.pooling = kernels::TilePooling::Sum;
        args.plain = true;
        for (const kernels::TileHead& head : heads) see(head, args);
        launch(lane, args, visible_cells(dest, {0, dest.end}) * args.head_dim, stop);
        const std::vector<float> found = lane.download(sums, count * dest.count());
        for (std::int64_t i = 0; i < count; ++i)
            std::copy_n(found.data() + i * dest.count(), dest.count(),
                        weights.data() + i * dest.end + dest.begin);
        invert_row_sums(weights);
    }
    return lane.upload(weights);
}

void ReaderTiles::launch(ViewLane& lane, const kernels::cuda::TileArgs& args, double work_of_head,
                         const std::stop_token& stop) const {
    WorkRate& rate = args.plain ? plain_ : general_;
    const std::int64_t items = kernels::cuda::tile_work(args);
    const double work = work_of_head * static_cast<double>(args.head_count) /
                        static_cast<double>(std::max<std::int64_t>(items, 1));
    double before[2] = {0, 0};  // of the launches in work
    for (std::int64_t first = 0; first < items;) {
        const auto wanted = static_cast<std::int64_t>(rate.launch_work() / work);
        const std::int64_t last = first + std::clamp<std::int64_t>(wanted, 1, items - first);
        const auto seconds =
            lane.slice(stop, [&] { kernels::cuda::tile(args, first, last, lane.stream()); });
        if (seconds) rate.learn(before[0], *seconds);
        before[0] = before[1];
        before[1] = work * static_cast<double>(last - first);
        first = last;
    }
    lane.await_slices();
}

Tile ReaderTiles::tile(ViewLane& lane, const DeviceRunTable& table, const TileRequest& request,
                       const std::stop_token& stop) const {
    const auto run = table.at(request.run);
    const auto minus = request.minus ? table.at(*request.minus) : nullptr;
    const TilePlan plan = plan_tile(model_->config, request);
    if (std::max(plan.dest.back(), plan.src.back()) > std::numeric_limits<std::int32_t>::max() / 2)
        throw Error(Failure::Kind::BadRequest,
                    "the tile ends at " +
                        std::to_string(std::max(plan.dest.back(), plan.src.back())) +
                        ", past any context");
    Tile tile;
    tile.request = request;
    tile.rows_ready = run->rows();
    const std::int64_t minus_rows = minus ? minus->rows() : 0;
    const std::int64_t count = static_cast<std::int64_t>(request.heads.size()),
                       pixels = plan.pixels();
    const bool bytes = request.format == PixelFormat::U8;
    const std::int64_t pixel_bytes = bytes ? 1 : 4;
    // Held as long as the kernels run.
    std::shared_ptr<const HeadFactors::Direction> direction;
    if (plan.attribution)
        direction = factors_.direction(lane, {request.target, request.distractor});

    kernels::cuda::TileArgs args;
    args.element = model_->element;
    args.head_dim = model_->config.head_dim;
    args.dest = {plan.dest.data(), plan.dest_pixels()};
    args.src = {plan.src.data(), plan.src_pixels()};
    args.dest_edges = lane.upload(plan.dest);
    args.src_edges = lane.upload(plan.src);
    args.raw = plan.raw;
    args.pooling = plan.pooling;
    args.signed_max = plan.signed_max && plan.pooling == kernels::TilePooling::Max;
    args.span_mean = plan.span_mean;
    args.low = request.range.low;
    args.high = request.range.high;
    args.transfer = plan.transfer;
    args.plain = !plan.weighted && !plan.renormalized && !minus;
    const float* later_columns =
        plan.renormalized ? lane.upload(columns_without_first(plan.sources())) : nullptr;
    const auto rows_of = [&](std::int64_t rows) {
        return Rows{std::min(plan.dest.front(), rows), std::min(plan.dest.back(), rows)};
    };
    if (const kernels::TraceView view = run->view(Layer{0}); kernels::cuda::on_row_grid(view)) {
        args.pool = view.pool;
        args.pool_bytes = run->pool_bytes();
    }

    // All pixels stay on the device until they cross as one, column weights come group by group.
    auto* out = lane.scratch().take<std::byte>(count * pixels * pixel_bytes);
    const std::int64_t weights = plan.weighted       ? plan.sources().count()
                                 : plan.renormalized ? plan.dest.back()
                                                     : 0;
    const std::int64_t weight_bytes = std::max<std::int64_t>(1, weights * 4 * (minus ? 2 : 1));
    const std::int64_t group = std::clamp<std::int64_t>(group_bytes / weight_bytes, 1, count);
    const double work =
        visible_cells({plan.dest.front(), std::min(plan.dest.back(), tile.rows_ready)},
                      plan.sources()) *
        args.head_dim * (minus ? 2 : 1);
    for (std::int64_t first = 0; first < count; first += group) {
        const std::int64_t last = std::min(first + group, count);
        std::vector<kernels::TileHead> heads;
        std::vector<kernels::TraceView> others;
        for (std::int64_t i = first; i < last; ++i) {
            const LayerHead at = request.heads[static_cast<std::size_t>(i)];
            kernels::TileHead head = head_of(*run, tile.rows_ready, at);
            if (plan.weighted)
                head.column_weight =
                    column_weight(lane, *run, tile.rows_ready, at, plan.sources(), direction.get());
            if (plan.weighted)
                head.row_weight = row_weight(lane, *run, tile.rows_ready, at, plan.attribution);
            if (minus) {
                others.push_back(minus->view(at.layer));
                head.minus_rows = minus_rows;
                if (plan.weighted)
                    head.minus_column_weight = column_weight(lane, *minus, minus_rows, at,
                                                             plan.sources(), direction.get());
                if (plan.weighted)
                    head.minus_row_weight =
                        row_weight(lane, *minus, minus_rows, at, plan.attribution);
                head.minus_forbidden = minus->rule(*model_, at.layer).forbidden;
            }
            see(head, args);
            std::byte* to = out + i * pixels * pixel_bytes;
            head.out = bytes ? nullptr : reinterpret_cast<float*>(to);
            head.out_u8 = bytes ? reinterpret_cast<std::uint8_t*>(to) : nullptr;
            heads.push_back(head);
            if (stop.stop_requested()) throw Cancelled{};
        }
        if (minus) {
            const kernels::TraceView* views = lane.upload(others);
            for (std::size_t i = 0; i < heads.size(); ++i) heads[i].minus_trace = views + i;
        }
        if (plan.renormalized) {
            const Rows dest = rows_of(tile.rows_ready), other = rows_of(minus_rows);
            std::vector<kernels::TileHead> alone;
            std::vector<kernels::TileHead> theirs;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const LayerHead at = request.heads[static_cast<std::size_t>(first) + i];
                alone.push_back(head_of(*run, tile.rows_ready, at));
                if (minus) theirs.push_back(head_of(*minus, minus_rows, at));
            }
            const float* weight = row_weights_without_first(lane, std::move(alone), dest, stop);
            const float* minus_weight =
                minus ? row_weights_without_first(lane, std::move(theirs), other, stop) : nullptr;
            for (std::size_t i = 0; i < heads.size(); ++i) {
                const auto at = static_cast<std::int64_t>(i);
                heads[i].column_weight = later_columns;
                heads[i].row_weight = weight + at * dest.end;
                if (!minus) continue;
                heads[i].minus_column_weight = later_columns;
                heads[i].minus_row_weight = minus_weight + at * other.end;
            }
        }
        args.heads = lane.upload(heads);
        args.head_count = last - first;
        launch(lane, args, work, stop);
    }
    tile.seconds = lane.seconds();
    tile.data = lane.result(out, bytes ? DType::U8 : DType::F32,
                            {count, plan.dest_pixels(), plan.src_pixels()});
    return tile;
}

const float* ReaderTiles::exact_rows(ViewLane& lane, const DeviceRun& run, Layer layer, Rows rows,
                                     std::int64_t src_end, bool scores) const {
    std::vector<std::int64_t> edges(static_cast<std::size_t>(src_end + 1));
    std::iota(edges.begin(), edges.end(), 0);
    const std::int64_t query_heads = model_->config.query_heads, pixels = rows.count() * src_end;
    auto* out = lane.scratch().take<float>(query_heads * pixels);
    std::vector<kernels::TileHead> heads;
    for (std::int64_t head = 0; head < query_heads; ++head) {
        heads.push_back(
            head_of(run, rows.end, {layer, QueryHead{static_cast<std::int32_t>(head)}}));
        heads.back().out = out + head * pixels;
    }
    kernels::cuda::TileArgs args;
    args.heads = lane.upload(heads);
    args.head_count = query_heads;
    args.element = model_->element;
    args.head_dim = model_->config.head_dim;
    args.dest = {edges.data() + rows.begin, rows.count()};
    args.src = {edges.data(), src_end};
    args.src_edges = lane.upload(edges);
    args.dest_edges = args.src_edges + rows.begin;
    args.raw = scores;
    args.pooling = kernels::TilePooling::None;
    args.plain = true;
    see(heads.front(), args);  // one layer: all are alike
    launch(lane, args, visible_cells(rows, {0, src_end}) * args.head_dim, {});
    return out;
}

}  // namespace engine::cuda
