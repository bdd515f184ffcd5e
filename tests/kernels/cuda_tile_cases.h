// SPDX-License-Identifier: GPL-3.0-or-later
// A tile request in the contract's words, its pixels by plain loops, and the device's answer.
#pragma once
#include "cuda_trace.h"
#include "kernels/cuda/pattern.h"
#include "tests/support/dense_oracle.h"

using Edges = std::vector<std::int64_t>;

// Weighted: value with weights ≥ 0, attribution with signed ones.
enum Quantity { Scores, Pattern, Weighted };

inline Edges steps(std::int64_t begin, std::int64_t end, std::int64_t step) {
    Edges edges;
    for (std::int64_t at = begin; at < end; at += step) edges.push_back(at);
    edges.push_back(end);
    return edges;
}

// The trace of a run with the oracle's lse stored, as attend leaves it.
struct TileRun {
    CudaTrace trace;
    std::vector<support::DenseHead> dense;
    std::vector<std::vector<float>> weights;  // a head and src
    std::vector<float> row_weights;           // of dest; odd heads use them
    std::vector<std::unique_ptr<DeviceBuffer<float>>> device_weights;
    std::unique_ptr<DeviceBuffer<float>> device_row_weights;

    TileRun(const support::Shape& shape, const kernels::ScoreRule& rule, kernels::Element element,
            unsigned seed)
        : trace(shape, element, seed) {
        trace.fill(0, shape.rows, seed);
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        const auto numbers = [&] {
            std::vector<float> v(static_cast<std::size_t>(shape.rows));
            for (float& x : v) x = normal(random);
            return v;
        };
        row_weights = numbers();
        device_row_weights = std::make_unique<DeviceBuffer<float>>(row_weights);
        for (int h = 0; h < shape.query_heads; ++h) {
            dense.push_back(support::dense_head(trace.host_view(), rule, h, shape.rows));
            for (std::int64_t t = 0; t < shape.rows; ++t)
                *trace.host_view().lse(t, h) = static_cast<float>(dense.back().lse(t));
            weights.push_back(numbers());
            device_weights.push_back(std::make_unique<DeviceBuffer<float>>(weights.back()));
        }
        trace.upload(0, shape.rows);
    }
    double tolerance() const {
        double largest = 0;
        for (const support::DenseHead& head : dense) largest = std::max(largest, head.tolerance());
        return largest;
    }
};

struct TileCase {
    Edges dest, src;
    Quantity quantity = Pattern;
    kernels::TilePooling pooling = kernels::TilePooling::Max;
    bool signed_max = false, span_mean = false;
    std::int64_t rows = 0;
    std::int64_t minus_rows = 0;
};

// rivals: the extreme on the other side of 0, which rounding may prefer where the two are of one
// magnitude (a row of two cells differs by +x and −x).
inline std::vector<double> expected_pixels(const TileCase& c, const kernels::ScoreRule& rule,
                                           const TileRun& run, const TileRun* minus, int head,
                                           std::vector<double>& rivals) {
    const auto cell = [&](const TileRun& from, std::int64_t dest, std::int64_t src) {
        const support::DenseHead& dense = from.dense[static_cast<std::size_t>(head)];
        if (c.quantity == Scores) return dense.score(dest, src);
        const double w = static_cast<double>(
            from.weights[static_cast<std::size_t>(head)][static_cast<std::size_t>(src)]);
        const double row =
            head % 2 ? static_cast<double>(from.row_weights[static_cast<std::size_t>(dest)]) : 1;
        return dense.p(dest, src) * (c.quantity == Weighted ? w * row : 1);
    };
    const std::int64_t rows = minus ? std::min(c.rows, c.minus_rows) : c.rows;
    std::vector<double> out;
    for (std::size_t i = 0; i + 1 < c.dest.size(); ++i)
        for (std::size_t j = 0; j + 1 < c.src.size(); ++j) {
            double largest = -INFINITY, least = INFINITY, magnitude = 0, sum = 0;
            std::int64_t cells = 0;
            const std::int64_t last = std::min(c.dest[i + 1], rows);
            for (std::int64_t dest = c.dest[i]; dest < last; ++dest)
                for (std::int64_t src = c.src[j]; src < c.src[j + 1]; ++src) {
                    if (!support::visible(dest, src, rule.window)) continue;
                    const double x = cell(run, dest, src) - (minus ? cell(*minus, dest, src) : 0);
                    largest = std::max(largest, x);
                    least = std::min(least, x);
                    if (std::abs(x) > std::abs(magnitude)) magnitude = x;
                    sum += x;
                    ++cells;
                }
            double value = c.quantity == Scores ? -INFINITY : 0;
            if (cells > 0) {
                if (c.pooling == kernels::TilePooling::Sum)
                    value = sum;
                else if (c.pooling == kernels::TilePooling::Mean)
                    value = sum / static_cast<double>(c.span_mean ? last - c.dest[i] : cells);
                else
                    value = c.signed_max ? magnitude : largest;
            }
            out.push_back(value);
            rivals.push_back(c.signed_max && cells > 0 ? (magnitude == largest ? least : largest)
                                                       : value);
        }
    return out;
}

struct Bytes {  // of an 8-bit tile
    kernels::TileArgs::Transfer transfer = kernels::TileArgs::Transfer::Linear;
    float low = 0, high = 1;
};

// The pixels of all heads, [head][pixels + 1]; the last of each is a guard. In two launches where
// there is more than an item.
template <typename Pixel>
std::vector<Pixel> device_tile(const TileCase& c, const kernels::ScoreRule& rule,
                               const TileRun& run, const TileRun* minus, const Bytes* bytes) {
    const kernels::TraceView view = run.trace.view();
    const std::size_t pixels = (c.dest.size() - 1) * (c.src.size() - 1),
                      count = static_cast<std::size_t>(view.query_heads);
    DeviceBuffer<Pixel> out(count * (pixels + 1));
    std::unique_ptr<DeviceBuffer<kernels::TraceView>> minus_view;
    if (minus)
        minus_view = std::make_unique<DeviceBuffer<kernels::TraceView>>(
            std::vector<kernels::TraceView>{minus->trace.view()});
    std::vector<kernels::TileHead> heads(count);
    const auto first = c.src.front();
    const bool weighted = c.quantity == Weighted;
    for (std::size_t h = 0; h < count; ++h) {
        kernels::TileHead& head = heads[h];
        head.trace = view;
        head.rule = rule;
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
    args.plain = !weighted && !minus;
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
    using Transfer = kernels::TileArgs::Transfer;
    const std::size_t pixels = (c.dest.size() - 1) * (c.src.size() - 1);
    std::vector<float> out;
    std::vector<std::uint8_t> bytes_out;
    if (bytes)
        bytes_out = device_tile<std::uint8_t>(c, rule, run, minus, bytes);
    else
        out = device_tile<float>(c, rule, run, minus, nullptr);
    double worst = 0;
    for (std::size_t h = 0; h < run.dense.size(); ++h) {
        const std::size_t begin = h * (pixels + 1), guard = begin + pixels;
        if (bytes ? bytes_out[guard] != 0xff : !std::isnan(out[guard])) return 1e301;
        std::vector<double> rivals;
        const auto expected = expected_pixels(c, rule, run, minus, static_cast<int>(h), rivals);
        for (std::size_t i = 0; i < pixels; ++i) {
            double error;
            if (bytes) {
                const auto f = [&](double x) {
                    if (bytes->transfer == Transfer::Sqrt) return std::sqrt(std::max(0.0, x));
                    if (bytes->transfer == Transfer::Log)
                        return std::log(std::max(1.17549435e-38, x));
                    return x;
                };
                const double low = f(static_cast<double>(bytes->low)),
                             at = (f(expected[i]) - low) /
                                  (f(static_cast<double>(bytes->high)) - low);
                error = std::max(
                    0.0, std::abs(255 * std::clamp(at, 0.0, 1.0) - bytes_out[begin + i]) - 0.5);
            } else {
                const auto value = static_cast<double>(out[begin + i]);
                error = value == expected[i] ? 0 : std::abs(value - expected[i]);
                if (std::abs(std::abs(rivals[i]) - std::abs(expected[i])) < 1e-5)
                    error = std::min(error, std::abs(value - rivals[i]));
            }
            worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
        }
    }
    return worst;
}
