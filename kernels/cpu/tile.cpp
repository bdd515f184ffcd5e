// SPDX-License-Identifier: GPL-3.0-or-later
// A task is one head and some dest pixels: their rows are packed into panels once, then walk the
// visible keys. Pixels of the src axis are filled lane by lane (tile_pool.h) and folded to pixels
// of the dest axis afterwards.
#include "kernels/pattern.h"

#include "kernels/cpu/tile_finish.h"
#include "kernels/cpu/tile_strip.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

// The strip [begin, end) against the src pixels [src, src_end): fills memory.pooled. False where
// nothing is visible.
template <Pool pool, int Vectors>
bool pool_strip(const PixelTask& task, std::int64_t begin, std::int64_t end, std::int64_t src,
                std::int64_t src_end, Memory& memory, MinusMemory* minus) {
    constexpr int width = panel_width<Vectors>;
    const TileHead& head = task.head;
    const TraceView& trace = head.trace;
    const std::int64_t* edges = task.args.src.edges;
    const std::int32_t window = head.rule.window,
                       kv_head = head.head / (trace.query_heads / trace.kv_heads);
    const std::int64_t key_begin =
        window > 0 ? greatest(edges[src], begin - window + 1) : edges[src];
    const std::int64_t key_end = least(edges[src_end], end);
    if (key_begin >= key_end) return false;
    const std::int64_t panels = divide_up(end - begin, width);
    for (std::int64_t i = 0; i < panels * width * chunk_pixels; ++i)
        memory.pooled[i] = pool_start(pool);
    if constexpr (pool == Pool::LargestSigned)
        for (std::int64_t i = 0; i < panels * width * chunk_pixels; ++i)
            memory.pooled_least[i] = infinity;

    const float *keys[key_block], *minus_keys[key_block];
    std::int64_t pixel = src;
    for (std::int64_t block = key_begin; block < key_end; block += key_block) {
        const std::int64_t block_end = least(key_end, block + key_block);
        row_pointers(trace, trace.k_offset, kv_head, block, block_end, keys);
        if (minus != nullptr)
            row_pointers(*head.minus_trace, head.minus_trace->k_offset, kv_head, block, block_end,
                         minus_keys);
        while (edges[pixel + 1] <= block) ++pixel;
        for (std::int64_t p = 0; p < panels; ++p) {
            const std::int64_t lowest = begin + p * width, highest = least(end, lowest + width) - 1;
            const std::int64_t first = window > 0 ? greatest(block, lowest - window + 1) : block;
            const std::int64_t last = least(block_end, highest + 1);
            if (first >= last) continue;
            PoolBlock cells;
            cells.first_key = first;
            cells.keys = static_cast<int>(last - first);
            cells.raw = task.args.raw;
            cells.masked = last > lowest + 1 || (window > 0 && first <= highest - window);
            cells.first_key_in_strip = static_cast<std::int32_t>(first - begin);
            cells.window = window;
            cells.dest = memory.dest + p * width;
            cells.edges = edges + pixel;
            cells.pooled = memory.pooled + (p * chunk_pixels + pixel - src) * width;
            cells.pooled_least = memory.pooled_least + (p * chunk_pixels + pixel - src) * width;
            const auto weight = [&](const float* weights) {
                return weights == nullptr ? nullptr : weights + (first - edges[0]);
            };
            const auto row_weight = [&](const float* given, const float* packed) {
                return given == nullptr ? nullptr : packed + p * width;
            };
            cells.cells = {memory.st, memory.lse + p * width, weight(head.column_weight),
                           row_weight(head.row_weight, memory.row_weight)};
            score_panel<Vectors>(keys + (first - block), cells.keys,
                                 memory.q + p * width * trace.head_dim, trace.head_dim, memory.st);
            if constexpr (pool == Pool::ScoreMax) {
                if (cells.masked)
                    mask_block<Vectors>(memory.st, cells.first_key_in_strip, cells.keys, cells.dest,
                                        window);
            } else if (head.rule.soft_cap > 0) {
                cap_block<Vectors>(memory.st, cells.keys, head.rule.soft_cap);
            }
            const auto forbid = [&](const ForbiddenEdges& of_run, float* st) {
                if (of_run.count == 0) return;
                forbid_block<Vectors>(of_run, st, first, cells.keys,
                                      static_cast<int>(highest + 1 - lowest), [&](int i) {
                                          return LaneAt{head.head, lowest + i};
                                      });
            };
            forbid(head.rule.forbidden, memory.st);
            if (minus != nullptr) {
                score_panel<Vectors>(minus_keys + (first - block), cells.keys,
                                     minus->q + p * width * trace.head_dim, trace.head_dim,
                                     minus->st);
                if (head.rule.soft_cap > 0)
                    cap_block<Vectors>(minus->st, cells.keys, head.rule.soft_cap);
                forbid(head.minus_forbidden, minus->st);
                cells.minus = {minus->st, minus->lse + p * width, weight(head.minus_column_weight),
                               row_weight(head.minus_row_weight, minus->row_weight)};
            }
            pool_block<pool, Vectors>(cells);
        }
    }
    return true;
}

// Lanes to the pixels of dest: lanes × lanes squares are turned, so that a row of src pixels is a
// vector.
template <Pool pool, int Vectors>
void fold_strip(const PixelTask& task, std::int64_t count, Memory& memory) {
    constexpr int width = panel_width<Vectors>;
    const float cap = task.head.rule.soft_cap;
    for (std::int64_t first = 0; first < count; first += lanes) {
        const int valid = static_cast<int>(least<std::int64_t>(lanes, count - first));
        const std::int64_t at = first / width * width * chunk_pixels + first % width;
        for (int s = 0; s < chunk_pixels; s += lanes) {
            f32v square[lanes], least_square[lanes];
            for (int i = 0; i < lanes; ++i) square[i] = load(memory.pooled + at + (s + i) * width);
            transpose(square);
            if constexpr (pool == Pool::LargestSigned) {
                for (int i = 0; i < lanes; ++i)
                    least_square[i] = load(memory.pooled_least + at + (s + i) * width);
                transpose(least_square);
            }
            for (int i = 0; i < valid; ++i) {
                const std::int64_t to = memory.dest_pixel[first + i] * chunk_pixels + s;
                f32v x = square[i];
                if constexpr (pool == Pool::ScoreMax) {
                    if (cap > 0) x = x == -infinity ? x : soft_cap(x, cap, 1.0f / cap);
                    if (!task.args.raw) x = x - memory.lse[first + i];
                }
                const f32v before = load(memory.pixels + to);
                store(memory.pixels + to, pool == Pool::Sum ? before + x : max(before, x));
                if constexpr (pool == Pool::LargestSigned)
                    store(memory.pixels_least + to,
                          min(load(memory.pixels_least + to), least_square[i]));
            }
        }
    }
}

template <Pool pool, int Vectors>
void fill_pixels(const PixelTask& task, Memory& memory, MinusMemory* minus) {
    const TileArgs& args = task.args;
    const TileHead& head = task.head;
    const std::int64_t* dest = args.dest.edges;
    const std::int64_t* src = args.src.edges;
    const std::int64_t begin = dest[task.pixel_begin], end = least(dest[task.pixel_end], task.rows);
    const int strip_rows = strip_rows_of(head.trace.head_dim, panel_width<Vectors>);
    std::int64_t packed = -1;
    for (std::int64_t s = 0; s < args.src.pixels; s += chunk_pixels) {
        const std::int64_t s_end = least(args.src.pixels, s + chunk_pixels), count = s_end - s;
        for (std::int64_t i = 0; i < (task.pixel_end - task.pixel_begin) * chunk_pixels; ++i) {
            memory.pixels[i] = pool_start(pool);
            if constexpr (pool == Pool::LargestSigned) memory.pixels_least[i] = infinity;
        }
        for (std::int64_t strip = begin; strip < end; strip += strip_rows) {
            if (task.stopped()) return;
            const std::int64_t strip_end = least(end, strip + strip_rows);
            if (packed != strip) {
                pack_strip<Vectors>(head.trace, head.head, head.rule.scale, strip, strip_end,
                                    memory.q, memory.lse);
                pack_row_weight(head.row_weight, strip, strip_end, memory.row_weight);
                if (minus != nullptr) {
                    pack_strip<Vectors>(*head.minus_trace, head.head, head.rule.scale, strip,
                                        strip_end, minus->q, minus->lse);
                    pack_row_weight(head.minus_row_weight, strip, strip_end, minus->row_weight);
                }
                set_lanes(task, strip, strip_end, memory);
                packed = strip;
            }
            if (pool_strip<pool, Vectors>(task, strip, strip_end, s, s_end, memory, minus))
                fold_strip<pool, Vectors>(task, strip_end - strip, memory);
        }
        for (std::int64_t pixel = task.pixel_begin; pixel < task.pixel_end; ++pixel) {
            float* row = memory.pixels + (pixel - task.pixel_begin) * chunk_pixels;
            const PixelRow rows{dest[pixel], least(dest[pixel + 1], task.rows)};
            finish_pixels<pool>(args, head.rule.window, rows, src + s, count, row,
                                memory.pixels_least + (pixel - task.pixel_begin) * chunk_pixels);
            const std::int64_t at = pixel * args.src.pixels + s;
            if (head.out != nullptr)
                std::memcpy(head.out + at, row, static_cast<std::size_t>(count) * sizeof(float));
            else
                to_bytes(args, row, count, head.out_u8 + at);
        }
    }
}

template <Pool pool>
void fill_pixels(const PixelTask& task, MinusMemory* minus) {
    Memory memory;
    const std::int64_t rows =
        task.args.dest.edges[task.pixel_end] - task.args.dest.edges[task.pixel_begin];
    if (rows <= lanes)
        fill_pixels<pool, 1>(task, memory, minus);
    else
        fill_pixels<pool, 2>(task, memory, minus);
}

void fill_pixels(const PixelTask& task, Pool pool, MinusMemory* minus) {
    switch (pool) {
        case Pool::ScoreMax: return fill_pixels<Pool::ScoreMax>(task, minus);
        case Pool::Max: return fill_pixels<Pool::Max>(task, minus);
        case Pool::LargestSigned: return fill_pixels<Pool::LargestSigned>(task, minus);
        case Pool::Sum: return fill_pixels<Pool::Sum>(task, minus);
    }
}

__attribute__((noinline)) void fill_difference(const PixelTask& task, Pool pool) {
    MinusMemory minus;
    fill_pixels(task, pool, &minus);
}

}  // namespace

void tile(const TileArgs& args, const Parallel& parallel) {
    const std::int64_t pixels = args.dest.pixels;
    if (args.head_count <= 0 || pixels <= 0 || args.src.pixels <= 0) return;
    const std::int64_t all_rows =
        greatest<std::int64_t>(1, args.dest.edges[pixels] - args.dest.edges[0]);
    const std::int64_t rows = strip_rows_of(args.heads[0].trace.head_dim, 2 * lanes);
    const std::int64_t fair =
        pixels * args.head_count / (4 * static_cast<std::int64_t>(greatest(parallel.threads, 1)));
    const std::int64_t group = greatest<std::int64_t>(
        1, least(least<std::int64_t>(most_pixels, rows * pixels / all_rows), fair));
    const std::int64_t groups = divide_up(pixels, group);
    for_each_by_worker(parallel, groups * args.head_count, [&](std::int64_t, std::int64_t index) {
        // A head's strips follow each other while its keys are in the cache, the longest first.
        const TileHead& head = args.heads[index / groups];
        const std::int64_t begin = (groups - 1 - index % groups) * group;
        const bool difference = head.minus_trace != nullptr;
        const PixelTask task{args, head, begin, least(pixels, begin + group),
                             difference ? least(head.rows, head.minus_rows) : head.rows};
        if (task.stopped()) return;
        const bool max = args.pooling == TilePooling::Max || args.pooling == TilePooling::None;
        const bool weighted = head.column_weight != nullptr || head.row_weight != nullptr;
        const bool plain = !difference && !weighted && !(args.signed_max && args.raw);
        const Pool pool = !max              ? Pool::Sum
                          : plain           ? Pool::ScoreMax
                          : args.signed_max ? Pool::LargestSigned
                                            : Pool::Max;
        if (difference)
            fill_difference(task, pool);
        else
            fill_pixels(task, pool, nullptr);
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
