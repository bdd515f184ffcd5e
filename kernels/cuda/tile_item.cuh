// SPDX-License-Identifier: GPL-3.0-or-later
// An item of a tile request on the device: where it lies, what is pooled, and how that becomes
// pixels.
#pragma once
#include "kernels/cuda/score_tile.cuh"
#include "kernels/cuda/tile_pixels.cuh"

namespace kernels::cuda {

constexpr float no_score = -__builtin_huge_valf();

// ScoreMax is the fast one: exp(cap(scale · s) − lse) grows with s where scale > 0, so the maximum
// is taken of plain products, and scale, cap, lse and exp follow once a pixel.
enum class Pool { ScoreMax, Max, LargestSigned, Sum };

// [strip_rows or dest pixels][src pixels]; a second half for the least of LargestSigned.
struct Pooled {
    float *best, *least;
    int stride;
};

// Of numbers that are not negative; 64 bits divide several times as long, and few are so many.
__device__ inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) != 0) return a / b;
    return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
}

struct Item {
    std::int64_t head = 0;
    std::int32_t dest_pixel = 0, dest_pixels = 0, src_pixel = 0, src_pixels = 0;
};
__device__ inline Item item_at(const TileArgs& args, const TilePlan& plan, std::int64_t index) {
    Item item;
    const std::int64_t of_head = plan.dest_items * plan.src_items;
    item.head = quotient(index, of_head);
    const std::int64_t within = index - item.head * of_head, row = quotient(within, plan.src_items);
    // The last rows see most keys: they go first.
    item.dest_pixel = static_cast<std::int32_t>((plan.dest_items - 1 - row) * plan.dest_pixels);
    item.src_pixel = static_cast<std::int32_t>((within - row * plan.src_items) * plan.src_pixels);
    item.dest_pixels = static_cast<std::int32_t>(
        min(static_cast<std::int64_t>(plan.dest_pixels), args.dest.pixels - item.dest_pixel));
    item.src_pixels = static_cast<std::int32_t>(
        min(static_cast<std::int64_t>(plan.src_pixels), args.src.pixels - item.src_pixel));
    return item;
}

// Rows [begin, limit) of a strip to the dest pixels.
__device__ inline void fold_rows(const TileArgs& args, const Item& item, Pool pool,
                                 const Pooled& rows, const Pooled& pixels, std::int32_t begin,
                                 std::int32_t limit) {
    const int tasks = item.dest_pixels * item.src_pixels;
    for (int task = static_cast<int>(threadIdx.x); task < tasks; task += tile_threads) {
        const int d = task / item.src_pixels, p = task % item.src_pixels;
        const auto low = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d]);
        const auto high = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d + 1]);
        float best = pixels.best[d * pixels.stride + p], least = 0;
        if (pool == Pool::LargestSigned) least = pixels.least[d * pixels.stride + p];
#pragma unroll 8
        for (std::int32_t row = max(low, begin); row < min(high, limit); ++row) {
            const float* from = rows.best + (row - begin) * rows.stride + p;
            best = pool == Pool::Sum ? best + *from : fmaxf(best, *from);
            if (pool == Pool::LargestSigned)
                least = fminf(least, rows.least[(row - begin) * rows.stride + p]);
        }
        pixels.best[d * pixels.stride + p] = best;
        if (pool == Pool::LargestSigned) pixels.least[d * pixels.stride + p] = least;
    }
}

__device__ inline void reset(const Pooled& pooled, Pool pool) {
    for (int at = static_cast<int>(threadIdx.x); at < strip_rows * pooled.stride;
         at += tile_threads) {
        pooled.best[at] = pool == Pool::Sum ? 0 : no_score;
        if (pool == Pool::LargestSigned) pooled.least[at] = -no_score;
    }
}

__device__ inline float finished(const TileArgs& args, const TileHead& head, Pool pool, float best,
                                 float least, std::int64_t first, std::int64_t last,
                                 std::int64_t key, std::int64_t end) {
    const float empty = args.raw ? no_score : 0.0f;
    if (pool == Pool::ScoreMax) return args.raw ? best : power_of_e(best);
    if (pool == Pool::Sum) {
        const std::int64_t cells =
            first < last ? visible_cells(first, last, key, end, head.rule.window) : 0;
        if (cells == 0) return empty;
        if (args.pooling == TilePooling::Sum) return best;
        return best / static_cast<float>(args.span_mean ? last - first : cells);
    }
    if (best == no_score) return empty;
    return pool == Pool::LargestSigned && -least > best ? least : best;
}

// All pixels of an item, from their pooled values. edges: of its src pixels.
__device__ inline void write_pixels(const TileArgs& args, const TileHead& head, Pool pool,
                                    const Item& item, const Pooled& pixels,
                                    const std::int32_t* edges, std::int64_t rows) {
    const int tasks = item.dest_pixels * item.src_pixels;
    for (int task = static_cast<int>(threadIdx.x); task < tasks; task += tile_threads) {
        const int d = task / item.src_pixels, p = task % item.src_pixels;
        const std::int64_t low = args.dest_edges[item.dest_pixel + d],
                           high = min(args.dest_edges[item.dest_pixel + d + 1], rows);
        const float least = pool == Pool::LargestSigned ? pixels.least[d * pixels.stride + p] : 0;
        const float x = finished(args, head, pool, pixels.best[d * pixels.stride + p], least, low,
                                 high, edges[p], edges[p + 1]);
        write_pixel(args, head, (item.dest_pixel + d) * args.src.pixels + item.src_pixel + p, x);
    }
}

// Shared memory behind the products' own: edges, then rows and pixels.
inline std::int64_t pooled_bytes(const TilePlan& plan, bool signed_max) {
    return (plan.src_pixels + 1) * (1 + std::int64_t{strip_rows} * (signed_max ? 4 : 2)) * 4;
}

}  // namespace kernels::cuda
