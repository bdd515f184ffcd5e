// SPDX-License-Identifier: GPL-3.0-or-later
// The online softmax of a panel: lanes are rows, keys come block by block.
#pragma once
#include "kernels/cpu/panel.h"
#include "kernels/cpu/vector_math.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// Keys of a block that some lane of the panel does not see: st[key] becomes −inf there. Positions
// count from `origin`, so that 32 bits hold them; `dest` [width] are the lanes' own.
template <int Vectors>
inline void mask_block(float* st, std::int32_t first_key, int count, const std::int32_t* dest,
                       std::int32_t window) {
    constexpr int width = panel_width<Vectors>;
    for (int v = 0; v < Vectors; ++v) {
        const i32v row = load_bytes<i32v>(dest + v * lanes);
        for (int k = 0; k < count; ++k) {
            const i32v key = splat(first_key + k);
            i32v visible = key <= row;
            if (window > 0) visible &= key > row - window;
            float* s = st + k * width + v * lanes;
            store(s, visible ? load(s) : splat(-infinity));
        }
    }
}

struct LaneAt {
    std::int32_t head;
    std::int64_t dest;
};

// Keys that a run forbids to some lane: st[key] becomes −inf there. lane_at(i) tells lane i's head
// and dest row.
template <int Vectors, typename LaneAt>
inline void forbid_block(const ForbiddenEdges& edges, float* st, std::int64_t first_key, int count,
                         int used_lanes, const LaneAt& lane_at) {
    constexpr int width = panel_width<Vectors>;
    for (std::int32_t r = 0; r < edges.count; ++r) {
        const EdgeRange& range = edges.ranges[r];
        const std::int64_t from = greatest(range.src_begin, first_key) - first_key,
                           to = least(range.src_end, first_key + count) - first_key;
        for (int lane = 0; lane < used_lanes; ++lane) {
            const auto [head, dest] = lane_at(lane);
            if (head != range.head || dest < range.dest_begin || dest >= range.dest_end) continue;
            for (std::int64_t k = from; k < to; ++k) st[k * width + lane] = -infinity;
        }
    }
}

template <int Vectors>
inline void cap_block(float* st, int count, float cap) {
    const float inverse = 1.0f / cap;
    for (int i = 0; i < count * Vectors; ++i)
        store(st + i * lanes, soft_cap(load(st + i * lanes), cap, inverse));
}

// Scores of `count` keys to exp(s − m'), m' the new maximum; m [width] and l [width] follow; what
// was summed before is to be multiplied by `factor`. A lane that has seen no key yet keeps m =
// −inf, l = 0.
template <int Vectors>
inline void softmax_block(float* st, int count, float* m, float* l, f32v (&factor)[Vectors]) {
    constexpr int width = panel_width<Vectors>;
    for (int v = 0; v < Vectors; ++v) {
        float* s = st + v * lanes;
        const f32v before = load(m + v * lanes);
        f32v a = before, b = before;
        int k = 0;
        for (; k + 2 <= count; k += 2) {
            a = max(a, load(s + k * width));
            b = max(b, load(s + (k + 1) * width));
        }
        if (k < count) a = max(a, load(s + k * width));
        const f32v now = max(a, b);
        const f32v base = now == -infinity ? f32v{} : now;
        f32v total{};
        for (k = 0; k < count; ++k) {
            const f32v p = exp(load(s + k * width) - base);
            store(s + k * width, p);
            total += p;
        }
        factor[v] = exp(before - base);
        store(m + v * lanes, now);
        store(l + v * lanes, load(l + v * lanes) * factor[v] + total);
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
