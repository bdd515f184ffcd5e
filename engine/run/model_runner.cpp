// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/model_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/analysis/cpu_trace_reader.h"
#include "engine/run/memory.h"
#include "engine/values/failure.h"

namespace engine {
namespace {

constexpr std::int64_t cpu_chunk =
    512;  // tokens; more does not make the products faster, less decodes weights oftener
constexpr int step_alternatives = 10;

[[noreturn]] void refuse(std::string what, std::string hint = {}) {
    throw Error(Failure::Kind::BadRequest, std::move(what), {}, std::move(hint));
}

}  // namespace

ModelRunner::ModelRunner(ModelInfo info, std::shared_ptr<const Model> model,
                         std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                         std::shared_ptr<PagePool> pool, std::shared_ptr<const TraceLayout> layout,
                         kernels::Parallel parallel)
    : info_(std::move(info)),
      model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      pool_(std::move(pool)),
      layout_(std::move(layout)),
      table_(std::make_shared<RunTable>()),
      decoder_(model_, parallel),
      reader_(make_cpu_trace_reader(model_, tokenizer_, table_, parallel)) {}

Encoding ModelRunner::tokenize(std::string_view text, const TokenizeOptions& options) const {
    return tokenizer_->encode(text, options);
}

Token ModelRunner::describe(TokenId id) const {
    Token token;
    token.id = id;
    if (to_int(id) < tokenizer_->vocab()) {  // a model's table may be padded past its tokenizer's
        token.bytes = tokenizer_->bytes(id);
        token.control = tokenizer_->is_control(id);
    }
    return token;
}

Encoding ModelRunner::describe(std::span<const TokenId> ids) const {
    check_tokens(ids);
    Encoding encoding;
    for (const TokenId id : ids) encoding.tokens.push_back(describe(id));
    return encoding;
}

void ModelRunner::check_tokens(std::span<const TokenId> ids) const {
    for (const TokenId id : ids) {
        if (to_int(id) < 0 || to_int(id) >= model_->config.vocab)
            refuse("token id " + std::to_string(to_int(id)) + " is not in the vocabulary of " +
                   std::to_string(model_->config.vocab) + " tokens");
    }
}

void ModelRunner::check_memory(std::int64_t tokens) const {
    const std::int64_t needed = layout_->pages_for(tokens),
                       left = pool_->capacity() - pool_->used();
    const std::int64_t bytes = needed * layout_->page_bytes(), available = memory_available();
    if (needed <= left && bytes <= available) return;
    const std::int64_t room = std::min(left * layout_->page_bytes(), available);
    throw Error(Failure::Kind::OutOfMemory,
                std::to_string(tokens) + " tokens need " + format_bytes(bytes) + " of trace, and " +
                    format_bytes(room) + " are free",
                {}, "shorten the prompt, ask for fewer tokens or close another run");
}

std::shared_ptr<RunTrace> ModelRunner::new_trace() {
    return std::make_shared<RunTrace>(RunId{++newest_run_}, pool_, layout_, model_->config.context);
}

RunId ModelRunner::add(std::shared_ptr<RunTrace> trace, const Sampling& sampling) {
    const RunId id = trace->id();
    OpenRun open{trace, Sampler(sampling), {}};
    // The prompt may end inside a character, which the first step then completes.
    for (std::int64_t at = 0; at < trace->tokens(); ++at)
        (void)open.text.push(describe(trace->token(at)).bytes);
    runs_.emplace(id, std::move(open));
    table_->add(std::move(trace));
    return id;
}

RunId ModelRunner::open_run(const RunRequest& request) {
    const auto length = static_cast<std::int64_t>(request.tokens.size());
    const std::int64_t context = model_->config.context;
    if (length == 0) refuse("the prompt is empty", "give at least one token");
    if (length > context)
        refuse("the prompt has " + std::to_string(length) +
                   " tokens, and the model's context holds " + std::to_string(context),
               "shorten it");
    check_tokens(request.tokens);
    check(request.sampling);
    check_memory(std::min(context, length + std::max<std::int64_t>(request.reserve, 0)));
    auto trace = new_trace();
    for (const TokenId token : request.tokens) trace->append_token(token);
    return add(std::move(trace), request.sampling);
}

RunId ModelRunner::fork_run(RunId parent, Position at, TokenId token) {
    OpenRun& from = run(parent);
    const std::int64_t rows = to_int(at);
    if (rows < 0 || rows > from.trace->rows() || rows >= model_->config.context)
        refuse("position " + std::to_string(rows) + " cannot be forked: the run has " +
               std::to_string(from.trace->rows()) + " rows");
    check_tokens({&token, 1});
    check_memory(layout_->page_tokens());
    auto trace = new_trace();
    trace->share(*from.trace, rows);
    trace->append_token(token);
    return add(std::move(trace), from.sampler.sampling());
}

ModelRunner::OpenRun& ModelRunner::run(RunId id) {
    const auto found = runs_.find(id);
    if (found == runs_.end()) refuse("run " + std::to_string(to_int(id)) + " is not open");
    return found->second;
}

Progress ModelRunner::prefill_chunk(RunId id, std::stop_token stop,
                                    const std::function<void(const Progress&)>& on_layer) {
    RunTrace& trace = *run(id).trace;
    Progress progress{trace.rows(), trace.tokens(), 0, model_->config.layers};
    if (progress.finished()) return progress;
    const Rows rows{progress.done, std::min(progress.done + cpu_chunk, progress.total)};
    trace.ensure_pages(rows.end);
    progress.chunk = rows.end - rows.begin;
    std::shared_ptr<RowLogits> logits;
    if (rows.end == progress.total)
        logits = std::make_shared<RowLogits>(RowLogits{
            rows.end - 1, std::vector<float>(static_cast<std::size_t>(model_->config.vocab))});
    decoder_.forward(trace, rows, logits ? logits->values.data() : nullptr, stop, [&](int layer) {
        progress.layer = layer;
        if (on_layer) on_layer(progress);
    });
    trace.publish(rows.end, logits);
    return {rows.end, progress.total, 0, progress.layers};
}

Step ModelRunner::decode_step(RunId id, std::stop_token stop) {
    const auto started = std::chrono::steady_clock::now();
    OpenRun& open = run(id);
    RunTrace& trace = *open.trace;
    const std::int64_t at = trace.tokens();
    if (trace.rows() < at)
        refuse("the prompt is not read yet: " + std::to_string(trace.rows()) + " of " +
               std::to_string(at) + " tokens");
    if (at >= model_->config.context)
        refuse("the context of " + std::to_string(model_->config.context) +
                   " tokens is full: no step possible",
               "shorten the prompt to generate");
    const std::shared_ptr<const RowLogits> before = trace.newest_logits();
    if (!std::all_of(before->values.begin(), before->values.end(),
                     [](float x) { return std::isfinite(x); }))
        throw Error(Failure::Kind::BadFile,
                    "the model's logits at position " + std::to_string(at - 1) +
                        " are not finite numbers: its weights do not fit its config");
    trace.ensure_pages(at + 1);

    // The token, then its own row at once: every token of a run has a row when the step returns, so
    // that "rows" and "tokens" are one number to every reader, and the candidates that follow are
    // those of the newest row.
    Sampler sampler =
        open.sampler;  // put back when the step is cancelled, so that a retry draws the same
    const TokenId token{sampler.sample(before->values)};
    trace.append_token(token);
    auto logits = std::make_shared<RowLogits>(
        RowLogits{at, std::vector<float>(static_cast<std::size_t>(model_->config.vocab))});
    try {
        decoder_.forward(trace, {at, at + 1}, logits->values.data(), stop, {});
    } catch (...) {
        trace.drop_token();
        throw;
    }
    open.sampler = sampler;
    trace.publish(at + 1, logits);

    Step step;
    step.run = id;
    step.token = describe(token);
    step.text = open.text.push(step.token.bytes);
    step.unfinished = tokenizer::StreamDecoder(open.text).flush();
    step.position = Position{at};
    step.probability = probability_of(before->values, to_int(token));
    for (const Choice& choice : most_probable(before->values, step_alternatives))
        step.alternatives.push_back({TokenId{choice.token}, describe(TokenId{choice.token}).bytes,
                                     choice.probability,
                                     before->values[static_cast<std::size_t>(choice.token)]});
    step.rows = at + 1;
    step.pages_used = pool_->used();
    step.pages_total = pool_->capacity();
    step.end_of_text = to_int(token) < tokenizer_->vocab() && tokenizer_->ends_text(token);
    step.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return step;
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
