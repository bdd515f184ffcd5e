// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/cuda_runner.h"

#include <algorithm>
#include <cmath>

#include "engine/cuda/cuda_trace_reader.h"
#include "engine/cuda/fast_attention.h"

namespace engine::cuda {

CudaRunner::CudaRunner(ModelInfo info, std::shared_ptr<const DeviceModel> model,
                       std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                       std::shared_ptr<PagePool> pool, std::shared_ptr<const TraceLayout> layout)
    : RunnerBase(std::move(info), std::move(tokenizer), std::move(pool), std::move(layout)),
      model_(std::move(model)),
      table_(std::make_shared<DeviceRunTable>()),
      stream_(Stream::Priority::Steps),
      blocks_(model_, stream_),
      logits_(std::int64_t{model_->config.vocab} * 4),
      pace_(std::make_shared<StepPace>()),
      reader_(make_cuda_trace_reader(model_, tokenizer_, table_, pace_)) {
    if (!model_->by_blocks.empty()) return;
    prefill_.emplace(model_, stream_);
    steps_.emplace(model_, *layout_, pool_->base(), stream_);
}

CudaRunner::~CudaRunner() {
    (void)cudaSetDevice(model_->device);
    (void)cudaStreamSynchronize(stream_);
}

void CudaRunner::use_device() const {
    check(cudaSetDevice(model_->device), "cudaSetDevice");
}

CudaRunner::OpenRun& CudaRunner::run(RunId id) {
    const auto found = runs_.find(id);
    if (found == runs_.end()) refuse_unknown(id);
    return found->second;
}

RunId CudaRunner::add(std::shared_ptr<DeviceRun> run, const Sampling& sampling) {
    const RunId id = run->id();
    runs_.emplace(id, OpenRun{run, Sampler(sampling), text_of(run->trace())});
    table_->add(std::move(run));
    return id;
}

void CudaRunner::settle() {
    if (steps_) steps_->settle();
}

RunId CudaRunner::open_run(const RunRequest& request) {
    use_device();
    const ModelConfig& config = model_->config;
    const auto edits = std::make_shared<const RunEdits>(
        request.edits, RunShape{info_.layers, config.query_heads, config.head_dim});
    DeviceRun* parent = request.parent ? this->run(*request.parent).run.get() : nullptr;
    const auto length = static_cast<std::int64_t>(request.tokens.size());
    const bool same_frequencies =
        parent != nullptr &&
        config.long_frequencies(parent->trace().prompt_length()) == config.long_frequencies(length);
    const std::int64_t alike =
        same_frequencies && length > 0 ? parent->trace().rows_alike(request.tokens, *edits) : 0;
    check_open(request, alike);
    auto run = std::make_shared<DeviceRun>(next_id(), pool_, layout_, info_.context);
    if (alike > 0) {
        settle();
        run->share(*parent, alike, stream_);
    }
    run->set_edits(edits);
    for (auto at = static_cast<std::size_t>(alike); at < request.tokens.size(); ++at)
        run->trace().append_token(request.tokens[at]);
    run->trace().set_prompt_length(length);
    return add(std::move(run), request.sampling);
}

RunId CudaRunner::fork_run(RunId parent, Position at, TokenId token) {
    use_device();
    OpenRun& from = run(parent);
    const std::int64_t rows = to_int(at);
    check_fork(from.run->trace(), rows, token);
    settle();
    auto run = std::make_shared<DeviceRun>(next_id(), pool_, layout_, info_.context);
    run->share(*from.run, rows, stream_);
    run->trace().append_token(token);
    return add(std::move(run), from.sampler.sampling());
}

Progress CudaRunner::prefill_chunk(RunId id, std::stop_token stop,
                                   const std::function<void(const Progress&)>& on_layer) {
    use_device();
    DeviceRun& target = *run(id).run;
    RunTrace& trace = target.trace();
    Progress progress{trace.rows(), trace.tokens(), 0, info_.layers};
    if (progress.finished()) return progress;
    settle();
    const bool blocks = by_blocks(target);
    const std::int64_t wanted =
        blocks ? std::min(progress.total - progress.done, BlockDecoder::most_rows)
               : chunk_rows(progress.done, progress.total, Prefill::most_rows);
    const Rows rows{progress.done, progress.done + wanted};
    target.ensure_pages(rows.end, stream_);
    progress.chunk = rows.count();
    const bool last = rows.end == progress.total;
    float* logits_to = last ? logits_.as<float>() : nullptr;
    const auto layer_begun = [&](int layer) {
        progress.layer = layer;
        if (on_layer) on_layer(progress);
    };
    with_device_errors([&] {
        if (blocks)
            blocks_.forward(target, rows, logits_to, stop, layer_begun);
        else
            prefill_->forward(target, rows, logits_to, stop, layer_begun);
    });
    std::shared_ptr<RowLogits> logits;
    if (last) {
        logits = std::make_shared<RowLogits>(
            RowLogits{rows.end - 1, std::vector<float>(static_cast<std::size_t>(info_.vocab))});
        to_host(logits->values.data());
    }
    trace.publish(rows.end, logits);
    return {rows.end, progress.total, 0, progress.layers};
}

void CudaRunner::to_host(float* logits) {
    check(cudaMemcpyAsync(logits, logits_.data(), static_cast<std::size_t>(logits_.bytes()),
                          cudaMemcpyDeviceToHost, stream_),
          "logits");
    stream_.wait();
}

Step CudaRunner::step_by_blocks(OpenRun& open, std::stop_token stop,
                                std::chrono::steady_clock::time_point started) {
    settle();
    RunTrace& trace = open.run->trace();
    check_frequencies(model_->config, trace);
    open.run->ensure_pages(trace.tokens() + 1, stream_);
    return drawn_step(
        trace, open.sampler, open.text,
        [&](Rows row, float* logits) {
            with_device_errors(
                [&] { blocks_.forward(*open.run, row, logits_.as<float>(), stop, {}); });
            to_host(logits);
        },
        started);
}

// The step after the next, where its page is already there: one that were taken for it might be
// wanted elsewhere.
void CudaRunner::launch_ahead(const DeviceRun& run) {
    const auto room =
        static_cast<std::int64_t>(const_cast<DeviceRun&>(run).trace().pages().size()) *
        layout_->page_tokens();
    if (steps_->next() < std::min(room, info_.context) && !steps_->needs_restage())
        steps_->launch();
}

Step CudaRunner::decode_step(RunId id, std::stop_token stop) {
    const auto started = std::chrono::steady_clock::now();
    use_device();
    OpenRun& open = run(id);
    RunTrace& trace = open.run->trace();
    const std::int64_t at = trace.tokens();
    check_step(trace);
    if (stop.stop_requested()) throw Cancelled{};
    pace_->stepped();
    if (by_blocks(*open.run)) return step_by_blocks(open, stop, started);
    const auto before = trace.newest_logits();

    DecodeSteps::Result result;
    try {
        with_device_errors([&] {
            if (steps_->staged() != id || (steps_->in_flight() == 0 && steps_->needs_restage())) {
                steps_->settle();
                steps_->stage(*open.run, *before, open.sampler);
            }
            if (steps_->in_flight() == 0) {
                const std::size_t pages = trace.pages().size();
                open.run->ensure_pages(at + 1, stream_);
                if (trace.pages().size() != pages) steps_->update_pages(*open.run);
                steps_->launch();
            }
            launch_ahead(*open.run);
            result = steps_->wait();
        });
    } catch (...) {
        steps_->settle();
        throw;
    }
    const kernels::cuda::StepRecord& record = result.record;
    if (record.finite == 0) {
        steps_->settle();
        refuse_not_finite(at - 1);
    }
    const TokenId token{record.token};
    trace.append_token(token);
    if (open.sampler.sampling().temperature > 0) (void)open.sampler.uniform();
    trace.publish(at + 1, result.logits);

    Sampled sampled{token, at, std::exp(record.token_logit - record.normalizer), {}, {}};
    for (int i = 0; i < kernels::cuda::step_candidates && record.ids[i] >= 0; ++i) {
        sampled.alternatives.push_back(
            {record.ids[i], std::exp(record.logits[i] - record.normalizer)});
        sampled.logits.push_back(record.logits[i]);
    }
    return step_of(id, sampled, open.text, started);
}

void CudaRunner::set_sampling(RunId id, const Sampling& sampling) {
    use_device();
    OpenRun& open = run(id);
    open.sampler = Sampler(sampling);
    if (steps_ && steps_->staged() == id) settle();  // a step in flight was drawn otherwise
}

void CudaRunner::close_run(RunId id) {
    use_device();
    (void)run(id);
    settle();  // before the pages are someone else's
    table_->remove(id);
    runs_.erase(id);
}

}  // namespace engine::cuda
