// SPDX-License-Identifier: GPL-3.0-or-later
// What every Engine of this program does alike, whatever computes the rows: what may be asked, how
// it is refused, and how a step reads.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "engine/cache/page_pool.h"
#include "engine/cache/run_trace.h"
#include "engine/engine.h"
#include "engine/run/sampler.h"
#include "engine/tokenizer/tokenizer.h"

namespace engine {

class RunnerBase : public Engine {
  public:
    const ModelInfo& info() const override { return info_; }
    Encoding tokenize(std::string_view text, const TokenizeOptions&) const override;
    Encoding describe(std::span<const TokenId> ids) const override;

  protected:
    RunnerBase(ModelInfo, std::shared_ptr<const tokenizer::Tokenizer>, std::shared_ptr<PagePool>,
               std::shared_ptr<const TraceLayout>);

    // Bytes that pages can still take where the pool has room; the pool is all there is where the
    // memory was taken at once.
    virtual std::int64_t memory_left() const = 0;

    [[noreturn]] static void refuse(std::string what, std::string hint = {});
    [[noreturn]] static void refuse_unknown(RunId);
    void check_length(std::string_view text) const;
    void check_tokens(std::span<const TokenId>) const;
    void check_memory(std::int64_t tokens, std::int64_t shared = 0) const;
    // shared: rows whose whole pages a parent has already.
    void check_open(const RunRequest&, std::int64_t shared) const;
    void check_fork(const RunTrace& parent, std::int64_t rows, TokenId) const;
    // A step is possible: the prompt is read, and the context has a place for its token.
    void check_step(const RunTrace&) const;
    // A run's RoPE does not turn inside it, where its model has frequencies of long runs.
    static void check_frequencies(const ModelConfig&, const RunTrace&);
    // Throws BadFile: the weights do not fit their config.
    [[noreturn]] static void refuse_not_finite(std::int64_t position);

    RunId next_id() { return RunId{++newest_run_}; }
    // The text of a run so far, as a stream: the prompt may end inside a character.
    tokenizer::StreamDecoder text_of(const RunTrace&) const;

    static constexpr int step_alternatives = 10;
    struct Sampled {
        TokenId token{};
        std::int64_t position = 0;  // where it stands
        double probability = 0;
        std::vector<Choice> alternatives;
        std::vector<float> logits;  // of the alternatives
    };
    Step step_of(RunId, const Sampled&, tokenizer::StreamDecoder& text,
                 std::chrono::steady_clock::time_point started) const;
    // A step whose token is drawn here: from the newest row's logits, and then its own row, whose
    // logits [vocab] compute_row is to write. Publishes. The page is there, and the step possible.
    Step drawn_step(RunTrace&, Sampler&, tokenizer::StreamDecoder& text,
                    const std::function<void(Rows row, float* logits)>& compute_row,
                    std::chrono::steady_clock::time_point started) const;

    ModelInfo info_;
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer_;
    std::shared_ptr<PagePool> pool_;
    std::shared_ptr<const TraceLayout> layout_;

  private:
    Token describe(TokenId) const;
    std::uint64_t newest_run_ = 0;
};

}  // namespace engine
