// SPDX-License-Identifier: GPL-3.0-or-later
// Scores of a block of keys to the pixels of the src axis: st [key][lane] into pooled
// [pixel][lane].
#pragma once
#include "kernels/cpu/softmax_state.h"
#include "kernels/pattern.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// ScoreMax is the fast one: exp(cap(s) − lse) grows with s, so the maximum is taken of plain
// products, and cap, lse and exp follow once a pixel. LargestSigned keeps the greatest and the
// least, since which is larger shows at the end.
enum class Pool { ScoreMax, Max, LargestSigned, Sum };

constexpr float pool_start(Pool pool) {
    return pool == Pool::Sum ? 0.0f : -infinity;
}

// What one trace gives to a block. The second trace of a difference has its own.
struct CellSource {
    const float* st = nullptr;          // [keys][width], capped unless ScoreMax
    const float* lse = nullptr;         // [width]
    const float* weight = nullptr;      // of the block's keys, or null
    const float* row_weight = nullptr;  // [width], or null
};

struct PoolBlock {
    CellSource cells, minus;  // minus.st may be null
    std::int64_t first_key = 0;
    int keys = 0;
    bool raw = false, masked = false;  // masked: some lane does not see some key
    std::int32_t first_key_in_strip = 0, window = 0;
    const std::int32_t* dest = nullptr;   // [width], positions counted as first_key_in_strip
    const std::int64_t* edges = nullptr;  // of the pixels of `pooled`
    float* pooled = nullptr;              // [pixels][width]
    float* pooled_least = nullptr;        // LargestSigned only
};

HEADSCOPE_INLINE f32v cell_value(const CellSource& from, bool raw, int key, int lane, int width) {
    f32v x = load(from.st + key * width + lane);
    if (raw) return x;
    x = exp(x - load(from.lse + lane));
    if (from.row_weight != nullptr) x = x * load(from.row_weight + lane);
    return from.weight == nullptr ? x : x * from.weight[key];
}

template <Pool pool, int Vectors>
inline void pool_block(const PoolBlock& block) {
    constexpr int width = panel_width<Vectors>;
    const bool plain = !block.raw && !block.masked && block.minus.st == nullptr &&
                       block.cells.weight == nullptr && block.cells.row_weight == nullptr;
    int key = 0;
    for (std::int64_t pixel = 0; key < block.keys; ++pixel) {
        const int stop = static_cast<int>(
            least<std::int64_t>(block.keys, block.edges[pixel + 1] - block.first_key));
        if (stop <= key) continue;
        for (int v = 0; v < Vectors; ++v) {
            const int lane = v * lanes;
            float* to = block.pooled + pixel * width + lane;
            f32v best = load(to), lowest{};
            if constexpr (pool == Pool::LargestSigned)
                lowest = load(block.pooled_least + pixel * width + lane);
            const i32v row = load_bytes<i32v>(block.dest + lane);
            if constexpr (pool == Pool::ScoreMax) {
                for (int k = key; k < stop; ++k)
                    best = max(best, load(block.cells.st + k * width + lane));
                store(to, best);
                continue;
            }
            if constexpr (pool == Pool::Sum) {
                if (plain) {
                    const f32v lse = load(block.cells.lse + lane);
                    for (int k = key; k < stop; ++k)
                        best += exp(load(block.cells.st + k * width + lane) - lse);
                    store(to, best);
                    continue;
                }
            }
            for (int k = key; k < stop; ++k) {
                f32v x = cell_value(block.cells, block.raw, k, lane, width);
                if (block.minus.st != nullptr)
                    x = x - cell_value(block.minus, block.raw, k, lane, width);
                i32v visible = splat(-1);
                if (block.masked) {
                    const i32v at = splat(block.first_key_in_strip + k);
                    visible = at <= row;
                    if (block.window > 0) visible &= at > row - block.window;
                }
                if constexpr (pool == Pool::Sum) {
                    best += visible ? x : f32v{};
                } else {
                    best = max(best, visible ? x : splat(-infinity));
                    if constexpr (pool == Pool::LargestSigned)
                        lowest = min(lowest, visible ? x : splat(infinity));
                }
            }
            store(to, best);
            if constexpr (pool == Pool::LargestSigned)
                store(block.pooled_least + pixel * width + lane, lowest);
        }
        key = stop;
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
