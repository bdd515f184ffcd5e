// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/decode_steps.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

#include "kernels/cuda/attention.h"

namespace engine::cuda {
namespace {

using kernels::Element;

std::atomic<bool> graphs_wanted = true;

std::int64_t size_of(Element element) {
    return element == Element::F32 ? 4 : 2;
}

std::size_t slot(std::int64_t position) {
    return static_cast<std::size_t>(position % 2);
}

// Copies from pageable memory are staged before the call returns.
void upload(void* to, const void* from, std::int64_t bytes, cudaStream_t stream) {
    check(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream),
        "a step's state");
}

}  // namespace

void use_graphs(bool wanted) {
    graphs_wanted = wanted;
}

std::int64_t DecodeSteps::device_bytes(const ModelConfig& config, const TraceLayout& layout) {
    constexpr std::int64_t scratch = 32 << 20;  // of attention and sampling, generously
    return std::int64_t{sizeof(State)} + layout.pages_for(config.context) * 4 + config.context * 4 +
           2 * std::int64_t{config.vocab} * 4 +
           4 * (std::int64_t{config.d_model} + 2 * config.q_columns() + 2 * config.kv_columns() +
                config.d_ff) +
           scratch;
}

DecodeSteps::DecodeSteps(std::shared_ptr<const DeviceModel> model, const TraceLayout& layout,
                         std::byte* pool, const Stream& stream)
    : model_(std::move(model)),
      element_(model_->element),
      stream_(stream),
      copies_(Stream::Priority::Steps),
      table_bytes_(layout.pages_for(model_->config.context) * 4) {
    const ModelConfig& config = model_->config;
    const std::int64_t vocab = config.vocab * std::int64_t{4};
    state_ = DeviceBuffer(sizeof(State));
    table_ = DeviceBuffer(table_bytes_);
    tokens_ = DeviceBuffer(config.context * 4);
    residual_ = DeviceBuffer(std::int64_t{config.d_model} * 4);
    qkv_ = DeviceBuffer((std::int64_t{config.q_columns()} + 2 * config.kv_columns()) * 4);
    z_ = DeviceBuffer(config.q_columns() * size_of(element_));
    hidden_ = DeviceBuffer(config.d_ff * size_of(element_));
    for (int i = 0; i < 2; ++i) {
        logits_[i] = DeviceBuffer(vocab);
        host_logits_[i] = PinnedBuffer(vocab);
    }
    records_ = PinnedBuffer(record_slots * std::int64_t{sizeof(kernels::cuda::StepRecord)});
    for (int layer = 0; layer < config.layers; ++layer)
        views_.push_back(layout.view(layer, pool, table_.as<std::int32_t>()));
    splits_ = kernels::cuda::step_splits(views_.front());
    attend_scratch_ = DeviceBuffer(kernels::cuda::step_scratch(views_.front(), splits_));
    sample_scratch_ = DeviceBuffer(kernels::cuda::sample_scratch(config.vocab));
    for (DeviceBuffer* each : {&state_, &attend_scratch_, &sample_scratch_})
        check(cudaMemsetAsync(each->data(), 0, static_cast<std::size_t>(each->bytes()), stream_),
              "scratch");
}

DecodeSteps::~DecodeSteps() {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamSynchronize(copies_);
    for (auto& of_kind : graphs_)
        for (cudaGraphExec_t graph : of_kind)
            if (graph != nullptr) (void)cudaGraphExecDestroy(graph);
}

void DecodeSteps::stage(const DeviceRun& run, const RowLogits& logits, Sampler sampler) {
    const Sampling& sampling = sampler.sampling();
    const std::int64_t newest = logits.position;
    State state{};
    greedy_ = sampling.temperature == 0;
    state.position = newest;
    state.told = newest + 1;
    // As the product that made the logits would have left it.
    const auto highest = std::max_element(logits.values.begin(), logits.values.end());
    state.best = 0xffffffffu - static_cast<std::uint32_t>(highest - logits.values.begin());
    state.scale_of = run.final_scale();
    state.draw = {sampling.temperature, sampling.top_p, sampling.top_k, newest + 1,
                  reinterpret_cast<const double*>(state_.data() + offsetof(State, uniform))};
    draws_end_ = std::numeric_limits<std::int64_t>::max();
    if (sampling.temperature > 0) {
        for (double& each : state.uniform) each = sampler.uniform();
        draws_end_ = newest + 1 + draws_at_once;
    }
    upload(state_.data(), &state, sizeof(State), stream_);
    upload(logits_[slot(newest)].data(), logits.values.data(),
           static_cast<std::int64_t>(logits.values.size()) * 4, stream_);
    staged_ = run.id();
    next_ = newest + 1;
    update_pages(run);
}

void DecodeSteps::update_pages(const DeviceRun& run) {
    check(cudaMemcpyAsync(table_.data(), run.block_table(), static_cast<std::size_t>(table_bytes_),
                          cudaMemcpyDeviceToDevice, stream_),
          "block table");
}

void DecodeSteps::launch() {
    const std::size_t at = slot(next_);
    check(cudaStreamWaitEvent(stream_, copied_[at], 0), "waiting for a copy");
    if (graphs_wanted)
        check(cudaGraphLaunch(captured(static_cast<int>(at)), stream_), "decode step");
    else
        enqueue(static_cast<int>(at), stream_, stream_);
    done_[at].record(stream_);
    check(cudaStreamWaitEvent(copies_, done_[at], 0), "waiting for a step");
    check(cudaMemcpyAsync(host_logits_[at].data(), logits_[at].data(),
                          static_cast<std::size_t>(logits_[at].bytes()), cudaMemcpyDeviceToHost,
                          copies_),
          "logits");
    copied_[at].record(copies_);
    in_flight_.push_back(next_++);
}

DecodeSteps::Result DecodeSteps::wait() {
    const std::int64_t position = in_flight_.front();
    in_flight_.pop_front();
    copied_[slot(position)].wait();
    const float* values = host_logits_[slot(position)].as<float>();
    const auto vocab = static_cast<std::size_t>(model_->config.vocab);
    return {records_.as<kernels::cuda::StepRecord>()[position % record_slots],
            std::make_shared<RowLogits>(
                RowLogits{position, std::vector<float>(values, values + vocab)})};
}

void DecodeSteps::settle() {
    in_flight_.clear();
    staged_ = RunId{};
    stream_.wait();
    copies_.wait();
}

cudaGraphExec_t DecodeSteps::captured(int parity) {
    cudaGraphExec_t& exec = graphs_[greedy_ ? 1 : 0][parity];
    if (exec != nullptr) return exec;
    // A stream of its own: capture on one that has work under way would take that in.
    const Stream capture(Stream::Priority::Steps), beside(Stream::Priority::Steps);
    cudaGraph_t graph = nullptr;
    // Thread-local: reader threads may allocate meanwhile.
    check(cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal), "capture");
    try {
        enqueue(parity, capture, beside);
    } catch (...) {
        (void)cudaStreamEndCapture(capture, &graph);
        if (graph != nullptr) (void)cudaGraphDestroy(graph);
        throw;
    }
    check(cudaStreamEndCapture(capture, &graph), "capture");
    const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
    check(made, "decode graph");
    return exec;
}

}  // namespace engine::cuda
