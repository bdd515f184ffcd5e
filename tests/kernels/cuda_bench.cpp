// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the kernels' medians on Qwen3-8B's shape beside what the card can do; not a test. Random
// numbers, never zeros; the trace holds all 36 layers, so that no cache holds what a run would not.
#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/contribution.h"
#include "kernels/cuda/pattern.h"
#include "kernels/cuda/product.h"
#include "kernels/cuda/projections.h"
#include "kernels/cuda_check.h"

using kernels::Element;
using kernels::cuda::check;

namespace {

constexpr std::int64_t layers = 36, query_heads = 32, kv_heads = 8, dim = 128, model = 4096,
                       feed_forward = 12288, vocabulary = 151936, page = 64;
// Measured on an H200, bytes and operations a second.
constexpr double read_rate = 4.37e12, write_rate = 4.25e12, product_rate = 790e12;

cudaStream_t stream;
Element element = Element::BF16;  // of the traces that views are of; or fp16

struct Memory {
    std::byte* data = nullptr;
    explicit Memory(std::int64_t bytes) {
        void* p = nullptr;
        check(cudaMalloc(&p, static_cast<std::size_t>(bytes)), "cudaMalloc");
        data = static_cast<std::byte*>(p);
    }
    ~Memory() { cudaFree(data); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    template <typename T>
    T* as() const {
        return reinterpret_cast<T*>(data);
    }
};

template <typename T>
void upload(const Memory& to, const std::vector<T>& from) {
    check(cudaMemcpy(to.data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice),
          "upload");
}

// Normal bf16 numbers, a block of an odd size repeated.
void randomize(std::byte* to, std::int64_t bytes, float spread) {
    const std::int64_t block = 32 * 1024 * 1024 + 4112;
    std::vector<__nv_bfloat16> numbers(static_cast<std::size_t>(std::min(bytes, block) / 2));
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1.7f * spread, 1.7f * spread);
    for (auto& x : numbers) x = __float2bfloat16_rn(uniform(random));
    check(cudaMemcpy(to, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice), "upload");
    for (std::int64_t at = block; at < bytes; at += block)
        check(cudaMemcpyAsync(to + at, to, static_cast<std::size_t>(std::min(block, bytes - at)),
                              cudaMemcpyDeviceToDevice, nullptr),
              "copy");
    check(cudaDeviceSynchronize(), "copy");
}

double median_ms(int runs, const std::function<void()>& body) {
    cudaEvent_t from, to;
    check(cudaEventCreate(&from), "event");
    check(cudaEventCreate(&to), "event");
    std::vector<float> times;
    for (int i = 0; i < runs + 2; ++i) {
        check(cudaEventRecord(from, stream), "event");
        body();
        check(cudaEventRecord(to, stream), "event");
        check(cudaEventSynchronize(to), "kernels");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, from, to), "event");
        if (i >= 2) times.push_back(ms);
    }
    check(cudaEventDestroy(from), "event");
    check(cudaEventDestroy(to), "event");
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]);
}

void report(const std::string& name, double ms, double limit_ms, const std::string& note = "") {
    std::printf("%-44s %9.4f ms   limit %9.4f ms   %5.1f%%   %s\n", name.c_str(), ms, limit_ms,
                100 * limit_ms / ms, note.c_str());
    std::fflush(stdout);
}

// The trace of all layers.
struct Trace {
    std::int64_t rows;
    Memory pool, table;
    std::int64_t stride;

    static std::int64_t layer_bytes() {
        return page * (2 * kv_heads + 2 * query_heads) * dim * 2 + page * query_heads * 4;
    }
    explicit Trace(std::int64_t count)
        : rows(count),
          pool((count + page - 1) / page * layers * layer_bytes()),
          table((count + page - 1) / page * 4),
          stride(layers * layer_bytes()) {
        std::vector<std::int32_t> pages(static_cast<std::size_t>((count + page - 1) / page));
        for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = static_cast<std::int32_t>(i);
        std::shuffle(pages.begin(), pages.end(), std::mt19937(3));
        upload(table, pages);
        randomize(pool.data, static_cast<std::int64_t>(pages.size()) * stride, 1);
    }
    kernels::TraceView layer(std::int64_t index) const {
        kernels::TraceView view;
        view.pool = pool.data;
        view.page_stride = stride;
        view.k_offset = index * layer_bytes();
        view.v_offset = view.k_offset + page * kv_heads * dim * 2;
        view.q_offset = view.v_offset + page * kv_heads * dim * 2;
        view.z_offset = view.q_offset + page * query_heads * dim * 2;
        view.lse_offset = view.z_offset + page * query_heads * dim * 2;
        view.block_table = table.as<std::int32_t>();
        view.page_tokens = page;
        view.query_heads = query_heads;
        view.kv_heads = kv_heads;
        view.head_dim = dim;
        view.element = element;
        return view;
    }
};

const kernels::ScoreRule rule{1 / std::sqrt(128.0f), 0, 0, nullptr};

// A decode step as one graph.
class Step {
  public:
    // With a trace: attention and capture; scores of every row as well when asked.
    Step(const Trace* trace, bool scores) : weights_(weight_bytes()), small_(1 << 22) {
        randomize(weights_.data, weight_bytes(), 0.02f);
        randomize(small_.data, 1 << 22, 1);
        std::vector<float> ones(vocabulary, 1);
        check(cudaMemcpy(norm(), ones.data(), model * 4, cudaMemcpyHostToDevice), "norm");
        const std::int64_t last = trace ? trace->rows - 1 : 0;
        check(cudaMemcpy(position(), &last, 8, cudaMemcpyHostToDevice), "position");
        if (trace) {
            splits_ = kernels::cuda::step_splits(trace->layer(0));
            const std::int64_t bytes = kernels::cuda::step_scratch(trace->layer(0), splits_);
            scratch_ = std::make_unique<Memory>(bytes);
            check(cudaMemset(scratch_->data, 0, static_cast<std::size_t>(bytes)), "scratch");
            turns_ = std::make_unique<Memory>(trace->rows * dim / 2 * 4);
            randomize(turns_->data, trace->rows * dim / 2 * 4, 1);
            if (scores) scores_ = std::make_unique<Memory>(layers * query_heads * trace->rows * 4);
        }
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        for (std::int64_t layer = 0; layer < layers; ++layer) enqueue(trace, layer);
        kernels::cuda::ProductArgs args = args_of(layers * of_layer, vocabulary, model);
        args.x = x();
        args.norm = norm();
        args.y = logits();
        args.x_element = args.y_element = Element::F32;
        args.best = best();
        kernels::cuda::product(args, stream);
        check(cudaStreamEndCapture(stream, &graph), "capture");
        check(cudaGraphInstantiate(&graph_, graph, 0), "instantiate");
        check(cudaGraphDestroy(graph), "graph");
    }
    ~Step() { cudaGraphExecDestroy(graph_); }
    void run() { check(cudaGraphLaunch(graph_, stream), "launch"); }

    static constexpr std::int64_t of_layer = (model * (query_heads + 2 * kv_heads) * dim +
                                              query_heads * dim * model + 3 * model * feed_forward);
    static std::int64_t weight_bytes() { return 2 * (layers * of_layer + vocabulary * model); }

  private:
    kernels::cuda::ProductArgs args_of(std::int64_t first, std::int64_t rows,
                                       std::int64_t columns) {
        kernels::cuda::ProductArgs args;
        args.weights = weights_.data + 2 * first;
        args.rows = rows;
        args.columns = columns;
        return args;
    }
    std::byte* x() { return small_.data; }
    std::byte* qkv() { return small_.data + 16384; }
    std::byte* z() { return small_.data + 65536; }
    std::byte* wide() { return small_.data + 131072; }
    float* norm() { return reinterpret_cast<float*>(small_.data + 262144); }
    std::int64_t* position() { return reinterpret_cast<std::int64_t*>(small_.data + 327680); }
    std::uint64_t* best() { return reinterpret_cast<std::uint64_t*>(small_.data + 327688); }
    float* logits() { return reinterpret_cast<float*>(small_.data + 524288); }

    void enqueue(const Trace* trace, std::int64_t layer) {
        std::int64_t at = layer * of_layer;
        auto args = args_of(at, (query_heads + 2 * kv_heads) * dim, model);
        at += args.rows * args.columns;
        args.x = x();
        args.norm = norm();
        args.y = qkv();
        args.x_element = args.y_element = Element::F32;
        kernels::cuda::product(args, stream);
        if (trace) {
            kernels::cuda::AppendArgs append;
            append.trace = trace->layer(layer);
            append.rows = 1;
            append.device_begin = position();
            append.qkv = qkv();
            append.qkv_element = Element::F32;
            append.q_norm = append.k_norm = norm();
            append.cosines = turns_->as<float>();
            append.sines = turns_->as<float>();
            append.rotary_dim = dim;
            kernels::cuda::StepArgs step;
            step.appends = true;
            step.row = append;
            step.trace = append.trace;
            step.rule = rule;
            step.dest = position();
            step.z_out = z();
            step.scratch = scratch_->data;
            step.splits = splits_;
            if (scores_) {
                step.scores = scores_->as<float>() + layer * query_heads * trace->rows;
                step.scores_stride = trace->rows;
            }
            kernels::cuda::attend_step(step, stream);
        }
        args = args_of(at, model, query_heads * dim);
        at += args.rows * args.columns;
        args.x = z();
        args.y = x();
        args.y_element = Element::F32;
        args.finish = kernels::cuda::Finish::Add;
        kernels::cuda::product(args, stream);
        args = args_of(at, feed_forward, model);
        at += 2 * args.rows * args.columns;
        args.x = x();
        args.x_element = Element::F32;
        args.norm = norm();
        args.y = wide();
        args.finish = kernels::cuda::Finish::SiluMul;
        kernels::cuda::product(args, stream);
        args = args_of(at, model, feed_forward);
        args.x = wide();
        args.y = x();
        args.y_element = Element::F32;
        args.finish = kernels::cuda::Finish::Add;
        kernels::cuda::product(args, stream);
    }

    Memory weights_, small_;
    std::unique_ptr<Memory> scratch_, turns_, scores_;
    std::int32_t splits_ = 0;
    cudaGraphExec_t graph_ = nullptr;
};

void decode() {
    const double weights = static_cast<double>(Step::weight_bytes()) / read_rate * 1e3;
    {
        Step step(nullptr, false);
        report("products of a decode step", median_ms(30, [&] { step.run(); }), weights);
    }
    for (std::int64_t rows : {512, 2048, 8192, 32768}) {
        const Trace trace(rows);
        const double keys =
            static_cast<double>(rows * layers * kv_heads * dim * 2 * 2) / read_rate * 1e3;
        for (bool scores : {false, true}) {
            Step step(&trace, scores);
            const double ms = median_ms(30, [&] { step.run(); });
            report("decode step, context " + std::to_string(rows) + (scores ? ", rows kept" : ""),
                   ms, weights + keys, std::to_string(1e3 / ms) + " tokens/s");
        }
    }
}

// One layer's causal attention.
void prompts() {
    for (std::int64_t rows : {512, 2048, 8192}) {
        const Trace trace(rows);
        const Memory z(rows * query_heads * dim * 2);
        const double operations = 2.0 * static_cast<double>(query_heads * dim * rows * rows);
        const double ms = median_ms(10, [&] {
            kernels::cuda::attend({trace.layer(1), rule, 0, rows, z.data}, stream);
        });
        report("attend, one layer, " + std::to_string(rows), ms, operations / product_rate * 1e3,
               std::to_string(operations / ms * 1e-9) + " TFLOP/s");
    }
}

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

// only: this number of rows, or 0 for all. `cuda_bench views ROWS fp16` takes that element.
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
        kernels::cuda::MetricsArgs args{device.as<kernels::MetricsHead>(),
                                        layers * query_heads,
                                        Element::BF16,
                                        dim,
                                        0,
                                        rows,
                                        nullptr};
        const Memory scratch(kernels::cuda::metrics_scratch(args));
        args.scratch = scratch.data;
        report("head table of 1152 heads, " + std::to_string(rows),
               median_ms(3, [&] { kernels::cuda::metrics(args, stream); }),
               static_cast<double>(dim) * static_cast<double>(rows * rows) *
                   static_cast<double>(layers * query_heads) / product_rate * 1e3);
    }
}

}  // namespace

int main(int count, char** arguments) {
    try {
        check(cudaStreamCreate(&stream), "stream");
        const std::string which = count > 1 ? arguments[1] : "all";
        if (which == "all" || which == "decode") decode();
        if (which == "all" || which == "prompts") prompts();
        if (which == "all" || which == "views") {
            if (count > 3 && std::string(arguments[3]) == "fp16") element = Element::F16;
            views(count > 2 ? std::stoll(arguments[2]) : 0);
        }
        if (which == "all" || which == "tables") tables();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
