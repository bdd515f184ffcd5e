// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled tiles without weights or a second run whose src pixels are 8, 16, 32, 64 or a multiple of
// 128 cells, on Hopper: a strip of 128 query rows walks its keys 128 at a time. A warpgroup
// multiplies it in two halves: while one half's products are pooled the other's are under way. Two
// more warps copy keys ahead. So many rows a key tile keep the second-level cache's rate out of the
// way, which bounds strips of 64 rows, and two such blocks share a multiprocessor, so that one
// works while the other waits for its first rows.
#include "kernels/cuda/hopper_wide.cuh"
#include "kernels/cuda/tile_item.cuh"

namespace kernels::cuda {

namespace {

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
            const float kept = upper ? x[i + left] : x[i], given = upper ? x[i] : x[i + left];
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
                x[i] = values[i][half];
                if (way == Way::Max)
                    x[i] = there[half] ? fmaf(x[i], rule.scale, -lse[half]) : no_score;
            }
            const float all = over_lanes<way>(x);
            if (lane % lanes == 0 && at < pixels) pooled[(slab + half) * stride + at] = all;
        }
    }
};

template <typename T, int Dim>
__device__ void produce(const TileHead& head, const WideShape& shape, std::int32_t first_row,
                        std::int32_t last_row, const WideShared<Dim>& shared) {
    const TraceView& trace = head.trace;
    const Rows<T> keys(trace, trace.k_offset, head.head / (trace.query_heads / trace.kv_heads));
    const int group = static_cast<int>(threadIdx.x - consumer_threads) / producer_threads;
    int turn = 0;
    for (std::int32_t begin = first_row; begin < last_row; begin += wide_rows) {
        const WideSpan span(shape, begin, min(last_row, begin + wide_rows));
        for (int i = 0; i < span.tiles(); ++i, ++turn) {
            if (turn % producer_groups != group) continue;
            const int stage = turn % wide_stages;
            if (turn >= wide_stages) await(shared.empty(stage), (turn / wide_stages - 1) & 1);
            copy_wide<T, Dim>(shared.keys(stage), keys, span.first + i * wide_keys, span.last);
            arrive(shared.full(stage));
        }
    }
}

template <typename T, int Dim, Way way, int Eights>
__device__ void consume(const TileArgs& args, const TilePlan& plan, const TileHead& head,
                        const Item& item, const WideShape& shape, std::int32_t first_row,
                        std::int32_t last_row, const WideShared<Dim>& shared) {
    constexpr Pool pool = way == Way::Sum ? Pool::Sum : Pool::ScoreMax;
    constexpr float nothing = way == Way::Sum ? 0 : no_score;
    const int thread = static_cast<int>(threadIdx.x), stride = plan.src_pixels + 1,
              pixels = item.dest_pixels * item.src_pixels;
    float* pooled = shared.pooled();
    float* kept = pooled + slabs * stride;  // [src pixels], where a dest pixel has several strips
    const Rows<T> queries(head.trace, head.trace.q_offset, head.head);
    int turn = 0;
    for (int i = thread; i < stride; i += consumer_threads) kept[i] = nothing;

    for (std::int32_t begin = first_row; begin < last_row; begin += wide_rows) {
        const std::int32_t limit = min(last_row, begin + wide_rows);
        for (int i = thread; i < slabs * stride; i += consumer_threads) pooled[i] = nothing;
        const WideSpan span(shape, begin, limit);
        const int tiles = uniform(span.tiles());
        const std::uint32_t q = shared.queries();
        copy_queries<T, Dim>(q, queries, begin, limit);
        group_barrier(1, consumer_threads);  // queries are there, pooled is reset
        Half<way, Eights> upper, lower;
        upper.start(args, head, shape, begin, begin, limit, span.first);
        lower.start(args, head, shape, begin, begin + 64, limit, span.first);
        WideCells a, b;
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
        if (Eights == 16 && tiles > 0) {
            if (upper.pixel < item.src_pixels)
                upper.end(head.rule, item.src_pixels, pooled, stride);
            if (lower.pixel < item.src_pixels)
                lower.end(head.rule, item.src_pixels, pooled, stride);
        }
        turn += tiles;
        group_barrier(1, consumer_threads);
        const bool last_strip = begin + wide_rows >= last_row;
        for (int task = thread; task < pixels; task += consumer_threads) {
            const int d = task / item.src_pixels, p = task % item.src_pixels;
            const auto low = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d]),
                       high = static_cast<std::int32_t>(args.dest_edges[item.dest_pixel + d + 1]);
            float best = item.dest_pixels == 1 ? kept[p] : nothing;
            const int end = (min(high, limit) - begin + slab_rows - 1) / slab_rows;
            for (int s = (max(low, begin) - begin) / slab_rows; s < end; ++s) {
                const float x = pooled[s * stride + p];
                best = way == Way::Sum ? best + x : fmaxf(best, x);
            }
            if (!last_strip) {
                kept[p] = best;
                continue;
            }
            const float x = finished(args, head, pool, best, 0, low, min(high, shape.rows),
                                     args.src_edges[item.src_pixel + p],
                                     args.src_edges[item.src_pixel + p + 1]);
            write_pixel(args, head, (item.dest_pixel + d) * args.src.pixels + item.src_pixel + p,
                        x);
        }
        group_barrier(1, consumer_threads);
    }
    if (first_row < last_row) return;
    for (int task = thread; task < pixels; task += consumer_threads)  // no row is there
        write_pixel(args, head,
                    (item.dest_pixel + task / item.src_pixels) * args.src.pixels + item.src_pixel +
                        task % item.src_pixels,
                    args.raw ? no_score : 0.0f);
}

template <typename T, int Dim, Way way, int Eights>
__global__ void __launch_bounds__(wide_threads, 2)
    wide_kernel(TileArgs args, TilePlan plan, std::int64_t first_item) {
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
    shared.initialize();
    if (threadIdx.x >= consumer_threads) {
        produce<T, Dim>(head, shape, first_row, last_row, shared);
    } else {
        consume<T, Dim, way, Eights>(args, plan, head, item, shape, first_row, last_row, shared);
    }
#else
    __trap();  // never launched: see has_hopper_code
#endif
}

template <typename T, int Dim, Way way, int Eights>
void start(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
           std::int64_t last_item, cudaStream_t stream) {
    const auto kernel = wide_kernel<T, Dim, way, Eights>;
    const std::int64_t bytes =
        WideShared<Dim>::bytes + (slabs + 1) * std::int64_t{plan.src_pixels + 1} * 4;
    allow_shared(kernel, bytes, "tile");
    kernel<<<static_cast<unsigned>(last_item - first_item), wide_threads,
             static_cast<std::size_t>(bytes), stream>>>(args, plan, first_item);
    check_launch("tile");
}

template <typename T, int Dim, Way way>
void choose(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
            std::int64_t last_item, cudaStream_t stream) {
    switch (plan.src_step) {
        case 8: return start<T, Dim, way, 1>(args, plan, first_item, last_item, stream);
        case 16: return start<T, Dim, way, 2>(args, plan, first_item, last_item, stream);
        case 32: return start<T, Dim, way, 4>(args, plan, first_item, last_item, stream);
        case 64: return start<T, Dim, way, 8>(args, plan, first_item, last_item, stream);
        default: return start<T, Dim, way, 16>(args, plan, first_item, last_item, stream);
    }
}

}  // namespace

bool wide_applies(const TileArgs& args) {
    const bool sum = args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean;
    return args.plain && !args.capped && !args.signed_max && !(sum && args.raw) &&
           args.element == Element::BF16 && args.head_dim == 128 &&
           has_hopper_code(wide_kernel<bf16, 128, Way::Max, 16>);
}

void wide_tile(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
               std::int64_t last_item, cudaStream_t stream) {
    if (args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean)
        return choose<bf16, 128, Way::Sum>(args, plan, first_item, last_item, stream);
    choose<bf16, 128, Way::Max>(args, plan, first_item, last_item, stream);
}

}  // namespace kernels::cuda
