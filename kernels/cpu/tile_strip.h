// SPDX-License-Identifier: GPL-3.0-or-later
// A strip of dest rows of a tile: its memory, its packed queries, its lanes.
#pragma once
#include "kernels/cpu/panel.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/cpu/work.h"
#include "kernels/pattern.h"

namespace kernels::cpu::HEADSCOPE_ISA {

constexpr int key_block = 48;        // a multiple of every tile_rows
constexpr int strip_lanes = 128;     // dest rows that share one walk over the keys
constexpr int chunk_pixels = 64;     // src pixels at a time, a multiple of every vector's lanes
constexpr int most_pixels = 128;     // dest pixels a task
constexpr int panel_floats = 32768;  // a strip's q: head_dim up to 1,024 (views.h)

// On a worker's stack: some 260 KiB, as nothing is allocated here.
struct Memory {
    float q[panel_floats];
    float pooled[strip_lanes * chunk_pixels],
        pooled_least[strip_lanes * chunk_pixels];  // [panel][pixel][width]
    float pixels[most_pixels * chunk_pixels],
        pixels_least[most_pixels * chunk_pixels];  // [dest pixel][src pixel]
    float st[key_block * 2 * lanes];
    float lse[strip_lanes];
    float row_weight[strip_lanes];         // of lanes with a row
    std::int32_t dest[strip_lanes];        // lane's dest row, from the strip's first
    std::int32_t dest_pixel[strip_lanes];  // its pixel, from the task's first
};

struct MinusMemory {
    float q[panel_floats];
    float st[key_block * 2 * lanes];
    float lse[strip_lanes];
    float row_weight[strip_lanes];
};

struct PixelTask {
    const TileArgs& args;
    const TileHead& head;
    std::int64_t pixel_begin, pixel_end;  // of dest
    std::int64_t rows;                    // rows below this have all their cells
    bool stopped() const {
        return args.stop != nullptr && __atomic_load_n(args.stop, __ATOMIC_RELAXED);
    }
};

inline int strip_rows_of(int dim, int width) {
    return static_cast<int>(greatest(1, least(strip_lanes, panel_floats / dim) / width)) * width;
}

// Rows [begin, end) as panels and their lse; lanes without a row are 0.
template <int Vectors>
inline void pack_strip(const TraceView& trace, std::int32_t head, float scale, std::int64_t begin,
                       std::int64_t end, float* q, float* lse) {
    constexpr int width = panel_width<Vectors>;
    for (std::int64_t first = begin; first < end; first += width) {
        const int count = static_cast<int>(least<std::int64_t>(width, end - first));
        const float* rows[width];
        row_pointers(trace, trace.q_offset, head, first, first + count, rows);
        pack_panel<Vectors>(rows, count, trace.head_dim, scale,
                            q + (first - begin) * trace.head_dim);
        for (int i = 0; i < width; ++i) {
            const float value = i < count ? *lse_pointer(trace, head, first + i) : 0.0f;
            lse[first - begin + i] = value == -infinity ? 0.0f : value;  // a row without cells
        }
    }
}

// The weights of rows [begin, end); lanes without a row are 0.
inline void pack_row_weight(const float* from, std::int64_t begin, std::int64_t end, float* to) {
    if (from == nullptr) return;
    for (int i = 0; i < strip_lanes; ++i) to[i] = begin + i < end ? from[begin + i] : 0.0f;
}

// Each lane's dest row and pixel.
inline void set_lanes(const PixelTask& task, std::int64_t begin, std::int64_t end, Memory& memory) {
    const std::int64_t* edges = task.args.dest.edges;
    std::int64_t pixel = task.pixel_begin;
    for (int i = 0; i < strip_lanes; ++i) {
        memory.dest[i] = i;
        if (begin + i >= end) continue;
        while (edges[pixel + 1] <= begin + i) ++pixel;
        memory.dest_pixel[i] = static_cast<std::int32_t>(pixel - task.pixel_begin);
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
