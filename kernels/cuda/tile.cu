// SPDX-License-Identifier: GPL-3.0-or-later
// A block is an item (tile_plan.h): it walks its dest rows in strips of 64 and, a strip, its keys
// in blocks of 64. Where pixels are cells these are written as they come. Else a row's cells of a
// src pixel are pooled in registers and over the lanes that share the row, then in shared memory
// [row][src pixel]; at the end of a strip rows go to dest pixels.
#include "kernels/cuda/score_tile.cuh"
#include "kernels/cuda/tile_item.cuh"

namespace kernels::cuda {

namespace {

constexpr float infinity = -no_score;

__device__ inline Pool pool_of(const TileArgs& args, const TileHead& head) {
    if (args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean) return Pool::Sum;
    if (args.signed_max) return Pool::LargestSigned;
    const bool plain = head.minus_trace == nullptr && head.column_weight == nullptr &&
                       head.row_weight == nullptr && head.rule.scale > 0 &&
                       head.rule.forbidden.count == 0;
    return plain ? Pool::ScoreMax : Pool::Max;
}

// A lane's two rows as one trace gives them.
struct RowValues {
    float lse[2] = {0, 0}, weight[2] = {1, 1};
    __device__ void read(const TraceView& trace, std::int32_t head, const float* weights,
                         std::int32_t dest, std::int32_t limit) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            if (dest + 8 * half < limit) {
                lse[half] = *lse_at(trace, head, dest + 8 * half);
                weight[half] = weights == nullptr ? 1 : weights[dest + 8 * half];
            }
    }
};

// Products to cells: score, or pattern times weights. Masked ones hold anything.
__device__ inline void to_cells(Cells& s, const ScoreRule& rule, bool raw, const RowValues& rows,
                                const float* column_weight, std::int32_t key,
                                std::int32_t last_key) {
    scores_of(s, rule);
    if (raw) return;
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            s[j][e] = power_of_e(s[j][e] - rows.lse[e / 2]) * rows.weight[e / 2];
            const std::int32_t at = 8 * j + lane_key() + e % 2;
            if (column_weight != nullptr && key + at < last_key) s[j][e] *= column_weight[at];
        }
}

template <typename Tile, bool Forbids>
class Strip {
    using T = typename Tile::Element;

  public:
    __device__ Strip(const TileArgs& args, const TileHead& head, std::byte* shared)
        : args_(args), head_(head), tile_(shared, args.head_dim) {
        kv_head_ = head.head / (head.trace.query_heads / head.trace.kv_heads);
        rows_ = static_cast<std::int32_t>(head.minus_trace ? min(head.rows, head.minus_rows)
                                                           : head.rows);
        first_src_ = args.src_edges[0];
    }
    __device__ std::int32_t rows() const { return rows_; }

    // Rows [begin, limit), keys [first, last).
    __device__ void start(std::int32_t begin, std::int32_t limit, std::int32_t first,
                          std::int32_t last) {
        begin_ = begin, limit_ = limit, last_ = last;
        values_.read(head_.trace, head_.head, head_.row_weight, begin + lane_row(), limit);
        if (head_.minus_trace != nullptr) {
            minus_.read(*head_.minus_trace, head_.head, head_.minus_row_weight, begin + lane_row(),
                        limit);
            return;
        }
        tile_.queries(queries(head_.trace), begin, limit);
        tile_.keys(keys(head_.trace), first, last);
    }
    // Products of the key block at `key` when `plain`, else its cells.
    __device__ void block(Cells& s, std::int32_t key, bool plain) {
        if (head_.minus_trace == nullptr) {
            tile_.next(s, keys(head_.trace), key + block_keys, last_);
        } else {  // one view at a time: both runs share the buffers
            products(s, head_.trace, key);
        }
        if (plain) return;
        to_cells(s, head_.rule, args_.raw, values_, weights(head_.column_weight, key), key, last_);
        if constexpr (Forbids) forbid_cells(s, head_.rule.forbidden, key);
        if (head_.minus_trace == nullptr) return;
        Cells other;
        products(other, *head_.minus_trace, key);
        to_cells(other, head_.rule, args_.raw, minus_, weights(head_.minus_column_weight, key), key,
                 last_);
        if constexpr (Forbids) forbid_cells(other, head_.minus_forbidden, key);
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) s[j][e] -= other[j][e];
    }
    __device__ const RowValues& values() const {
        return values_;
    }

  private:
    __device__ Rows<T> queries(const TraceView& trace) const {
        return Rows<T>(trace, trace.q_offset, head_.head);
    }
    __device__ Rows<T> keys(const TraceView& trace) const {
        return Rows<T>(trace, trace.k_offset, kv_head_);
    }
    __device__ const float* weights(const float* given, std::int32_t key) const {
        return given == nullptr ? nullptr : given + (key - first_src_);
    }
    __device__ void forbid_cells(Cells& s, const ForbiddenEdges& edges, std::int32_t key) const {
        forbid(s, edges, head_.head, begin_ + lane_row(), key, args_.raw ? -infinity : 0.0f);
    }
    __device__ void products(Cells& s, const TraceView& trace, std::int32_t key) {
        tile_.queries(queries(trace), begin_, limit_);
        tile_.keys(keys(trace), key, last_);
        tile_.scores(s);
    }

    const TileArgs& args_;
    const TileHead& head_;
    Tile tile_;
    RowValues values_, minus_;
    std::int32_t kv_head_ = 0, rows_ = 0, begin_ = 0, limit_ = 0, last_ = 0;
    std::int64_t first_src_ = 0;
};

template <typename Tile, bool Forbids>
__device__ void write_cells(const TileArgs& args, const TileHead& head, const Item& item,
                            std::byte* shared) {
    Strip<Tile, Forbids> strip(args, head, shared);
    const auto begin = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel]);
    const auto first = static_cast<std::int32_t>(args.src_edges[item.src_pixel]);
    const std::int32_t end = begin + item.dest_pixels, last = first + item.src_pixels;
    const std::int32_t limit = min(end, strip.rows());
    const std::int32_t window = head.rule.window, last_seen = min(last, limit);
    std::int32_t seen = first;
    if (window > 0 && begin - window + 1 > first)
        seen += (begin - window + 1 - first) / block_keys * block_keys;
    if (begin < limit && seen < last_seen) strip.start(begin, limit, seen, last_seen);
    const float empty = args.raw ? -infinity : 0.0f;
    const std::int32_t dest = begin + lane_row();
    for (std::int32_t key = first; key < last; key += block_keys) {
        Cells s;
        if (begin < limit && key >= seen && key < last_seen) strip.block(s, key, false);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::int32_t row = dest + 8 * half;
            if (row >= end) continue;
            const std::int64_t line =
                (item.dest_pixel + row - begin) * args.src.pixels + item.src_pixel - first;
            const bool pairs = head.out != nullptr && (line + key) % 2 == 0 &&
                               reinterpret_cast<std::uintptr_t>(head.out) % 8 == 0;
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const std::int32_t src = key + 8 * j + lane_key();
                float x[2];
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    x[e] =
                        row < limit && visible(row, src + e, window) ? s[j][2 * half + e] : empty;
                if (pairs && src + 1 < last) {
                    __stcs(reinterpret_cast<float2*>(head.out + line + src), float2{x[0], x[1]});
                    continue;
                }
                if (src < last) write_pixel(args, head, line + src, x[0]);
                if (src + 1 < last) write_pixel(args, head, line + src + 1, x[1]);
            }
        }
    }
    await_copies<0>();
}

// A key block's cells into the rows' pixels. Each (row, pixel) has one lane that writes it.
__device__ inline void pool_block(Cells& s, Pool pool, const Pooled& rows, const TileHead& head,
                                  bool raw, const RowValues& values, bool masked, std::int32_t dest,
                                  std::int32_t key, const std::int32_t* edges, int pixels) {
    const std::int32_t window = head.rule.window;
    unsigned hidden[2] = {0, 0};  // a bit a cell: 2j + e
    if (masked)
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (!visible(dest + e / 2 * 8, key + 8 * j + lane_key() + e % 2, window))
                    hidden[e / 2] |= 1u << (2 * j + e % 2);
    int pixel = 0;
    while (edges[pixel + 1] <= key) ++pixel;
    for (; pixel < pixels && edges[pixel] < key + block_keys; ++pixel) {
        const int low = edges[pixel] - key - lane_key(), high = edges[pixel + 1] - key - lane_key();
        float best[2], least[2] = {infinity, infinity};
        best[0] = best[1] = pool == Pool::Sum ? 0 : -infinity;
        if (!masked && edges[pixel] <= key && edges[pixel + 1] >= key + block_keys &&
            pool != Pool::LargestSigned) {  // all of it
            if (pool == Pool::Sum) {
#pragma unroll
                for (int j = 0; j < 8; ++j)
#pragma unroll
                    for (int e = 0; e < 4; ++e) best[e / 2] += s[j][e];
            } else {
#pragma unroll
                for (int j = 0; j < 8; ++j)
#pragma unroll
                    for (int e = 0; e < 4; ++e) best[e / 2] = fmaxf(best[e / 2], s[j][e]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int at = 8 * j + e % 2;
                    const bool take =
                        at >= low && at < high && (hidden[e / 2] >> (2 * j + e % 2) & 1u) == 0;
                    if (pool == Pool::Sum) {
                        best[e / 2] += take ? s[j][e] : 0;
                    } else {
                        best[e / 2] = fmaxf(best[e / 2], take ? s[j][e] : -infinity);
                        if (pool == Pool::LargestSigned)
                            least[e / 2] = fminf(least[e / 2], take ? s[j][e] : infinity);
                    }
                }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float x = pool == Pool::Sum ? quad_sum(best[half]) : quad_max(best[half]);
            float* to = rows.best + (lane_row() + 8 * half) * rows.stride + pixel;
            if (pool == Pool::ScoreMax && x > -infinity) {
                x = score_of(head.rule, x);
                if (!raw) x -= values.lse[half];
            }
            const float y = pool == Pool::LargestSigned ? quad_min(least[half]) : 0;
            if (lane_key() == 0) {
                *to = pool == Pool::Sum ? *to + x : fmaxf(*to, x);
                if (pool == Pool::LargestSigned) {
                    float* low_to = rows.least + (to - rows.best);
                    *low_to = fminf(*low_to, y);
                }
            }
        }
    }
}

template <typename Tile, bool Forbids>
__device__ void pool_item(const TileArgs& args, const TilePlan& plan, const TileHead& head,
                          const Item& item, std::byte* shared) {
    const Pool pool = pool_of(args, head);
    Strip<Tile, Forbids> strip(args, head, shared);
    auto* memory = reinterpret_cast<float*>(shared + Tile::bytes(args.head_dim));
    const int stride = plan.src_pixels + 1, floats = strip_rows * stride;
    auto* edges = reinterpret_cast<std::int32_t*>(memory);  // [src_pixels + 1]
    memory += stride;
    const Pooled pixels{memory, memory + 2 * floats, stride};
    const Pooled rows{memory + floats, memory + 3 * floats, stride};
    for (int i = static_cast<int>(threadIdx.x); i <= item.src_pixels; i += tile_threads)
        edges[i] = static_cast<std::int32_t>(args.src_edges[item.src_pixel + i]);
    reset(pixels, pool);
    __syncthreads();

    const auto first_row = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel]);
    const auto last_row =
        static_cast<std::int32_t>(min(args.dest_edges[item.dest_pixel + item.dest_pixels],
                                      static_cast<std::int64_t>(strip.rows())));
    const std::int32_t window = head.rule.window;
    for (std::int32_t begin = first_row; begin < last_row; begin += strip_rows) {
        const std::int32_t limit = min(last_row, begin + strip_rows);
        const std::int32_t last = min(edges[item.src_pixels], limit);
        std::int32_t first = edges[0];
        if (window > 0 && begin - window + 1 > first)
            first += (begin - window + 1 - first) / block_keys * block_keys;
        if (first >= last) continue;
        reset(rows, pool);
        strip.start(begin, limit, first, last);
        for (std::int32_t key = first; key < last; key += block_keys) {
            Cells s;
            strip.block(s, key, pool == Pool::ScoreMax);
            const bool masked =
                key + block_keys - 1 > begin || (window > 0 && key <= limit - 1 - window);
            pool_block(s, pool, rows, head, args.raw, strip.values(), masked, begin + lane_row(),
                       key, edges, item.src_pixels);
        }
        __syncthreads();
        fold_rows(args, item, pool, rows, pixels, begin, limit);
        __syncthreads();
    }
    await_copies<0>();
    write_pixels(args, head, pool, item, pixels, edges, strip.rows());
}

template <typename Tile, bool Forbids>
__global__ void __launch_bounds__(tile_threads)
    tile_kernel(TileArgs args, TilePlan plan, std::int64_t first_item) {
    extern __shared__ __align__(16) std::byte shared[];
    const Item item = item_at(args, plan, first_item + blockIdx.x);
    const TileHead& head = args.heads[item.head];
    if (plan.cells)
        write_cells<Tile, Forbids>(args, head, item, shared);
    else
        pool_item<Tile, Forbids>(args, plan, head, item, shared);
}

}  // namespace

std::int64_t tile_work(const TileArgs& args) {
    const TilePlan plan = plan_of(args);
    return args.head_count * plan.dest_items * plan.src_items;
}

void tile(const TileArgs& args, std::int64_t first_item, std::int64_t last_item,
          cudaStream_t stream) {
    const TilePlan plan = plan_of(args);
    const std::int64_t work = args.head_count * plan.dest_items * plan.src_items;
    require(first_item >= 0 && last_item <= work, "tile: items " + std::to_string(first_item) +
                                                      " to " + std::to_string(last_item) + " of " +
                                                      std::to_string(work));
    if (first_item >= last_item) return;
    if (plan.wide) return wide_tile(args, plan, first_item, last_item, stream);
    const std::int64_t pooled = plan.cells ? 0 : pooled_bytes(plan, args.signed_max);
    if (hopper_tile(args, plan, first_item, last_item, stream)) return;
    with_element(args.element, [&](auto t) {
        using Tile = ScoreTile<decltype(t)>;
        const std::int64_t bytes = Tile::bytes(args.head_dim) + pooled;
        const auto start = [&](auto kernel) {
            allow_shared(kernel, bytes, "tile");
            kernel<<<static_cast<unsigned>(last_item - first_item), tile_threads,
                     static_cast<std::size_t>(bytes), stream>>>(args, plan, first_item);
            check_launch("tile");
        };
        args.forbids ? start(tile_kernel<Tile, true>) : start(tile_kernel<Tile, false>);
    });
}

}  // namespace kernels::cuda
