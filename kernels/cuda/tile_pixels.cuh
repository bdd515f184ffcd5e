// SPDX-License-Identifier: GPL-3.0-or-later
// Pixels from what was pooled: means, empty pixels, bytes.
#pragma once
#include "kernels/cuda/tile_plan.h"

namespace kernels::cuda {

// Pairs (dest, src) of dest in [first, last) with key ≤ src ≤ dest.
__device__ inline std::int64_t cells_from(std::int64_t key, std::int64_t first, std::int64_t last) {
    const std::int64_t from = first > key ? first : key, n = last - from;
    return n <= 0 ? 0 : n * (from + 1 - key) + n * (n - 1) / 2;
}
// Visible cells of dest rows [first, last) and keys [begin, end).
__device__ inline std::int64_t visible_cells(std::int64_t first, std::int64_t last,
                                             std::int64_t begin, std::int64_t end,
                                             std::int64_t window) {
    std::int64_t cells = cells_from(begin, first, last) - cells_from(end, first, last);
    if (window > 0)
        cells -= cells_from(begin + window, first, last) - cells_from(end + window, first, last);
    return cells;
}

__device__ inline float transferred(kernels::TileArgs::Transfer transfer, float x) {
    using Transfer = kernels::TileArgs::Transfer;
    if (transfer == Transfer::Linear) return x;
    if (transfer == Transfer::Log) return logf(fmaxf(x, 1.17549435e-38f));
    return sqrtf(fmaxf(x, 0.0f));
}

__device__ inline std::uint8_t byte_of(const TileArgs& args, float x) {
    const float low = transferred(args.transfer, args.low);
    const float factor = 1.0f / (transferred(args.transfer, args.high) - low);
    const float mapped = (transferred(args.transfer, x) - low) * factor;
    // The maximum drops NaN.
    return static_cast<std::uint8_t>(fminf(fmaxf(mapped, 0.0f), 1.0f) * 255.0f + 0.5f);
}

__device__ inline void write_pixel(const TileArgs& args, const TileHead& head, std::int64_t at,
                                   float x) {
    if (head.out_u8 != nullptr)
        head.out_u8[at] = byte_of(args, x);
    else
        head.out[at] = x;
}

}  // namespace kernels::cuda
