// SPDX-License-Identifier: GPL-3.0-or-later
// A row of pixels from what was pooled: means, empty pixels, bytes.
#pragma once
#include "kernels/cpu/tile_pool.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// Visible cells of dest rows [first, last) and keys [begin, end).
inline std::int64_t visible_cells(std::int64_t first, std::int64_t last, std::int64_t begin,
                                  std::int64_t end, std::int64_t window) {
    if (first >= last || begin >= end || begin > last - 1) return 0;
    if (window == 0 && end <= first + 1) return (last - first) * (end - begin);
    std::int64_t cells = 0;
    for (std::int64_t dest = first; dest < last; ++dest) {
        const std::int64_t from = window > 0 ? greatest(begin, dest - window + 1) : begin;
        const std::int64_t to = least(end, dest + 1);
        if (to > from) cells += to - from;
    }
    return cells;
}

HEADSCOPE_INLINE f32v transferred(TileArgs::Transfer transfer, f32v x) {
    if (transfer == TileArgs::Transfer::Linear) return x;
    if (transfer == TileArgs::Transfer::Log) return log(max(x, splat(1.17549435e-38f)));
    f32v root = max(x, f32v{});
    for (int i = 0; i < lanes; ++i) root[i] = __builtin_sqrtf(root[i]);
    return root;
}

// NaN becomes 0. Where low = high, what is above becomes 255 and the rest 0.
inline void to_bytes(const TileArgs& args, const float* from, std::int64_t count,
                     std::uint8_t* to) {
    const f32v low = transferred(args.transfer, splat(args.low));
    const f32v factor = 1.0f / (transferred(args.transfer, splat(args.high)) - low);
    for (std::int64_t i = 0; i < count; i += lanes) {  // `from` is padded to whole vectors
        const f32v mapped = (transferred(args.transfer, load(from + i)) - low) * factor;
        const f32v bytes = min(max(mapped, f32v{}), splat(1.0f)) * 255.0f + 0.5f;
        for (int j = 0; j < lanes && i + j < count; ++j)
            to[i + j] = static_cast<std::uint8_t>(bytes[j]);
    }
}

// One pixel's dest rows (those that are published).
struct PixelRow {
    std::int64_t first = 0, last = 0;
};

// `pooled` [count] to what the contract asks for, in place. `edges` are those of the row's first
// src pixel.
template <Pool pool>
inline void finish_pixels(const TileArgs& args, std::int32_t window, const PixelRow& rows,
                          const std::int64_t* edges, std::int64_t count, float* pooled,
                          const float* pooled_least) {
    const float empty = args.raw ? -infinity : 0.0f;
    if constexpr (pool == Pool::ScoreMax) {
        if (!args.raw)
            for (std::int64_t i = 0; i < count; i += lanes)
                store(pooled + i, exp(load(pooled + i)));
    } else if constexpr (pool == Pool::Sum) {
        if (args.pooling == TilePooling::Sum && !args.raw) return;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t cells =
                visible_cells(rows.first, rows.last, edges[i], edges[i + 1], window);
            const std::int64_t by = args.pooling == TilePooling::Sum ? 1
                                    : args.span_mean                 ? rows.last - rows.first
                                                                     : cells;
            pooled[i] = cells == 0 ? empty : pooled[i] / static_cast<float>(by);
        }
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            if (pooled[i] == -infinity)
                pooled[i] = empty;
            else if (pool == Pool::LargestSigned && -pooled_least[i] > pooled[i])
                pooled[i] = pooled_least[i];
        }
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
