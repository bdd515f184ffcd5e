// SPDX-License-Identifier: GPL-3.0-or-later
// How a tile request is cut to items.
#pragma once
#include "kernels/cuda/pattern.h"

namespace kernels::cuda {

// Src pixels of an item where a pixel is more than a cell, and cells of an item where it is one.
constexpr int chunk_pixels = 32, signed_chunk_pixels = 16, chunk_cells = 512;

struct TilePlan {
    bool wide = false;          // wide_tile()'s: uniform src pixels of src_step cells
    std::int32_t src_step = 0;  // there
    // There an item is a strip of whole dest pixels, or, where a dest pixel is taller
    // (strip_pixels 0), the strips of one. Several strips an item gained nothing.
    std::int32_t strip_rows = 0, strip_pixels = 0;
    bool cells = false;                            // every pixel is one cell: written as they come
    bool ascending = false;                        // no pixel is empty
    std::int32_t dest_pixels = 1, src_pixels = 1;  // of an item, at most
    std::int64_t dest_items = 0, src_items = 0;    // of a head
};

// The least and the greatest number of cells of a pixel.
struct Steps {
    std::int64_t least = 1, greatest = 1;
};
inline Steps steps_of(const TileAxis& axis) {
    Steps steps{axis.edges[1] - axis.edges[0], axis.edges[1] - axis.edges[0]};
    for (std::int64_t i = 1; i < axis.pixels; ++i) {
        const std::int64_t step = axis.edges[i + 1] - axis.edges[i];
        if (step < steps.least) steps.least = step;
        if (step > steps.greatest) steps.greatest = step;
    }
    return steps;
}

// Requests that wide_tile() takes on this device, whatever their axes.
bool wide_applies(const TileArgs&);
constexpr std::int64_t wide_strip = 128, wide_chunk_keys = 8192, wide_chunk_pixels = 128;

// Equal steps that are multiples of `unit` cells, or none: 0. The last pixel may hold fewer.
inline std::int64_t step_in(const TileAxis& axis, std::int64_t unit) {
    const std::int64_t step = axis.edges[1] - axis.edges[0];
    if (axis.pixels == 1) return (step + unit - 1) / unit * unit;
    if (step % unit != 0) return 0;
    for (std::int64_t i = 1; i < axis.pixels; ++i) {
        const std::int64_t next = axis.edges[i + 1] - axis.edges[i];
        if (next != step && (i + 1 < axis.pixels || next > step || next <= 0)) return 0;
    }
    return step;
}
// 8, 16, 32, 64 or a multiple of 128 cells.
inline std::int64_t wide_src_step(const TileAxis& axis) {
    const std::int64_t step = axis.edges[1] - axis.edges[0];
    const bool small = axis.pixels > 1 && (step == 8 || step == 16 || step == 32 || step == 64);
    return step_in(axis, small ? step : 128);
}

inline TilePlan plan_of(const TileArgs& args) {
    TilePlan plan;
    if (args.dest.pixels <= 0 || args.src.pixels <= 0) return plan;
    const Steps dest = steps_of(args.dest), src = steps_of(args.src);
    plan.ascending = dest.least > 0 && src.least > 0;
    plan.cells = plan.ascending && dest.greatest == 1 && src.greatest == 1;
    const std::int64_t rows = args.dest.edges[args.dest.pixels] - args.dest.edges[0];
    const std::int64_t height = rows / args.dest.pixels + (rows % args.dest.pixels != 0);
    plan.dest_pixels = static_cast<std::int32_t>(height <= 1 ? 64 : height >= 64 ? 1 : 64 / height);
    plan.src_pixels = plan.cells        ? chunk_cells
                      : args.signed_max ? signed_chunk_pixels
                                        : chunk_pixels;
    if (wide_applies(args)) {
        const std::int64_t dest_step = step_in(args.dest, 8), src_step = wide_src_step(args.src);
        if (dest_step > 0 && src_step > 0) {
            plan.wide = true;
            plan.src_step = static_cast<std::int32_t>(src_step);
            const std::int64_t pixels = wide_chunk_keys / src_step;
            plan.src_pixels =
                static_cast<std::int32_t>(pixels < 1                   ? 1
                                          : pixels > wide_chunk_pixels ? wide_chunk_pixels
                                                                       : pixels);
            plan.strip_pixels =
                static_cast<std::int32_t>(dest_step > wide_strip ? 0 : wide_strip / dest_step);
            plan.strip_rows = static_cast<std::int32_t>(
                plan.strip_pixels == 0 ? wide_strip : plan.strip_pixels * dest_step);
            plan.dest_pixels = plan.strip_pixels == 0 ? 1 : plan.strip_pixels;
        }
    }
    plan.dest_items = (args.dest.pixels + plan.dest_pixels - 1) / plan.dest_pixels;
    plan.src_items = (args.src.pixels + plan.src_pixels - 1) / plan.src_pixels;
    return plan;
}

void wide_tile(const TileArgs&, const TilePlan&, std::int64_t first_item, std::int64_t last_item,
               cudaStream_t);

// Other plain requests (pattern.h) where the device and the build have Hopper's products: true if
// it was enqueued.
bool hopper_tile(const TileArgs&, const TilePlan&, std::int64_t first_item, std::int64_t last_item,
                 cudaStream_t);

}  // namespace kernels::cuda
