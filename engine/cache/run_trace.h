// SPDX-License-Identifier: GPL-3.0-or-later
// The trace of one run: its tokens, its block table and how many rows are published. The engine
// thread appends; any thread reads what is published without a lock, as a written row never
// changes.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/page_pool.h"
#include "engine/cache/run_edits.h"
#include "engine/cache/trace_layout.h"
#include "engine/values/ids.h"

namespace engine {

struct RowLogits {
    std::int64_t position = 0;
    std::vector<float> values;  // [vocab]
};

class RunTrace {
  public:
    // capacity: tokens this run may ever hold; storage for the tables is set aside so that readers'
    // pointers stay good.
    RunTrace(RunId, std::shared_ptr<PagePool>, std::shared_ptr<const TraceLayout>,
             std::int64_t capacity);
    ~RunTrace();
    RunTrace(const RunTrace&) = delete;
    RunTrace& operator=(const RunTrace&) = delete;

    // Before any row is computed.
    void set_edits(std::shared_ptr<const RunEdits> edits) { edits_ = std::move(edits); }
    const RunEdits& edits() const { return *edits_; }
    kernels::ForbiddenEdges forbidden(Layer layer) const { return edits_->forbidden(layer); }

    // Shares the parent's rows [0, rows): whole pages by reference, the last partial one copied.
    // Tokens, edits and prompt length are the parent's.
    void share(const RunTrace& parent, std::int64_t rows);
    // Published rows that a run of these tokens and edits would compute alike; one row at least is
    // left to it, for its logits.
    std::int64_t rows_alike(std::span<const TokenId> tokens, const RunEdits&) const;

    RunId id() const { return id_; }
    std::int64_t capacity() const { return capacity_; }
    std::int64_t rows() const { return rows_.load(std::memory_order_acquire); }  // published

    // Engine thread.
    void append_token(TokenId);       // a token whose row is still to be computed
    void drop_token() { --tokens_; }  // takes back the last token, whose row was not computed
    std::int64_t tokens() const { return tokens_; }
    void ensure_pages(std::int64_t rows);  // throws Error(OutOfMemory); the table then is as before
    void set_final_scale(std::int64_t position, float scale) {
        final_scale_[static_cast<std::size_t>(position)] = scale;
    }
    // Tokens of the prompt that the run began with: what longrope chooses its frequencies by.
    void set_prompt_length(std::int64_t tokens) { prompt_length_ = tokens; }
    std::int64_t prompt_length() const { return prompt_length_; }
    // [capacity], to be written for a position before it is published; null without post-norms.
    float* attention_scales(Layer layer) {
        return attention_scales_ ? attention_scales_.get() + to_int(layer) * capacity_ : nullptr;
    }
    // logits: of row `rows` − 1, or null when they were not computed (inside a prompt).
    void publish(std::int64_t rows, std::shared_ptr<const RowLogits> logits);

    // Any thread, for positions < rows() (the engine thread: < tokens()).
    TokenId token(std::int64_t position) const {
        return token_ids_[static_cast<std::size_t>(position)];
    }
    // 1 / rms of the residual stream before the final norm: the frozen norm's scale at each
    // position. One number a token, kept so that a whole attribution map is exact without running
    // the model over all rows again.
    const float* final_scale() const { return final_scale_.data(); }
    // Likewise of the norm behind a layer's attention: what its heads' writes are multiplied by,
    // beside its weight. Null without post-norms.
    const float* attention_scales(Layer layer) const {
        return attention_scales_ ? attention_scales_.get() + to_int(layer) * capacity_ : nullptr;
    }
    // Of the newest row whose logits were computed; null before. Those of other rows are computed
    // again from z.
    std::shared_ptr<const RowLogits> newest_logits() const { return newest_logits_.load(); }
    kernels::TraceView view(Layer) const;
    // The pages taken so far, in order; the engine thread's.
    std::span<const std::int32_t> pages() const {
        return {block_table_.data(), static_cast<std::size_t>(pages_)};
    }

  private:
    RunId id_;
    std::shared_ptr<PagePool> pool_;
    std::shared_ptr<const TraceLayout> layout_;
    std::int64_t capacity_;
    std::int64_t tokens_ = 0;
    std::vector<TokenId> token_ids_;             // [capacity]
    std::vector<float> final_scale_;             // [capacity]
    std::unique_ptr<float[]> attention_scales_;  // [layers, capacity], pages taken as written
    std::int64_t prompt_length_ = 0;
    std::shared_ptr<const RunEdits> edits_ = std::make_shared<RunEdits>();
    std::vector<std::int32_t> block_table_;  // [pages for capacity]
    std::int64_t pages_ = 0;                 // of block_table_ that are taken
    std::atomic<std::int64_t> rows_ = 0;
    std::atomic<std::shared_ptr<const RowLogits>> newest_logits_;
};

}  // namespace engine
