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

// A warp brings 128 rows from `first`, a multiple of 8, as slabs of 64 dims: a lane has one box of
// 64 or 8 rows of a slab at most. Looked up apart from its copy, so that it waits for the page's
// number before there is place for the rows, not after.
template <int Dim>
struct Boxes {
    static_assert(Dim / 64 * (128 / 8) <= 32);
    bool tall = true;
    std::int32_t row = 0;  // of this lane's, in the pool's matrix

    __device__ int height() const { return tall ? 64 : 8; }
    // Of the rows, counted from `first`.
    __device__ int offset() const {
        return static_cast<int>(threadIdx.x % 32) / (Dim / 64) * height();
    }
    __device__ int slab() const { return static_cast<int>(threadIdx.x % 32) % (Dim / 64); }

    // From `limit` on any rows will do.
    __device__ void look_up(const BoxRows& rows, std::int32_t first, std::int32_t limit) {
        tall = first % 64 == 0;
        const std::int32_t last = (limit - 1) / height() * height();
        if (offset() < 128) row = rows.at(min(first + offset(), last));
    }
    // Slabs of `Count` rows, one after the other.
    template <int Count>
    __device__ void copy(std::uint32_t to, const RowBoxes& boxes, std::uint32_t barrier) const {
        if (threadIdx.x % 32 == 0) arrive_and_expect(barrier, 128 * Dim * 2);
        __syncwarp();
        if (offset() >= 128) return;
        copy_box(to + static_cast<std::uint32_t>(offset() / Count * (Count * Dim * 2) +
                                                 slab() * (Count * 128) + offset() % Count * 128),
                 tall ? boxes.tall : boxes.low, slab() * 64, row, barrier);
    }
};

}  // namespace kernels::cuda::strips
