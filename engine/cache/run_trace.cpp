// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/run_trace.h"

#include <algorithm>

namespace engine {

RunTrace::RunTrace(RunId id, std::shared_ptr<PagePool> pool,
                   std::shared_ptr<const TraceLayout> layout, std::int64_t capacity)
    : id_(id),
      pool_(std::move(pool)),
      layout_(std::move(layout)),
      capacity_(capacity),
      token_ids_(static_cast<std::size_t>(capacity)),
      final_scale_(static_cast<std::size_t>(capacity)),
      block_table_(static_cast<std::size_t>(layout_->pages_for(capacity))) {
    if (const int layers = layout_->post_normed_layers(); layers > 0)
        attention_scales_ = std::make_unique_for_overwrite<float[]>(
            static_cast<std::size_t>(layers) * static_cast<std::size_t>(capacity));
}

RunTrace::~RunTrace() {
    for (std::int64_t i = 0; i < pages_; ++i)
        pool_->release(block_table_[static_cast<std::size_t>(i)]);
}

void RunTrace::share(const RunTrace& parent, std::int64_t rows) {
    const std::int64_t whole = rows / layout_->page_tokens();
    for (; pages_ < whole; ++pages_) {
        const std::int32_t page = parent.block_table_[static_cast<std::size_t>(pages_)];
        pool_->retain(page);
        block_table_[static_cast<std::size_t>(pages_)] = page;
    }
    if (rows % layout_->page_tokens() != 0) {
        ensure_pages(rows);
        pool_->copy(parent.block_table_[static_cast<std::size_t>(whole)],
                    block_table_[static_cast<std::size_t>(whole)]);
    }
    std::copy_n(parent.token_ids_.begin(), rows, token_ids_.begin());
    std::copy_n(parent.final_scale_.begin(), rows, final_scale_.begin());
    for (int layer = 0; layer < layout_->post_normed_layers(); ++layer)
        std::copy_n(parent.attention_scales(Layer{layer}), rows, attention_scales(Layer{layer}));
    prompt_length_ = parent.prompt_length_;
    edits_ = parent.edits_;
    tokens_ = rows;
    publish(rows, nullptr);
}

std::int64_t RunTrace::rows_alike(std::span<const TokenId> tokens, const RunEdits& edits) const {
    const std::int64_t most = std::min(
        {rows(), static_cast<std::int64_t>(tokens.size()) - 1, edits_->first_difference(edits)});
    std::int64_t alike = 0;
    while (alike < most && token(alike) == tokens[static_cast<std::size_t>(alike)]) ++alike;
    return alike;
}

void RunTrace::publish(std::int64_t rows, std::shared_ptr<const RowLogits> logits) {
    if (logits) newest_logits_.store(std::move(logits));
    rows_.store(rows, std::memory_order_release);
}

void RunTrace::append_token(TokenId token) {
    token_ids_[static_cast<std::size_t>(tokens_++)] = token;
}

void RunTrace::ensure_pages(std::int64_t rows) {
    const std::int64_t wanted = layout_->pages_for(rows);
    while (pages_ < wanted) {
        block_table_[static_cast<std::size_t>(pages_)] = pool_->take();
        ++pages_;
    }
}

kernels::TraceView RunTrace::view(Layer layer) const {
    return layout_->view(to_int(layer), pool_->base(), block_table_.data());
}

}  // namespace engine
