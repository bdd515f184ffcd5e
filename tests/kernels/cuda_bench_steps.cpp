// SPDX-License-Identifier: GPL-3.0-or-later
// Decode steps and prompts.
#include <memory>

#include "cuda_bench.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/product.h"

namespace bench {

namespace {

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

}  // namespace

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

}  // namespace bench
