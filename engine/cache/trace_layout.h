// SPDX-License-Identifier: GPL-3.0-or-later
// Where k, v, q, z and lse of every layer lie inside a page.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model_config.h"
#include "kernels/views.h"

namespace engine {

class TraceLayout {
  public:
    // capture false: q, z and lse of all layers share one place and are overwritten by the next
    // layer, so that a run without capture uses the same kernels and only k and v are kept.
    TraceLayout(const ModelConfig&, std::int64_t page_tokens, bool capture,
                kernels::Element element = kernels::Element::F32);

    std::int64_t page_bytes() const { return page_bytes_; }
    std::int64_t page_tokens() const { return page_tokens_; }
    std::int64_t bytes_per_token() const { return page_bytes_ / page_tokens_; }
    std::int64_t pages_for(std::int64_t tokens) const {
        return (tokens + page_tokens_ - 1) / page_tokens_;
    }
    // Layers whose attention output is normed before it is added: a run keeps that norm's scale.
    int post_normed_layers() const { return post_normed_layers_; }
    kernels::TraceView view(int layer, std::byte* pool, const std::int32_t* block_table) const;

  private:
    struct Offsets {
        std::int64_t k, v, q, z, lse;
    };
    std::vector<Offsets> layers_;
    std::int64_t page_bytes_ = 0, page_tokens_ = 0;
    kernels::Element element_;  // of k, v, q and z; lse is fp32
    int query_heads_ = 0, kv_heads_ = 0, head_dim_ = 0, post_normed_layers_ = 0;
};

}  // namespace engine
