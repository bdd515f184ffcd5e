// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled tiles without weights or a second run whose src pixels are 8, 16, 32, 64 or a multiple of
// 128 cells, on Hopper: a strip of 128 query rows walks its keys 128 at a time. A warpgroup
// multiplies it in two halves: while one half's products are pooled the other's are under way.
// Another warp has the copy engine bring keys ahead, and a strip's rows: warps that copied by
// themselves were what the products waited for. So many rows a key tile keep the second-level
// cache's rate out of the way, which bounds strips of 64 rows, and two such blocks share a
// multiprocessor, so that one works while the other waits for its first rows.
#pragma once
#include "kernels/cuda/hopper_copies.cuh"
#include "kernels/cuda/hopper_pooling.cuh"

namespace kernels::cuda {

namespace strips {

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
        Boxes<Dim> own, next;
        own.look_up(queries, begin, limit);
        next.look_up(keys, span.first, span.last);
        if (strip > 0) await(shared.empty(wide_stages), (strip - 1) & 1);
        ++strip;
        own.template copy<64>(shared.queries(), boxes, shared.full(wide_stages));
        for (int i = 0; i < span.tiles(); ++i, ++turn) {
            const int stage = turn % wide_stages;
            const Boxes<Dim> now = next;
            next.look_up(keys, min(span.first + (i + 1) * wide_keys, span.last / 8 * 8), span.last);
            if (turn >= wide_stages) await(shared.empty(stage), (turn / wide_stages - 1) & 1);
            now.template copy<wide_keys>(shared.keys(stage), boxes, shared.full(stage));
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
    // A thread writes one src pixel of every so many dest pixels, whose rows it computes: to divide
    // and to read edges for each took a short prompt as long as its products.
    const bool tall = plan.strip_pixels == 0;  // one dest pixel
    const std::int32_t step = tall ? wide_rows : plan.strip_rows / plan.strip_pixels;
    const int apart = consumer_threads / item.src_pixels, mine = thread % item.src_pixels,
              first_mine = thread / item.src_pixels < apart ? thread / item.src_pixels : wide_rows;
    const std::int64_t mine_begin = args.src_edges[item.src_pixel + mine],
                       mine_end = args.src_edges[item.src_pixel + mine + 1];

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
        const bool last_strip = begin + wide_rows >= last_row;
        const int count = tall ? 1 : min(plan.strip_pixels, item.dest_pixels - done);
        const int there = (limit - begin + slab_rows - 1) / slab_rows;
        for (int i = first_mine; i < count; i += apart) {
            float best = tall ? kept[mine] : nothing;
            const int first = i * (step / slab_rows), end = min(first + step / slab_rows, there);
            for (int s = first; s < end; ++s) {
                const float x = pooled[s * stride + mine];
                best = way == Way::Sum ? best + x : fmaxf(best, x);
            }
            const std::int32_t low = tall ? first_row : begin + i * step,
                               high = tall ? last_row : min(low + step, limit);
            if (tall && !last_strip)
                kept[mine] = best;
            else
                write(done + i, mine,
                      finished(args, head, pool, best, 0, low, high, mine_begin, mine_end));
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
        give_registers<copying_registers>();
        if (threadIdx.x < consumer_threads + 32)
            produce<Dim>(plan, head, boxes, shape, first_row, last_row, shared);
    } else {
        take_registers<consumer_registers>();
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
