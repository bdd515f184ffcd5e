// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/runner_base.h"

#include <algorithm>
#include <cmath>

#include "engine/run/memory.h"
#include "engine/values/failure.h"

namespace engine {

RunnerBase::RunnerBase(ModelInfo info, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                       std::shared_ptr<PagePool> pool, std::shared_ptr<const TraceLayout> layout)
    : info_(std::move(info)),
      tokenizer_(std::move(tokenizer)),
      pool_(std::move(pool)),
      layout_(std::move(layout)) {}

void RunnerBase::refuse(std::string what, std::string hint) {
    throw Error(Failure::Kind::BadRequest, std::move(what), {}, std::move(hint));
}

void RunnerBase::refuse_unknown(RunId id) {
    refuse("run " + std::to_string(to_int(id)) + " is not open");
}

void RunnerBase::refuse_not_finite(std::int64_t position) {
    throw Error(Failure::Kind::BadFile,
                "the model's logits at position " + std::to_string(position) +
                    " are not finite numbers: its weights do not fit its config");
}

Encoding RunnerBase::tokenize(std::string_view text, const TokenizeOptions& options) const {
    check_length(text);
    return tokenizer_->encode(text, options);
}

// Five million characters take a second, and no Stop is seen meanwhile. A text of that size is
// refused by its bytes where even the longest tokens of the vocabulary would be too many.
void RunnerBase::check_length(std::string_view text) const {
    constexpr std::size_t long_text = std::size_t{4} << 20;
    if (text.size() <= long_text) return;
    std::size_t longest = 1;
    for (int id = 0; id < tokenizer_->vocab(); ++id)
        longest = std::max(longest, tokenizer_->bytes(TokenId{id}).size());
    const std::size_t least = (text.size() + longest - 1) / longest;
    if (least > static_cast<std::size_t>(info_.context))
        refuse("the prompt has " + format_count(std::ssize(text)) + " bytes, at least " +
                   format_count(static_cast<std::int64_t>(least)) +
                   " tokens, and the model's context holds " + format_count(info_.context),
               "shorten it");
}

Token RunnerBase::describe(TokenId id) const {
    Token token;
    token.id = id;
    if (to_int(id) < tokenizer_->vocab()) {  // a model's table may be padded past its tokenizer's
        token.bytes = tokenizer_->bytes(id);
        token.control = tokenizer_->is_control(id);
    }
    return token;
}

Encoding RunnerBase::describe(std::span<const TokenId> ids) const {
    check_tokens(ids);
    Encoding encoding;
    for (const TokenId id : ids) encoding.tokens.push_back(describe(id));
    return encoding;
}

void RunnerBase::check_tokens(std::span<const TokenId> ids) const {
    for (const TokenId id : ids) {
        if (to_int(id) < 0 || to_int(id) >= info_.vocab)
            refuse("token id " + std::to_string(to_int(id)) + " is not in the vocabulary of " +
                   std::to_string(info_.vocab) + " tokens");
    }
}

void RunnerBase::check_memory(std::int64_t tokens, std::int64_t shared) const {
    const std::int64_t needed = layout_->pages_for(tokens) - shared / layout_->page_tokens(),
                       left = pool_->capacity() - pool_->used();
    const std::int64_t bytes = needed * layout_->page_bytes(), available = memory_left();
    if (needed <= left && bytes <= available) return;
    const std::int64_t room = std::min(left * layout_->page_bytes(), available);
    throw Error(Failure::Kind::OutOfMemory,
                format_count(tokens) + " tokens need " + format_bytes(bytes) + " of trace, and " +
                    format_bytes(room) + " are free",
                {}, "shorten the prompt, ask for fewer tokens or close another run");
}

void RunnerBase::check_open(const RunRequest& request, std::int64_t shared) const {
    const auto length = static_cast<std::int64_t>(request.tokens.size());
    if (length == 0) refuse("the prompt is empty", "give at least one token");
    if (length > info_.context)
        refuse("the prompt has " + format_count(length) +
                   " tokens, and the model's context holds " + format_count(info_.context),
               "shorten it");
    check_tokens(request.tokens);
    check(request.sampling);
    check_memory(std::min(info_.context, length + std::max<std::int64_t>(request.reserve, 0)),
                 shared);
}

void RunnerBase::check_fork(const RunTrace& parent, std::int64_t rows, TokenId token) const {
    if (rows < 0 || rows > parent.rows() || rows >= info_.context)
        refuse("position " + std::to_string(rows) + " cannot be forked: the run has " +
               std::to_string(parent.rows()) + " rows");
    check_tokens({&token, 1});
    check_memory(layout_->page_tokens());
}

void RunnerBase::check_step(const RunTrace& trace) const {
    if (trace.rows() < trace.tokens())
        refuse("the prompt is not read yet: " + std::to_string(trace.rows()) + " of " +
               std::to_string(trace.tokens()) + " tokens");
    if (trace.tokens() >= info_.context)
        refuse(
            "the context of " + format_count(info_.context) + " tokens is full: no step possible",
            "shorten the prompt to generate");
}

tokenizer::StreamDecoder RunnerBase::text_of(const RunTrace& trace) const {
    tokenizer::StreamDecoder text;
    for (std::int64_t at = 0; at < trace.tokens(); ++at)
        (void)text.push(describe(trace.token(at)).bytes);
    return text;
}

void RunnerBase::check_frequencies(const ModelConfig& config, const RunTrace& trace) {
    if (config.long_frequencies(trace.tokens() + 1) &&
        !config.long_frequencies(trace.prompt_length()))
        throw Error(Failure::Kind::BadRequest,
                    "the model turns to other RoPE frequencies past " +
                        std::to_string(config.long_rope_from) +
                        " tokens, and this run began with those up to there",
                    {}, "give the text so far as a prompt of its own");
}

Step RunnerBase::drawn_step(RunTrace& trace, Sampler& sampler, tokenizer::StreamDecoder& text,
                            const std::function<void(Rows, float*)>& compute_row,
                            std::chrono::steady_clock::time_point started) const {
    const std::int64_t at = trace.tokens();
    const std::shared_ptr<const RowLogits> before = trace.newest_logits();
    if (!std::all_of(before->values.begin(), before->values.end(),
                     [](float x) { return std::isfinite(x); }))
        refuse_not_finite(at - 1);

    // The token, then its own row at once: every token of a run has a row when the step returns, so
    // that "rows" and "tokens" are one number to every reader, and the candidates that follow are
    // those of the newest row.
    Sampler drawing = sampler;  // kept only when the row is there, so that a retry draws the same
    const TokenId token{drawing.sample(before->values)};
    trace.append_token(token);
    auto logits = std::make_shared<RowLogits>(
        RowLogits{at, std::vector<float>(static_cast<std::size_t>(info_.vocab))});
    try {
        compute_row({at, at + 1}, logits->values.data());
    } catch (...) {
        trace.drop_token();
        throw;
    }
    sampler = drawing;
    trace.publish(at + 1, logits);

    Sampled sampled{token,
                    at,
                    probability_of(before->values, to_int(token)),
                    most_probable(before->values, step_alternatives),
                    {}};
    for (const Choice& choice : sampled.alternatives)
        sampled.logits.push_back(before->values[static_cast<std::size_t>(choice.token)]);
    return step_of(trace.id(), sampled, text, started);
}

Step RunnerBase::step_of(RunId run, const Sampled& sampled, tokenizer::StreamDecoder& text,
                         std::chrono::steady_clock::time_point started) const {
    Step step;
    step.run = run;
    step.token = describe(sampled.token);
    step.text = text.push(step.token.bytes);
    step.unfinished = tokenizer::StreamDecoder(text).flush();
    step.position = Position{sampled.position};
    step.probability = sampled.probability;
    for (std::size_t i = 0; i < sampled.alternatives.size(); ++i) {
        const Choice& choice = sampled.alternatives[i];
        step.alternatives.push_back({TokenId{choice.token}, describe(TokenId{choice.token}).bytes,
                                     choice.probability, sampled.logits[i]});
    }
    step.rows = sampled.position + 1;
    step.pages_used = pool_->used();
    step.pages_total = pool_->capacity();
    step.end_of_text =
        to_int(sampled.token) < tokenizer_->vocab() && tokenizer_->ends_text(sampled.token);
    step.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return step;
}

}  // namespace engine
