// SPDX-License-Identifier: GPL-3.0-or-later
// Views of the paged trace as kernels get them: plain pointers, no ownership, no allocation.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kernels {

enum class Element : std::uint8_t { F32, F16, BF16 };  // the CPU twins take F32 only

// One layer of one run's trace. A page holds page_tokens slots of every layer; position t lives in
// page block_table[t / page_tokens], slot t % page_tokens. All offsets are 64-bit.
struct TraceView {
    std::byte* pool = nullptr;     // page p starts at pool + p · page_stride
    std::int64_t page_stride = 0;  // bytes
    std::int64_t k_offset = 0;  // bytes from a page's start to this layer's k [Hkv, page_tokens, D]
    std::int64_t v_offset = 0;  //                                          v [Hkv, page_tokens, D]
    std::int64_t q_offset = 0;  //                                          q [Hq,  page_tokens, D]
    std::int64_t z_offset = 0;  //                                          z [Hq,  page_tokens, D]
    std::int64_t lse_offset =
        0;  //                                        lse [Hq,  page_tokens], fp32, natural
    const std::int32_t* block_table = nullptr;  // [ceil(rows / page_tokens)]
    std::int32_t page_tokens = 64;
    std::int32_t query_heads = 0, kv_heads = 0;
    std::int32_t head_dim = 0;       // up to 1024: kernels keep panels of rows on their stacks
    Element element = Element::F32;  // of k, v, q, z

    std::int32_t group() const { return query_heads / kv_heads; }
    std::byte* page(std::int64_t position) const {
        return pool + static_cast<std::int64_t>(block_table[position / page_tokens]) * page_stride;
    }
    // The row of `position`: [D] elements. F32 pools only.
    float* row(std::int64_t position, std::int64_t offset, std::int32_t head) const {
        return reinterpret_cast<float*>(page(position) + offset) +
               (static_cast<std::int64_t>(head) * page_tokens + position % page_tokens) * head_dim;
    }
    float* k(std::int64_t position, std::int32_t kv_head) const {
        return row(position, k_offset, kv_head);
    }
    float* v(std::int64_t position, std::int32_t kv_head) const {
        return row(position, v_offset, kv_head);
    }
    float* q(std::int64_t position, std::int32_t head) const {
        return row(position, q_offset, head);
    }
    float* z(std::int64_t position, std::int32_t head) const {
        return row(position, z_offset, head);
    }
    float* lse(std::int64_t position, std::int32_t head) const {
        return reinterpret_cast<float*>(page(position) + lse_offset) +
               static_cast<std::int64_t>(head) * page_tokens + position % page_tokens;
    }
};

// Keys [src_begin, src_end) that `head` may not see at dest rows [dest_begin, dest_end): their
// score is −inf, whatever the mask says.
struct EdgeRange {
    std::int32_t head = 0;
    std::int64_t dest_begin = 0, dest_end = 0, src_begin = 0, src_end = 0;
};
struct ForbiddenEdges {
    const EdgeRange* ranges = nullptr;
    std::int32_t count = 0;  // mostly 0
    bool hold(std::int32_t head, std::int64_t dest, std::int64_t src) const {
        for (std::int32_t i = 0; i < count; ++i) {
            const EdgeRange& at = ranges[i];
            if (at.head == head && at.dest_begin <= dest && dest < at.dest_end &&
                at.src_begin <= src && src < at.src_end)
                return true;
        }
        return false;
    }
};

// The model's own rule for a score, in its own order: scale · q·k, then the cap, then the mask.
// Key src is visible from query dest iff src ≤ dest and (window == 0 or src > dest − window).
struct ScoreRule {
    float scale = 0;
    float soft_cap = 0;            // > 0: cap · tanh(s / cap)
    std::int32_t window = 0;       // 0: none
    const float* sinks = nullptr;  // [Hq] logits that join the softmax, or null
    // Of the run, not of the model. On a device attend_step() alone does not take them.
    ForbiddenEdges forbidden;
};

}  // namespace kernels
