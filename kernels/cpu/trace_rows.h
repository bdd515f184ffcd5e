// SPDX-License-Identifier: GPL-3.0-or-later
// Where rows of a paged trace lie.
#pragma once
#include "kernels/cpu/simd.h"
#include "kernels/views.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// Pointers to the rows [begin, end) of one head; one division a call, then page by page.
HEADSCOPE_INLINE void row_pointers(const TraceView& trace, std::int64_t offset, std::int32_t head,
                                   std::int64_t begin, std::int64_t end, const float** to) {
    const std::int64_t dim = trace.head_dim, tokens = trace.page_tokens;
    std::int64_t page = begin / tokens, slot = begin % tokens;
    while (begin < end) {
        const float* rows =
            reinterpret_cast<const float*>(
                trace.pool +
                static_cast<std::int64_t>(trace.block_table[page]) * trace.page_stride + offset) +
            static_cast<std::int64_t>(head) * tokens * dim;
        const std::int64_t stop = least(end, begin + tokens - slot);
        for (; begin < stop; ++begin, ++slot) *to++ = rows + slot * dim;
        slot = 0;
        ++page;
    }
}

HEADSCOPE_INLINE float* row_pointer(const TraceView& trace, std::int64_t offset, std::int32_t head,
                                    std::int64_t position) {
    const float* row;
    row_pointers(trace, offset, head, position, position + 1, &row);
    return const_cast<float*>(row);
}

HEADSCOPE_INLINE float* lse_pointer(const TraceView& trace, std::int32_t head,
                                    std::int64_t position) {
    const std::int64_t tokens = trace.page_tokens;
    std::byte* page = trace.pool + static_cast<std::int64_t>(trace.block_table[position / tokens]) *
                                       trace.page_stride;
    return reinterpret_cast<float*>(page + trace.lse_offset) +
           static_cast<std::int64_t>(head) * tokens + position % tokens;
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
