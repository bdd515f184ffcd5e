// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled tiles without weights or a second run whose src pixels are 8, 16, 32, 64 or a multiple of
// 128 cells, on Hopper: a strip of 128 query rows walks its keys 128 at a time. A warpgroup
// multiplies it in two halves: while one half's products are pooled the other's are under way.
// Another warp has the copy engine bring keys ahead, and a strip's rows: warps that copied by
// themselves were what the products waited for. So many rows a key tile keep the second-level
// cache's rate out of the way, which bounds strips of 64 rows, and two such blocks share a
// multiprocessor, so that one works while the other waits for its first rows.
#pragma once
#include "kernels/cuda/hopper_boxes.h"
#include "kernels/cuda/hopper_wide.cuh"
#include "kernels/cuda/tile_item.cuh"

namespace kernels::cuda {

namespace strips {

enum class Way { Max, Sum };

constexpr int slab_rows = 8, slabs = wide_rows / slab_rows;

// Values of `Count` pixels, each over all lanes: every step halves what a lane still has to
// combine. Lane p · 32 / Count ends with pixel p.
template <Way way>
__device__ inline float combined(float a, float b) {
    return way == Way::Sum ? a + b : fmaxf(a, b);
}
template <Way way, int Count>
__device__ inline float over_lanes(float (&x)[Count]) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    int step = 16;
#pragma unroll
    for (int left = Count / 2; left > 0; left /= 2, step /= 2) {
        const bool upper = (lane & step) != 0;
#pragma unroll
        for (int i = 0; i < left; ++i) {
            // By value: a choice between the places themselves would put x into memory.
            const float low = x[i], high = x[i + left];
            const float kept = upper ? high : low, given = upper ? low : high;
            x[i] = combined<way>(kept, __shfl_xor_sync(0xffffffffu, given, step));
        }
    }
#pragma unroll
    for (; step > 0; step /= 2)
        x[0] = combined<way>(x[0], __shfl_xor_sync(0xffffffffu, x[0], step));
    return x[0];
}

// 64 of a strip's query rows. Eights: of keys, of a src pixel in a tile; with 16 of them a
// pixel goes over one tile or several, and what it has so far stays in registers.
template <Way way, int Eights>
struct Half {
    static constexpr int count = 16 / Eights;
    static constexpr float nothing = way == Way::Sum ? 0 : no_score;
    float best[2], lse[2];   // of a sum as an exponent of 2
    std::int32_t row, edge;  // of this lane, the other at + 8; end of the pixel at hand
    int pixel, slab;         // slab of this warp's first eight rows
    bool there[2];

    __device__ void start(const TileArgs& args, const TileHead& head, const WideShape& shape,
                          std::int32_t begin, std::int32_t base, std::int32_t limit,
                          std::int32_t first) {
        const int warp = static_cast<int>(threadIdx.x / 32 % 4),
                  lane = static_cast<int>(threadIdx.x % 32);
        row = base + warp * 16 + lane / 4;
        slab = (base - begin) / slab_rows + warp * 2;
        pixel = (first - shape.first) / shape.step;
        edge = shape.first + (pixel + 1) * shape.step;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            there[half] = row + 8 * half < limit;
            lse[half] =
                there[half] && !args.raw ? *lse_at(head.trace, head.head, row + 8 * half) : 0;
            // A row that is not there adds 2^−∞.
            if (way == Way::Sum) lse[half] = there[half] ? lse[half] * log2_of_e : -no_score;
            best[half] = nothing;
        }
    }

    // s is only read: the unit is not to see it change while products are under way.
    __device__ void pool(const WideCells& s, const ScoreRule& rule, const WideShape& shape,
                         std::int32_t base, std::int32_t key, std::int32_t last, int pixels,
                         float* pooled, int stride) {
        if (key + wide_keys - 1 > base || key + wide_keys > last ||
            (shape.window > 0 && key <= base + 63 - shape.window))
            take<true>(s, rule, shape, key, last, pixels, pooled, stride);
        else
            take<false>(s, rule, shape, key, last, pixels, pooled, stride);
    }
    // The pixel at hand is done, if it is one.
    __device__ void end(const ScoreRule& rule, int pixels, float* pooled, int stride) {
        float x[1][2] = {{best[0], best[1]}};
        write<1>(x, rule, pixels, pooled, stride);
        best[0] = best[1] = nothing;
        ++pixel;
    }

  private:
    template <bool Masked>
    __device__ void take(const WideCells& s, const ScoreRule& rule, const WideShape& shape,
                         std::int32_t key, std::int32_t last, int pixels, float* pooled,
                         int stride) {
        const std::int32_t low = key + static_cast<std::int32_t>(threadIdx.x % 4 * 2);
        const float slope = rule.scale * log2_of_e;
        float x[count][2];
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                float value =
                    way == Way::Max ? s[j][e] : power_of_2(fmaf(s[j][e], slope, -lse[e / 2]));
                const std::int32_t src = low + 8 * j + e % 2;
                if (Masked && (src >= last || !visible(row + e / 2 * 8, src, shape.window)))
                    value = nothing;
                float& to = x[j / Eights][e / 2];
                to = j % Eights == 0 && e % 2 == 0 ? value : combined<way>(to, value);
            }
        if constexpr (count == 1) {
            best[0] = combined<way>(best[0], x[0][0]);
            best[1] = combined<way>(best[1], x[0][1]);
            if (edge != key + wide_keys) return;
            edge += shape.step;
            end(rule, pixels, pooled, stride);
        } else {
            write<count>(x, rule, pixels, pooled, stride);
            pixel += count;
        }
    }
    template <int Count>
    __device__ void write(const float (&values)[Count][2], const ScoreRule& rule, int pixels,
                          float* pooled, int stride) const {
        constexpr int lanes = 32 / Count;
        const int lane = static_cast<int>(threadIdx.x % 32), at = pixel + lane / lanes;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float x[Count];
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                x[i] = way == Way::Max ? fmaf(values[i][half], rule.scale, -lse[half])
                                       : values[i][half];
                if (!there[half]) x[i] = nothing;  // its queries may be anything
            }
            const float all = over_lanes<way>(x);
            if (lane % lanes == 0 && at < pixels) pooled[(slab + half) * stride + at] = all;
        }
    }
};

// Where 64 or 8 of a head's rows lie in the pool's matrix.
struct BoxRows {
    const std::int32_t* table;
    std::int32_t page_tokens, page_rows, first;

    __device__ BoxRows(const TraceView& trace, std::int64_t section, std::int32_t head,
                       std::int32_t row_bytes)
        : table(trace.block_table),
          page_tokens(trace.page_tokens),
          page_rows(static_cast<std::int32_t>(trace.page_stride / row_bytes)),
          first(static_cast<std::int32_t>(section / row_bytes) + head * trace.page_tokens) {}
    __device__ std::int32_t at(std::int32_t position) const {
        const std::int32_t page = position / page_tokens;
        return table[page] * page_rows + first + position - page * page_tokens;
    }
};

__device__ inline void copy_box(std::uint32_t to, const CUtensorMap& map, int d, std::int32_t row,
                                std::uint32_t barrier) {
#ifdef HEADSCOPE_HOPPER
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(&map), "r"(d), "r"(row), "r"(barrier)
        : "memory");
#endif
}

// Starts the copies of 128 rows from `first`, a multiple of 8, by a warp: slabs of 64 dims and
// `Count` rows, one after the other. From `limit` on any rows will do.
template <int Dim, int Count>
__device__ inline void copy_boxes(std::uint32_t to, const RowBoxes& boxes, const BoxRows& rows,
                                  std::int32_t first, std::int32_t limit, std::uint32_t barrier) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (lane == 0) arrive_and_expect(barrier, 128 * Dim * 2);
    __syncwarp();
    const bool tall = first % 64 == 0;
    const int height = tall ? 64 : 8;
    const std::int32_t last = (limit - 1) / height * height;
    for (int task = lane; task < Dim / 64 * (128 / height); task += 32) {
        const int slab = task % (Dim / 64), row = task / (Dim / 64) * height;
        const std::uint32_t place =
            to + static_cast<std::uint32_t>(row / Count * (Count * Dim * 2) + slab * (Count * 128) +
                                            row % Count * 128);
        copy_box(place, tall ? boxes.tall : boxes.low, slab * 64, rows.at(min(first + row, last)),
                 barrier);
    }
}

template <int Dim>
__device__ void produce(const TilePlan& plan, const TileHead& head, const RowBoxes& boxes,
                        const WideShape& shape, std::int32_t first_row, std::int32_t last_row,
                        const WideShared<Dim>& shared) {
    const TraceView& trace = head.trace;
    const BoxRows keys(trace, trace.k_offset, head.head / (trace.query_heads / trace.kv_heads),
                       boxes.row_bytes),
        queries(trace, trace.q_offset, head.head, boxes.row_bytes);
    int turn = 0, strip = 0;
    for (std::int32_t begin = first_row; begin < last_row; begin += plan.strip_rows) {
        const std::int32_t limit = min(last_row, begin + plan.strip_rows);
        const WideSpan span(shape, begin, limit);
        if (span.tiles() == 0) continue;
        if (strip > 0) await(shared.empty(wide_stages), (strip - 1) & 1);
        ++strip;
        copy_boxes<Dim, 64>(shared.queries(), boxes, queries, begin, limit,
                            shared.full(wide_stages));
        for (int i = 0; i < span.tiles(); ++i, ++turn) {
            const int stage = turn % wide_stages;
            if (turn >= wide_stages) await(shared.empty(stage), (turn / wide_stages - 1) & 1);
            copy_boxes<Dim, wide_keys>(shared.keys(stage), boxes, keys, span.first + i * wide_keys,
                                       span.last, shared.full(stage));
        }
    }
}

template <typename T, int Dim, Way way, int Eights>
__device__ void consume(const TileArgs& args, const TilePlan& plan, const TileHead& head,
                        const Item& item, const WideShape& shape, std::int32_t first_row,
                        std::int32_t last_row, const WideShared<Dim>& shared) {
    constexpr Pool pool = way == Way::Sum ? Pool::Sum : Pool::ScoreMax;
    constexpr float nothing = way == Way::Sum ? 0 : no_score;
    const int thread = static_cast<int>(threadIdx.x), stride = plan.src_pixels + 1;
    int done = 0;  // dest pixels of the item
    const auto write = [&](int d, int p, float x) {
        write_pixel(args, head, (item.dest_pixel + d) * args.src.pixels + item.src_pixel + p, x);
    };
    float* pooled = shared.pooled();
    float* kept = pooled + slabs * stride;  // [src pixels], where a dest pixel has several strips
    int turn = 0, strip = 0;
    for (int i = thread; i < stride; i += consumer_threads) kept[i] = nothing;

    for (std::int32_t begin = first_row; begin < last_row; begin += plan.strip_rows) {
        const std::int32_t limit = min(last_row, begin + plan.strip_rows);
        for (int i = thread; i < slabs * stride; i += consumer_threads) pooled[i] = nothing;
        const WideSpan span(shape, begin, limit);
        const int tiles = uniform(span.tiles());
        const std::uint32_t q = shared.queries();
        group_barrier(1, consumer_threads);  // pooled is reset
        Half<way, Eights> upper, lower;
        upper.start(args, head, shape, begin, begin, limit, span.first);
        lower.start(args, head, shape, begin, begin + 64, limit, span.first);
        WideCells a, b;
        if (tiles > 0) await(shared.full(wide_stages), strip & 1);
        std::int32_t key = span.first;
        for (int i = 0; i < tiles; ++i, key += wide_keys) {
            const int stage = (turn + i) % wide_stages;
            await(shared.full(stage), ((turn + i) / wide_stages) & 1);
            multiply_tile<T, Dim>(a, q, shared.keys(stage));
            multiply_tile<T, Dim>(b, q + 64 * Dim * 2, shared.keys(stage));
            await_products<1>(a);
            upper.pool(a, head.rule, shape, begin, key, span.last, item.src_pixels, pooled, stride);
            await_products<0>(b);
            if (thread % 32 == 0) arrive(shared.empty(stage));
            lower.pool(b, head.rule, shape, begin + 64, key, span.last, item.src_pixels, pooled,
                       stride);
        }
        if (tiles > 0) {
            if (thread % 32 == 0) arrive(shared.empty(wide_stages));
            ++strip;
        }
        if (Eights == 16 && tiles > 0) {
            if (upper.pixel < item.src_pixels)
                upper.end(head.rule, item.src_pixels, pooled, stride);
            if (lower.pixel < item.src_pixels)
                lower.end(head.rule, item.src_pixels, pooled, stride);
        }
        turn += tiles;
        group_barrier(1, consumer_threads);
        const bool tall = plan.strip_pixels == 0, last_strip = begin + wide_rows >= last_row;
        const int count = tall ? 1 : min(plan.strip_pixels, item.dest_pixels - done);
        for (int task = thread; task < count * item.src_pixels; task += consumer_threads) {
            const int d = done + task / item.src_pixels, p = task % item.src_pixels;
            const auto low = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d]),
                       high = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d + 1]);
            float best = tall ? kept[p] : nothing;
            const int end = (min(high, limit) - begin + slab_rows - 1) / slab_rows;
            for (int s = (max(low, begin) - begin) / slab_rows; s < end; ++s) {
                const float x = pooled[s * stride + p];
                best = way == Way::Sum ? best + x : fmaxf(best, x);
            }
            if (tall && !last_strip) {
                kept[p] = best;
                continue;
            }
            write(d, p,
                  finished(args, head, pool, best, 0, low, min(high, shape.rows),
                           args.src_edges[item.src_pixel + p],
                           args.src_edges[item.src_pixel + p + 1]));
        }
        if (!tall || last_strip) done += count;
        group_barrier(1, consumer_threads);
    }
    // No row of these is there.
    for (int task = thread; task < (item.dest_pixels - done) * item.src_pixels;
         task += consumer_threads)
        write(done + task / item.src_pixels, task % item.src_pixels, args.raw ? no_score : 0.0f);
}

template <typename T, int Dim, Way way, int Eights>
__global__ void __launch_bounds__(wide_threads, 2)
    wide_kernel(TileArgs args, TilePlan plan, const __grid_constant__ RowBoxes boxes,
                std::int64_t first_item) {
#ifdef HEADSCOPE_HOPPER
    extern __shared__ __align__(16) std::byte memory[];
    const WideShared<Dim> shared(memory);
    const Item item = item_at(args, plan, first_item + blockIdx.x);
    const TileHead head = args.heads[item.head];
    WideShape shape;
    shape.first = static_cast<std::int32_t>(args.src_edges[item.src_pixel]);
    shape.last = static_cast<std::int32_t>(args.src_edges[item.src_pixel + item.src_pixels]);
    shape.step = plan.src_step;
    shape.rows = static_cast<std::int32_t>(head.rows);
    shape.window = head.rule.window;
    const auto first_row = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel]);
    const std::int32_t last_row = min(
        static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + item.dest_pixels]), shape.rows);
    if (threadIdx.x == 0) asm volatile("prefetch.tensormap [%0];" ::"l"(&boxes.tall) : "memory");
    shared.initialize();
    if (threadIdx.x >= consumer_threads) {
        produce<Dim>(plan, head, boxes, shape, first_row, last_row, shared);
    } else {
        consume<T, Dim, way, Eights>(args, plan, head, item, shape, first_row, last_row, shared);
    }
#else
    __trap();  // never launched: see has_hopper_code
#endif
}

template <typename T, int Dim, Way way, int Eights>
void start(const TileArgs& args, const TilePlan& plan, const RowBoxes& boxes,
           std::int64_t first_item, std::int64_t last_item, cudaStream_t stream) {
    const auto kernel = wide_kernel<T, Dim, way, Eights>;
    const std::int64_t bytes =
        WideShared<Dim>::bytes + (slabs + 1) * std::int64_t{plan.src_pixels + 1} * 4;
    allow_shared(kernel, bytes, "tile");
    kernel<<<static_cast<unsigned>(last_item - first_item), wide_threads,
             static_cast<std::size_t>(bytes), stream>>>(args, plan, boxes, first_item);
    check_launch("tile");
}

template <typename T, int Dim, Way way>
void choose(const TileArgs& args, const TilePlan& plan, const RowBoxes& boxes,
            std::int64_t first_item, std::int64_t last_item, cudaStream_t stream) {
    switch (plan.src_step) {
        case 8: return start<T, Dim, way, 1>(args, plan, boxes, first_item, last_item, stream);
        case 16: return start<T, Dim, way, 2>(args, plan, boxes, first_item, last_item, stream);
        case 32: return start<T, Dim, way, 4>(args, plan, boxes, first_item, last_item, stream);
        case 64: return start<T, Dim, way, 8>(args, plan, boxes, first_item, last_item, stream);
        default: return start<T, Dim, way, 16>(args, plan, boxes, first_item, last_item, stream);
    }
}

}  // namespace strips

// hopper_wide_*.cu have these, a file a type.
template <typename T, int Dim>
bool has_strips() {
    return has_hopper_code(strips::wide_kernel<T, Dim, strips::Way::Max, 16>);
}
template <typename T, int Dim>
void pool_strips(const TileArgs& args, const TilePlan& plan, const RowBoxes& boxes,
                 std::int64_t first_item, std::int64_t last_item, cudaStream_t stream) {
    if (args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean)
        return strips::choose<T, Dim, strips::Way::Sum>(args, plan, boxes, first_item, last_item,
                                                        stream);
    strips::choose<T, Dim, strips::Way::Max>(args, plan, boxes, first_item, last_item, stream);
}

}  // namespace kernels::cuda
