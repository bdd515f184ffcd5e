// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles without weights or a second run, on Hopper. What a block does is what tile.cu's does; here
// a lane keeps what it pools in registers until a src pixel ends, and the exponential is one
// multiply-add and one special function a cell, or for a maximum one of each a pixel.
#include "kernels/cuda/hopper_tile.cuh"
#include "kernels/cuda/tile_item.cuh"

namespace kernels::cuda {

namespace {

enum class Way { Cells, Max, Sum };

constexpr int staged_stride = block_keys + 4;  // floats of a staged row

// Of a lane's two rows: p = 2^(product · slope − offset).
struct Exponent {
    float lse[2] = {0, 0}, offset[2] = {0, 0}, slope = 0;
    __device__ Exponent(const TileHead& head, std::int32_t dest, std::int32_t limit)
        : slope(head.rule.scale * log2_of_e) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            if (dest + 8 * half < limit) {
                lse[half] = *lse_at(head.trace, head.head, dest + 8 * half);
                offset[half] = lse[half] * log2_of_e;
            }
    }
    __device__ void apply(Cells& s, const ScoreRule& rule) const {
        if (rule.soft_cap > 0) {
            scores_of(s, rule);
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) s[j][e] = power_of_e(s[j][e] - lse[e / 2]);
            return;
        }
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) s[j][e] = power_of_2(fmaf(s[j][e], slope, -offset[e / 2]));
    }
};

__device__ inline bool has_hidden(std::int32_t begin, std::int32_t limit, std::int32_t key,
                                  std::int32_t window) {
    return key + block_keys - 1 > begin || (window > 0 && key <= limit - 1 - window);
}
// The first block that a strip sees of those that begin at `first`.
__device__ inline std::int32_t first_seen(std::int32_t begin, std::int32_t first,
                                          std::int32_t window) {
    if (window == 0 || begin - window + 1 <= first) return first;
    return first + (begin - window + 1 - first) / block_keys * block_keys;
}

template <typename T, int Dim>
__device__ void write_cells(const TileArgs& args, const TileHead& head, const Item& item,
                            std::byte* shared) {
    HopperTile<T, Dim> tile(shared, Dim);
    const TraceView& trace = head.trace;
    const Rows<T> keys(trace, trace.k_offset, head.head / (trace.query_heads / trace.kv_heads));
    const auto begin = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel]);
    const auto first = static_cast<std::int32_t>(args.src_edges[item.src_pixel]);
    const std::int32_t end = begin + item.dest_pixels, last = first + item.src_pixels;
    const std::int32_t limit = min(end, static_cast<std::int32_t>(head.rows));
    const std::int32_t window = head.rule.window, last_seen = min(last, limit);
    const std::int32_t seen = first_seen(begin, first, window), dest = begin + lane_row();
    const Exponent exponent(head, dest, limit);
    const bool any = begin < limit && seen < last_seen;
    if (any) {
        tile.queries(Rows<T>(trace, trace.q_offset, head.head), begin, limit);
        tile.keys(keys, seen, last_seen);
    }
    const float empty = args.raw ? no_score : 0.0f;
    // Whole lines at a time, by way of shared memory: what a lane holds is scattered.
    const bool lines = head.out != nullptr && args.src.pixels % 4 == 0 &&
                       item.src_pixels % 4 == 0 &&
                       reinterpret_cast<std::uintptr_t>(head.out) % 16 == 0;
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    float* staged = reinterpret_cast<float*>(shared + HopperTile<T, Dim>::bytes(Dim)) +
                    warp * 16 * staged_stride;
    for (std::int32_t key = first; key < last; key += block_keys) {
        Cells s;
        if (any && key >= seen && key < last_seen) {
            tile.next(s, keys, key + block_keys, last_seen);
            if (args.raw)
                scores_of(s, head.rule);
            else
                exponent.apply(s, head.rule);
            if (has_hidden(begin, limit, key, window)) hide(s, dest, key, window, empty);
        } else {
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) s[j][e] = empty;
        }
        const std::int64_t corner =
            std::int64_t{item.dest_pixel} * args.src.pixels + item.src_pixel + key - first;
        if (lines) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const bool there = dest + 8 * half < limit;
                float* row = staged + (lane / 4 + 8 * half) * staged_stride + lane_key();
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    *reinterpret_cast<float2*>(row + 8 * j) = {there ? s[j][2 * half] : empty,
                                                               there ? s[j][2 * half + 1] : empty};
            }
            __syncwarp();
            const int column = lane % 16 * 4;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int local = 2 * i + lane / 16, row = warp * 16 + local;
                if (begin + row < end && key + column < last)
                    __stcs(
                        reinterpret_cast<float4*>(head.out + corner + row * args.src.pixels +
                                                  column),
                        *reinterpret_cast<const float4*>(staged + local * staged_stride + column));
            }
            __syncwarp();
            continue;
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::int32_t row = dest + 8 * half;
            if (row >= end) continue;
            const std::int64_t line = corner + (row - begin) * args.src.pixels;
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const int at = 8 * j + lane_key() + e;
                    if (key + at < last)
                        write_pixel(args, head, line + at,
                                    row < limit ? s[j][2 * half + e] : empty);
                }
        }
    }
    await_copies<0>();
}

// What a lane has pooled of the src pixel at hand.
template <Way way>
struct Running {
    float best[2];
    __device__ void clear() { best[0] = best[1] = way == Way::Sum ? 0 : no_score; }
    __device__ void take(int half, float x) {
        best[half] = way == Way::Sum ? best[half] + x : fmaxf(best[half], x);
    }
    // The pixel is done: its one value a row. Each (row, pixel) of a strip ends once.
    __device__ void end(const Pooled& rows, int pixel, const ScoreRule& rule, bool raw,
                        const Exponent& exponent) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float x = way == Way::Sum ? quad_sum(best[half]) : quad_max(best[half]);
            if (way == Way::Max && x > no_score) {
                x = score_of(rule, x);
                if (!raw) x -= exponent.lse[half];
            }
            if (lane_key() == 0) rows.best[(lane_row() + 8 * half) * rows.stride + pixel] = x;
        }
        clear();
    }
};

template <typename T, int Dim, Way way>
__device__ void pool_item(const TileArgs& args, const TilePlan& plan, const TileHead& head,
                          const Item& item, std::byte* shared) {
    constexpr Pool pool = way == Way::Sum ? Pool::Sum : Pool::ScoreMax;
    constexpr float hidden = way == Way::Sum ? 0 : no_score;
    HopperTile<T, Dim> tile(shared, Dim);
    const TraceView& trace = head.trace;
    const Rows<T> keys(trace, trace.k_offset, head.head / (trace.query_heads / trace.kv_heads));
    auto* memory = reinterpret_cast<float*>(shared + HopperTile<T, Dim>::bytes(Dim));
    const int stride = plan.src_pixels + 1, floats = strip_rows * stride;
    auto* edges = reinterpret_cast<std::int32_t*>(memory);  // [src_pixels + 1]
    memory += stride;
    const Pooled pixels{memory, nullptr, stride}, rows{memory + floats, nullptr, stride};
    bool aligned = true;  // pixels of whole eights, as the lanes hold keys
    for (int i = static_cast<int>(threadIdx.x); i <= item.src_pixels; i += tile_threads) {
        edges[i] = static_cast<std::int32_t>(args.src_edges[item.src_pixel + i]);
        aligned = aligned && (edges[i] - args.src_edges[item.src_pixel]) % 8 == 0;
    }
    reset(pixels, pool);
    const bool eights = __syncthreads_and(aligned);

    const std::int32_t first_edge = edges[0], last_edge = edges[item.src_pixels];
    const auto first_row = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel]);
    const auto last_row = static_cast<std::int32_t>(
        min(args.dest_edges[item.dest_pixel + item.dest_pixels], head.rows));
    const std::int32_t window = head.rule.window;
    for (std::int32_t begin = first_row; begin < last_row; begin += strip_rows) {
        const std::int32_t limit = min(last_row, begin + strip_rows);
        const std::int32_t last = min(last_edge, limit), dest = begin + lane_row();
        const std::int32_t first = first_seen(begin, first_edge, window);
        if (first >= last) continue;
        reset(rows, pool);
        tile.queries(Rows<T>(trace, trace.q_offset, head.head), begin, limit);
        tile.keys(keys, first, last);
        const Exponent exponent(head, dest, limit);
        int pixel = 0;
        while (edges[pixel + 1] <= first) ++pixel;
        std::int32_t edge = edges[pixel + 1];
        Running<way> running;
        running.clear();
        for (std::int32_t key = first; key < last; key += block_keys) {
            Cells s;
            tile.next(s, keys, key + block_keys, last);
            if (way == Way::Sum) {
                if (args.raw)
                    scores_of(s, head.rule);
                else
                    exponent.apply(s, head.rule);
            }
            if (has_hidden(begin, limit, key, window)) hide(s, dest, key, window, hidden);
            if (eights) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
#pragma unroll
                    for (int e = 0; e < 4; ++e) running.take(e / 2, s[j][e]);
                    if (edge == key + 8 * (j + 1)) {
                        running.end(rows, pixel, head.rule, args.raw, exponent);
                        edge = ++pixel < item.src_pixels ? edges[pixel + 1] : -1;
                    }
                }
                continue;
            }
            for (int from = 0; pixel < item.src_pixels;) {
                const int to = edge - key;
#pragma unroll
                for (int j = 0; j < 8; ++j)
#pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        const int at = 8 * j + lane_key() + e % 2;
                        running.take(e / 2, at >= from && at < to ? s[j][e] : hidden);
                    }
                if (to > block_keys) break;
                running.end(rows, pixel, head.rule, args.raw, exponent);
                edge = ++pixel < item.src_pixels ? edges[pixel + 1] : -1;
                from = to;
                if (to == block_keys) break;
            }
        }
        if (pixel < item.src_pixels) running.end(rows, pixel, head.rule, args.raw, exponent);
        __syncthreads();
        fold_rows(args, item, pool, rows, pixels, begin, limit);
        __syncthreads();
    }
    await_copies<0>();
    write_pixels(args, head, pool, item, pixels, edges, head.rows);
}

template <typename T, int Dim, Way way>
__global__ void __launch_bounds__(tile_threads, 4)
    view_kernel(TileArgs args, TilePlan plan, std::int64_t first_item) {
    extern __shared__ __align__(16) std::byte shared[];
    const Item item = item_at(args, plan, first_item + blockIdx.x);
    const TileHead head = args.heads[item.head];
    if constexpr (way == Way::Cells)
        write_cells<T, Dim>(args, head, item, shared);
    else
        pool_item<T, Dim, way>(args, plan, head, item, shared);
}

template <typename T, int Dim, Way way>
bool start(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
           std::int64_t last_item, cudaStream_t stream) {
    const auto kernel = view_kernel<T, Dim, way>;
    if (!has_hopper_code(kernel)) return false;
    const std::int64_t bytes =
        HopperTile<T, Dim>::bytes(Dim) +
        (way == Way::Cells ? strip_rows * staged_stride * 4 : pooled_bytes(plan, false));
    allow_shared(kernel, bytes, "tile");
    kernel<<<static_cast<unsigned>(last_item - first_item), tile_threads,
             static_cast<std::size_t>(bytes), stream>>>(args, plan, first_item);
    check_launch("tile");
    return true;
}

template <typename T, int Dim>
bool choose(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
            std::int64_t last_item, cudaStream_t stream) {
    if (plan.cells) return start<T, Dim, Way::Cells>(args, plan, first_item, last_item, stream);
    if (args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean)
        return start<T, Dim, Way::Sum>(args, plan, first_item, last_item, stream);
    return start<T, Dim, Way::Max>(args, plan, first_item, last_item, stream);
}

}  // namespace

bool hopper_tile(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
                 std::int64_t last_item, cudaStream_t stream) {
    if (!args.plain || !plan.ascending || args.signed_max || args.element == Element::F32)
        return false;
    const auto with = [&](auto t) {
        using T = decltype(t);
        if (args.head_dim == 128) return choose<T, 128>(args, plan, first_item, last_item, stream);
        if (args.head_dim == 64) return choose<T, 64>(args, plan, first_item, last_item, stream);
        return false;
    };
    return args.element == Element::F16 ? with(__half{}) : with(bf16{});
}

}  // namespace kernels::cuda
