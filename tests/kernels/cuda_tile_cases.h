// SPDX-License-Identifier: GPL-3.0-or-later
// A tile request in the contract's words, its pixels by plain loops, and the device's answer.
#pragma once
#include "cuda_trace.h"
#include "kernels/cuda/pattern.h"
#include "tile_cases.h"

struct TileRun : TileNumbers {
    CudaTrace trace;
    std::vector<std::unique_ptr<DeviceBuffer<float>>> device_weights;
    std::unique_ptr<DeviceBuffer<float>> device_row_weights;

    TileRun(const support::Shape& shape, const kernels::ScoreRule& rule, kernels::Element element,
            unsigned seed)
        : trace(shape, element, seed) {
        trace.fill(0, shape.rows, seed);
        TileNumbers::fill(trace.host_view(), rule, shape.rows, seed);
        device_row_weights = std::make_unique<DeviceBuffer<float>>(row_weights);
        for (const auto& of_head : weights)
            device_weights.push_back(std::make_unique<DeviceBuffer<float>>(of_head));
        trace.upload(0, shape.rows);
    }
};

// The pixels of all heads, [head][pixels + 1]; the last of each is a guard. In two launches where
// there is more than an item.
template <typename Pixel>
std::vector<Pixel> device_tile(const TileCase& c, const kernels::ScoreRule& rule,
                               const TileRun& run, const TileRun* minus, const Bytes* bytes) {
    const kernels::TraceView view = run.trace.view();
    const std::size_t pixels = c.pixels(), count = static_cast<std::size_t>(view.query_heads);
    DeviceBuffer<Pixel> out(count * (pixels + 1));
    std::unique_ptr<DeviceBuffer<kernels::TraceView>> minus_view;
    if (minus)
        minus_view = std::make_unique<DeviceBuffer<kernels::TraceView>>(
            std::vector<kernels::TraceView>{minus->trace.view()});
    std::unique_ptr<DeviceBuffer<kernels::EdgeRange>> edges;
    kernels::ScoreRule device_rule = rule;
    if (rule.forbidden.count > 0) {
        edges = std::make_unique<DeviceBuffer<kernels::EdgeRange>>(std::vector<kernels::EdgeRange>(
            rule.forbidden.ranges, rule.forbidden.ranges + rule.forbidden.count));
        device_rule.forbidden.ranges = edges->data();
    }
    std::vector<kernels::TileHead> heads(count);
    const auto first = c.src.front();
    const bool weighted = c.quantity == Weighted;
    for (std::size_t h = 0; h < count; ++h) {
        kernels::TileHead& head = heads[h];
        head.trace = view;
        head.rule = device_rule;
        head.head = static_cast<std::int32_t>(h);
        head.rows = c.rows;
        head.column_weight = weighted ? run.device_weights[h]->data() + first : nullptr;
        head.minus_trace = minus ? minus_view->data() : nullptr;
        head.minus_rows = c.minus_rows;
        head.minus_column_weight =
            minus && weighted ? minus->device_weights[h]->data() + first : nullptr;
        if (weighted && h % 2) {
            head.row_weight = run.device_row_weights->data();
            head.minus_row_weight = minus ? minus->device_row_weights->data() : nullptr;
        }
        Pixel* to = out.data() + h * (pixels + 1);
        if constexpr (sizeof(Pixel) == 1)
            head.out_u8 = to;
        else
            head.out = to;
    }
    const DeviceBuffer<kernels::TileHead> device_heads(heads);
    const DeviceBuffer<std::int64_t> dest_edges(c.dest), src_edges(c.src);
    kernels::cuda::TileArgs args;
    args.heads = device_heads.data();
    args.head_count = static_cast<std::int64_t>(count);
    args.element = view.element;
    args.head_dim = view.head_dim;
    args.dest = {c.dest.data(), static_cast<std::int64_t>(c.dest.size()) - 1};
    args.src = {c.src.data(), static_cast<std::int64_t>(c.src.size()) - 1};
    args.dest_edges = dest_edges.data();
    args.src_edges = src_edges.data();
    args.raw = c.quantity == Scores;
    args.pooling = c.pooling;
    args.signed_max = c.signed_max;
    args.span_mean = c.span_mean;
    args.forbids = rule.forbidden.count > 0;
    args.plain = !weighted && !minus && !args.forbids;
    args.capped = rule.soft_cap > 0;
    if (kernels::cuda::on_row_grid(view)) {
        args.pool = view.pool;
        args.pool_bytes = run.trace.pool_bytes();
    }
    if (bytes) {
        args.low = bytes->low;
        args.high = bytes->high;
        args.transfer = bytes->transfer;
    }
    const std::int64_t work = kernels::cuda::tile_work(args);
    kernels::cuda::tile(args, 0, work / 2, nullptr);
    kernels::cuda::tile(args, work / 2, work, nullptr);
    return out.download();
}

// Largest error of all heads; with `bytes` of the bytes against the mapped reference, in steps.
inline double tile_error(const TileCase& c, const kernels::ScoreRule& rule, const TileRun& run,
                         const TileRun* minus, const Bytes* bytes = nullptr) {
    const std::size_t pixels = c.pixels();
    std::vector<float> out;
    std::vector<std::uint8_t> bytes_out;
    if (bytes)
        bytes_out = device_tile<std::uint8_t>(c, rule, run, minus, bytes);
    else
        out = device_tile<float>(c, rule, run, minus, nullptr);
    for (std::size_t h = 0; h < run.dense.size(); ++h) {
        const std::size_t guard = h * (pixels + 1) + pixels;
        if (bytes ? bytes_out[guard] != 0xff : !std::isnan(out[guard])) return 1e301;
    }
    return worst_error(expected_heads(c, rule, run, minus), bytes,
                       [&](std::size_t h, std::size_t i) {
                           const std::size_t at = h * (pixels + 1) + i;
                           return bytes ? bytes_out[at] : static_cast<double>(out[at]);
                       });
}
