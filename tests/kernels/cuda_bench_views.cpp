// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles, and what the tables beside them are made of.
#include "cuda_bench.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/contribution.h"
#include "kernels/cuda/pattern.h"
#include "kernels/cuda/projections.h"

namespace bench {

namespace {

// A tile of heads [first, last) of all layers counted through.
double tile_ms(const Trace& trace, std::int64_t first, std::int64_t last, std::int64_t dest_begin,
               std::int64_t dest_end, std::int64_t src_begin, std::int64_t src_end,
               std::int64_t dest_pixels, std::int64_t src_pixels, kernels::TilePooling pooling,
               int runs) {
    const std::int64_t pixels = dest_pixels * src_pixels;
    const Memory out((last - first) * pixels * 4);
    std::vector<kernels::TileHead> heads;
    for (std::int64_t i = first; i < last; ++i) {
        kernels::TileHead head;
        head.trace = trace.layer(i / query_heads);
        head.rule = rule;
        head.head = static_cast<std::int32_t>(i % query_heads);
        head.rows = trace.rows;
        head.out = out.as<float>() + (i - first) * pixels;
        heads.push_back(head);
    }
    const auto edges = [](std::int64_t begin, std::int64_t end, std::int64_t count) {
        std::vector<std::int64_t> all;
        for (std::int64_t i = 0; i <= count; ++i) all.push_back(begin + (end - begin) * i / count);
        return all;
    };
    const auto dest = edges(dest_begin, dest_end, dest_pixels),
               src = edges(src_begin, src_end, src_pixels);
    const Memory device_heads(static_cast<std::int64_t>(heads.size() * sizeof(heads[0]))),
        device_dest((dest_pixels + 1) * 8), device_src((src_pixels + 1) * 8);
    upload(device_heads, heads);
    upload(device_dest, dest);
    upload(device_src, src);
    kernels::cuda::TileArgs args;
    args.heads = device_heads.as<kernels::TileHead>();
    args.head_count = last - first;
    args.element = element;
    args.head_dim = dim;
    args.dest = {dest.data(), dest_pixels};
    args.src = {src.data(), src_pixels};
    args.dest_edges = device_dest.as<std::int64_t>();
    args.src_edges = device_src.as<std::int64_t>();
    args.pooling = pooling;
    args.plain = true;
    args.pool = trace.pool.data;
    args.pool_bytes = (trace.rows + page - 1) / page * trace.stride;
    return median_ms(runs,
                     [&] { kernels::cuda::tile(args, 0, kernels::cuda::tile_work(args), stream); });
}

}  // namespace

void views(std::int64_t only) {
    using kernels::TilePooling;
    const double per_head = 2.0 * static_cast<double>(dim) / 2 / product_rate * 1e3;  // of T²
    for (std::int64_t rows : {512, 2048, 8192, 32768}) {
        if (only != 0 && rows != only) continue;
        const Trace trace(rows);
        const Memory z(rows * query_heads * dim * 2);
        for (std::int64_t layer = 0; layer < layers; ++layer)  // lse of every layer
            kernels::cuda::attend({trace.layer(layer), rule, 0, rows, z.data}, stream);
        check(cudaStreamSynchronize(stream), "attend");
        const double square = static_cast<double>(rows) * static_cast<double>(rows);
        const std::string at = std::to_string(rows);
        if (rows == 2048 || rows == 8192)
            report("exact pattern of a layer, " + at,
                   tile_ms(trace, 32, 64, 0, rows, 0, rows, rows, rows, TilePooling::None, 10),
                   square * 32 * 4 / write_rate * 1e3);
        for (auto pooling : {TilePooling::Max, TilePooling::Mean}) {
            const double ms = tile_ms(trace, 0, layers * query_heads, 0, rows, 0, rows, 64, 64,
                                      pooling, rows > 8192 ? 2 : 5);
            const double limit = per_head * square * static_cast<double>(layers * query_heads);
            report(std::string("grid of 1152 heads, ") +
                       (pooling == TilePooling::Max ? "max, " : "mean, ") + at,
                   ms, limit, std::to_string(limit / ms * product_rate * 1e-12) + " TFLOP/s");
        }
        if (rows < 2048) continue;
        report("view of one head 1024 x 1024 px, " + at,
               tile_ms(trace, 40, 41, 0, rows, 0, rows, 1024, 1024, TilePooling::Max, 20),
               per_head * square);
        report("zoomed to 1024 x 1024 cells, " + at,
               tile_ms(trace, 40, 41, rows - 1024, rows, rows - 1500, rows - 476, 1024, 1024,
                       TilePooling::Max, 20),
               4e6 / write_rate * 1e3);
    }
}

void tables() {
    for (std::int64_t rows : {1, 2048, 8192, 32768}) {
        const Trace trace(std::max<std::int64_t>(rows, 64));
        const std::int64_t triangles = layers * query_heads * dim * dim * 4,
                           numbers = layers * rows * query_heads * 4;
        const Memory r(triangles), p(layers * query_heads * dim * 4), norm(numbers), dot(numbers),
            views(layers * static_cast<std::int64_t>(sizeof(kernels::TraceView)));
        std::vector<float> random(static_cast<std::size_t>(triangles / 4));
        std::mt19937 generator(5);
        for (float& x : random) x = static_cast<float>(generator()) * 0x1p-32f - 0.5f;
        upload(r, random);
        random.resize(static_cast<std::size_t>(layers * query_heads * dim));
        upload(p, random);
        std::vector<kernels::TraceView> traces;
        for (std::int64_t layer = 0; layer < layers; ++layer) traces.push_back(trace.layer(layer));
        upload(views, traces);
        kernels::cuda::ContributionLayers all;
        all.traces = views.as<kernels::TraceView>();
        all.first = traces.front();
        all.layers = layers;
        all.end = rows;
        all.r = r.as<float>();
        all.p = p.as<float>();
        all.norm = norm.as<float>();
        all.dot = dot.as<float>();
        report("norms and attributions, 36 layers, " + std::to_string(rows),
               median_ms(9, [&] { kernels::cuda::contributions(all, stream); }),
               (static_cast<double>(layers * rows * query_heads * dim * 2) +
                static_cast<double>(triangles)) /
                   read_rate * 1e3);
        if (rows == 1) {
            const Memory weights(layers * model * query_heads * dim * 2), u(8 * model * 4),
                turned(8 * layers * query_heads * dim * 4), scratch(1 << 26);
            randomize(weights.data, layers * model * query_heads * dim * 2, 0.02f);
            random.resize(8 * model);
            upload(u, random);
            std::vector<const void*> of_layers;
            for (std::int64_t l = 0; l < layers; ++l)
                of_layers.push_back(weights.data + l * model * query_heads * dim * 2);
            const Memory list(layers * 8);
            upload(list, of_layers);
            const kernels::cuda::OutputProjection every{
                nullptr, Element::BF16, model, query_heads, dim, list.as<const void*>(), layers};
            for (int directions : {1, 8})
                report(
                    "directions through all heads, " + std::to_string(directions),
                    median_ms(9,
                              [&] {
                                  kernels::cuda::turned_products(every, u.as<float>(), directions,
                                                                 turned.as<float>(), scratch.data,
                                                                 stream);
                              }),
                    static_cast<double>(layers * model * query_heads * dim * 2) / read_rate * 1e3);
            const Memory gram(query_heads * dim * dim * 8);
            report("factors of all heads",
                   median_ms(3,
                             [&] {
                                 for (std::int64_t l = 0; l < layers; ++l)
                                     kernels::cuda::triangles(
                                         {weights.data + l * model * query_heads * dim * 2,
                                          Element::BF16, model, query_heads, dim},
                                         r.as<float>() + l * query_heads * dim * dim, gram.data,
                                         stream);
                             }),
                   0);
        }
        if (rows == 32768) continue;
        if (rows == 1) continue;
        std::vector<kernels::MetricsHead> heads;
        for (std::int64_t i = 0; i < layers * query_heads; ++i) {
            kernels::MetricsHead head;
            head.trace = trace.layer(i / query_heads);
            head.rule = rule;
            head.head = static_cast<std::int32_t>(i % query_heads);
            heads.push_back(head);
        }
        const Memory device(static_cast<std::int64_t>(heads.size() * sizeof(heads[0])));
        upload(device, heads);
        std::vector<std::int32_t> ids;
        for (std::int64_t i = 0; i < rows; ++i) ids.push_back(static_cast<std::int32_t>(i % 600));
        const Memory tokens(rows * 4);
        upload(tokens, ids);
        kernels::cuda::MetricsArgs args;
        args.heads = device.as<kernels::MetricsHead>();
        args.head_count = layers * query_heads;
        args.element = Element::BF16;
        args.head_dim = dim;
        args.end = rows;
        args.tokens = tokens.as<std::int32_t>();
        const Memory scratch(kernels::cuda::metrics_scratch(args));
        args.scratch = scratch.data;
        report("head table of 1152 heads, " + std::to_string(rows),
               median_ms(3, [&] { kernels::cuda::metrics(args, stream); }),
               static_cast<double>(dim) * static_cast<double>(rows * rows) *
                   static_cast<double>(layers * query_heads) / product_rate * 1e3);
    }
}

}  // namespace bench
