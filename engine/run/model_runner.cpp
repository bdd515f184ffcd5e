// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/model_runner.h"

#include <algorithm>
#include <chrono>

#include "engine/analysis/cpu_trace_reader.h"
#include "engine/run/reader_of_files.h"

namespace engine {
namespace {

constexpr std::int64_t cpu_chunk =
    512;  // tokens; more does not make the products faster, less decodes weights oftener

}  // namespace

ModelRunner::ModelRunner(ModelInfo info, std::shared_ptr<const Model> model,
                         std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                         std::shared_ptr<PagePool> pool, std::shared_ptr<const TraceLayout> layout,
                         formats::FilesInUse files, kernels::Parallel parallel)
    : RunnerBase(std::move(info), std::move(tokenizer), std::move(pool), std::move(layout)),
      model_(std::move(model)),
      table_(std::make_shared<RunTable>()),
      files_(std::move(files)),
      decoder_(model_, parallel),
      reader_(
          read_with_files(make_cpu_trace_reader(model_, tokenizer_, table_, parallel), files_)) {
    files_.check();  // what was loaded may be zeros
}

std::shared_ptr<RunTrace> ModelRunner::new_trace() {
    return std::make_shared<RunTrace>(next_id(), pool_, layout_, info_.context);
}

RunId ModelRunner::add(std::shared_ptr<RunTrace> trace, const Sampling& sampling) {
    const RunId id = trace->id();
    runs_.emplace(id, OpenRun{trace, Sampler(sampling), text_of(*trace)});
    table_->add(std::move(trace));
    return id;
}

RunId ModelRunner::open_run(const RunRequest& request) {
    const auto edits = std::make_shared<const RunEdits>(
        request.edits, RunShape{info_.layers, model_->config.query_heads, model_->config.head_dim});
    const RunTrace* parent = request.parent ? run(*request.parent).trace.get() : nullptr;
    const auto length = static_cast<std::int64_t>(request.tokens.size());
    std::int64_t alike = 0;
    if (parent != nullptr && length > 0 &&
        model_->config.long_frequencies(parent->prompt_length()) ==
            model_->config.long_frequencies(length))
        alike = parent->rows_alike(request.tokens, *edits);
    check_open(request, alike);
    auto trace = new_trace();
    if (alike > 0) trace->share(*parent, alike);
    trace->set_edits(edits);
    for (std::int64_t at = alike; at < length; ++at)
        trace->append_token(request.tokens[static_cast<std::size_t>(at)]);
    trace->set_prompt_length(length);
    return add(std::move(trace), request.sampling);
}

RunId ModelRunner::fork_run(RunId parent, Position at, TokenId token) {
    OpenRun& from = run(parent);
    const std::int64_t rows = to_int(at);
    check_fork(*from.trace, rows, token);
    auto trace = new_trace();
    trace->share(*from.trace, rows);
    trace->append_token(token);
    return add(std::move(trace), from.sampler.sampling());
}

ModelRunner::OpenRun& ModelRunner::run(RunId id) {
    const auto found = runs_.find(id);
    if (found == runs_.end()) refuse_unknown(id);
    return found->second;
}

Progress ModelRunner::prefill_chunk(RunId id, std::stop_token stop,
                                    const std::function<void(const Progress&)>& on_layer) {
    RunTrace& trace = *run(id).trace;
    Progress progress{trace.rows(), trace.tokens(), 0, info_.layers};
    if (progress.finished()) return progress;
    const Rows rows{progress.done, std::min(progress.done + cpu_chunk, progress.total)};
    trace.ensure_pages(rows.end);
    progress.chunk = rows.end - rows.begin;
    std::shared_ptr<RowLogits> logits;
    if (rows.end == progress.total)
        logits = std::make_shared<RowLogits>(
            RowLogits{rows.end - 1, std::vector<float>(static_cast<std::size_t>(info_.vocab))});
    decoder_.forward(trace, rows, logits ? logits->values.data() : nullptr, stop, [&](int layer) {
        progress.layer = layer;
        if (on_layer) on_layer(progress);
    });
    files_.check();
    trace.publish(rows.end, logits);
    return {rows.end, progress.total, 0, progress.layers};
}

Step ModelRunner::decode_step(RunId id, std::stop_token stop) {
    const auto started = std::chrono::steady_clock::now();
    OpenRun& open = run(id);
    RunTrace& trace = *open.trace;
    const std::int64_t at = trace.tokens();
    check_step(trace);
    check_frequencies(model_->config, trace);
    trace.ensure_pages(at + 1);
    return drawn_step(
        trace, open.sampler, open.text,
        [&](Rows row, float* logits) {
            decoder_.forward(trace, row, logits, stop, {});
            files_.check();
        },
        started);
}

void ModelRunner::set_sampling(RunId id, const Sampling& sampling) {
    run(id).sampler = Sampler(sampling);
}

void ModelRunner::close_run(RunId id) {
    (void)run(id);
    table_->remove(id);
    runs_.erase(id);
}

}  // namespace engine
