// SPDX-License-Identifier: GPL-3.0-or-later
// A strip's rows and its keys into shared memory by the copy engine.
#pragma once
#include "kernels/cuda/hopper_boxes.h"
#include "kernels/cuda/hopper_wide.cuh"

namespace kernels::cuda::strips {

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

}  // namespace kernels::cuda::strips
