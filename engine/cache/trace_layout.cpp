// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/trace_layout.h"

namespace engine {

TraceLayout::TraceLayout(const ModelConfig& config, std::int64_t page_tokens, bool capture,
                         kernels::Element element)
    : page_tokens_(page_tokens),
      element_(element),
      query_heads_(config.query_heads),
      kv_heads_(config.kv_heads),
      head_dim_(config.head_dim),
      post_normed_layers_(config.post_norm ? config.layers : 0) {
    std::int64_t end = 0;
    const std::int64_t size = element == kernels::Element::F32 ? 4 : 2;
    const auto place = [&end](std::int64_t bytes) {
        const std::int64_t at = end;
        constexpr std::int64_t line = 64;  // cache line, and more than any vector load wants
        end += (bytes + line - 1) / line * line;
        return at;
    };
    const std::int64_t kv = size * kv_heads_ * page_tokens * head_dim_;
    const std::int64_t qz = size * query_heads_ * page_tokens * head_dim_;
    const std::int64_t rows = std::int64_t{query_heads_} * page_tokens * 4;
    for (int layer = 0; layer < config.layers; ++layer) {
        Offsets at{};
        at.k = place(kv);
        at.v = place(kv);
        if (capture || layer == 0) {
            at.q = place(qz);
            at.z = place(qz);
            at.lse = place(rows);
        } else {
            at.q = layers_[0].q;
            at.z = layers_[0].z;
            at.lse = layers_[0].lse;
        }
        layers_.push_back(at);
    }
    page_bytes_ = end;
}

kernels::TraceView TraceLayout::view(int layer, std::byte* pool,
                                     const std::int32_t* block_table) const {
    const Offsets& at = layers_[static_cast<std::size_t>(layer)];
    kernels::TraceView view;
    view.pool = pool;
    view.page_stride = page_bytes_;
    view.k_offset = at.k;
    view.v_offset = at.v;
    view.q_offset = at.q;
    view.z_offset = at.z;
    view.lse_offset = at.lse;
    view.block_table = block_table;
    view.page_tokens = static_cast<std::int32_t>(page_tokens_);
    view.query_heads = query_heads_;
    view.kv_heads = kv_heads_;
    view.head_dim = head_dim_;
    view.element = element_;
    return view;
}

}  // namespace engine
