// SPDX-License-Identifier: GPL-3.0-or-later
// Where a row of the trace lies, on the device.
#pragma once
#include "kernels/cuda/element.cuh"

namespace kernels::cuda {

// log₂ of a power of two, else −1.
__device__ inline std::int32_t shift_of(std::int32_t tokens) {
    return (tokens & (tokens - 1)) == 0 ? __ffs(tokens) - 1 : -1;
}

// One head's rows of one section (k, v, q or z).
template <typename T>
struct Rows {
    const std::byte* pool = nullptr;
    std::int64_t page_stride = 0;
    std::int64_t offset = 0;  // bytes from a page's start to this head's slot 0
    const std::int32_t* table = nullptr;
    std::int32_t page_tokens = 1, page_shift = -1, dim = 0;

    __device__ Rows() {}
    __device__ Rows(const TraceView& trace, std::int64_t section, std::int32_t head)
        : pool(trace.pool),
          page_stride(trace.page_stride),
          offset(section + static_cast<std::int64_t>(head) * trace.page_tokens * trace.head_dim *
                               static_cast<std::int64_t>(sizeof(T))),
          table(trace.block_table),
          page_tokens(trace.page_tokens),
          page_shift(shift_of(trace.page_tokens)),
          dim(trace.head_dim) {}

    __device__ T* at(std::int32_t position) const {
        const std::int32_t page = page_shift >= 0 ? position >> page_shift : position / page_tokens;
        const std::int32_t slot = position - page * page_tokens;
        return reinterpret_cast<T*>(const_cast<std::byte*>(
                   pool + static_cast<std::int64_t>(table[page]) * page_stride + offset)) +
               static_cast<std::int64_t>(slot) * dim;
    }
};

__device__ inline float* lse_at(const TraceView& trace, std::int32_t head, std::int32_t position) {
    const std::int32_t page = position / trace.page_tokens;
    return reinterpret_cast<float*>(
               trace.pool + static_cast<std::int64_t>(trace.block_table[page]) * trace.page_stride +
               trace.lse_offset) +
           static_cast<std::int64_t>(head) * trace.page_tokens +
           (position - page * trace.page_tokens);
}

// What every kernel here asks of a trace.
inline void check_trace(const TraceView& trace) {
    const std::int64_t size = trace.element == Element::F32 ? 4 : 2;
    require(trace.head_dim > 0 && trace.head_dim <= 256 && trace.head_dim * size % 16 == 0,
            "head_dim " + std::to_string(trace.head_dim) + " with elements of " +
                std::to_string(size) + " bytes: rows must be whole 16 bytes, and at most 256 long");
    require(trace.kv_heads > 0 && trace.query_heads % trace.kv_heads == 0 && trace.page_tokens > 0,
            std::to_string(trace.query_heads) + " query heads, " + std::to_string(trace.kv_heads) +
                " KV heads, pages of " + std::to_string(trace.page_tokens));
    const std::int64_t together = trace.page_stride | trace.k_offset | trace.v_offset |
                                  trace.q_offset | trace.z_offset |
                                  reinterpret_cast<std::int64_t>(trace.pool);
    require(together % 16 == 0, "a page's sections begin at multiples of 16 bytes");
}

// 16 bytes into shared memory without a register between; zeros where `take` is false.
__device__ inline void copy_async(void* to, const void* from, bool take) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(take ? 16 : 0)
                 : "memory");
}
__device__ inline void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Pending>
__device__ inline void await_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace kernels::cuda
