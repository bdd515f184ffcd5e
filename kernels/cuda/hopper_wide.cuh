// SPDX-License-Identifier: GPL-3.0-or-later
// Products of 64 query rows with 128 keys by one warpgroup, both in shared memory, and the barriers
// between the warps that copy and those that multiply. With r = lane / 4 and i = lane % 4, s[j]
// holds rows 16 · warp + r (s[j][0], s[j][1]) and + 8 of keys 8j + 2i and + 1, as score_tile.cuh's.
#pragma once
#include "kernels/cuda/hopper_tile.cuh"

namespace kernels::cuda {

constexpr int wide_rows = 128, wide_keys = 128, wide_stages = 2;
// A warpgroup that multiplies and one of which a warp copies: registers go over by warpgroups.
constexpr int consumer_threads = 128, wide_threads = 2 * consumer_threads;
constexpr int consumer_registers = 216,
              copying_registers = 40;  // two blocks' fill a multiprocessor
using WideCells = float[16][4];

// What an item's strips share.
struct WideShape {
    std::int32_t step;         // cells of a src pixel
    std::int32_t first, last;  // keys of the item
    std::int32_t rows;         // published
    std::int32_t window;
};

// The keys that rows [begin, limit) see of the item: first is a multiple of 8 from the item's own.
struct WideSpan {
    std::int32_t first, last;
    __device__ WideSpan(const WideShape& shape, std::int32_t begin, std::int32_t limit)
        : first(shape.first), last(min(shape.last, limit)) {
        if (shape.window > 0 && begin - shape.window + 1 > first)
            first += (begin - shape.window + 1 - first) / wide_keys * wide_keys;
        if (first > last || begin >= limit) first = last = shape.first;
    }
    __device__ int tiles() const { return (last - first + wide_keys - 1) / wide_keys; }
};

// Waits until the barrier's phase of this parity is over.
__device__ inline void await(std::uint32_t barrier, int parity) {
    asm volatile(
        "{\n.reg .pred p;\nretry:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@p bra done;\nbra retry;\ndone:\n}\n" ::"r"(barrier),
        "r"(parity)
        : "memory");
}
__device__ inline void arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// The phase is over when these bytes have landed as well.
__device__ inline void arrive_and_expect(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
// The threads of a warpgroup go on with so many registers each.
template <int Count>
__device__ inline void take_registers() {
#ifdef HEADSCOPE_HOPPER
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}
template <int Count>
__device__ inline void give_registers() {
#ifdef HEADSCOPE_HOPPER
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}
__device__ inline void group_barrier(int name, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

// Queries, stages of keys, barriers, then what is pooled; rows as the matrix unit wants them.
template <int Dim>
class WideShared {
  public:
    static constexpr int query_bytes = wide_rows * Dim * 2, key_bytes = wide_keys * Dim * 2;
    static constexpr std::int64_t bytes =
        1024 + query_bytes + wide_stages * key_bytes + 2 * (wide_stages + 1) * 8;

    __device__ explicit WideShared(std::byte* memory)
        : memory_(memory), base_((shared_address(memory) + 1023) / 1024 * 1024) {}

    __device__ std::uint32_t queries() const { return base_; }
    __device__ std::uint32_t keys(int stage) const {
        return base_ + query_bytes + stage * key_bytes;
    }
    // Landed; and read for the last time. The queries' are those of a stage more.
    __device__ std::uint32_t full(int stage) const { return keys(wide_stages) + stage * 8; }
    __device__ std::uint32_t empty(int stage) const { return full(wide_stages + 1 + stage); }
    __device__ float* pooled() const {
        return reinterpret_cast<float*>(memory_ +
                                        (empty(wide_stages + 1) - shared_address(memory_)));
    }
    // Every thread of the block calls it.
    __device__ void initialize() const {
        if (threadIdx.x == 0)
            for (int stage = 0; stage <= wide_stages; ++stage) {
                start(full(stage), 1);
                start(empty(stage), consumer_threads / 32);
            }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        __syncthreads();
    }

  private:
    __device__ static void start(std::uint32_t barrier, int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                     : "memory");
    }
    std::byte* memory_;
    std::uint32_t base_;
};

// The same in all lanes, in a way that the compiler sees: it lets no product be under way where
// lanes might part.
__device__ inline int uniform(int x) {
    return __shfl_sync(0xffffffffu, x, 0);
}

// Starts copies of `Count` rows from `first` into slabs of 64 dims, rows of 128 bytes with their
// 16-byte pieces permuted by row; zeros from `limit` on. By `Threads` threads, counted from
// `thread`; one group.
template <typename T, int Dim, int Count, int Threads>
__device__ inline void start_slabs(std::uint32_t to, const Rows<T>& rows, std::int32_t first,
                                   std::int32_t limit, int thread) {
    constexpr int pieces = Dim / 8, at_once = Threads / pieces, slab = Count * 128;
    const int piece = thread % pieces, start = thread / pieces;
    const std::uint32_t place = to + static_cast<std::uint32_t>(piece / 8 * slab);
    const auto copy = [&](int row, const T* from, bool there) {
        const std::uint32_t at =
            place + static_cast<std::uint32_t>(row * 128 + ((piece % 8) ^ (row % 8)) * 16);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
                     "r"(there ? 16 : 0)
                     : "memory");
    };
    if (rows.page_tokens % 64 == 0 && first % 64 == 0) {  // 64 rows lie together
#pragma unroll 1
        for (int part = 0; part < Count; part += 64) {
            const T* from = rows.at(min(first + part, limit - 1)) + piece * 8;
            const int there = limit - first - part;
#pragma unroll 8
            for (int row = start; row < 64; row += at_once)
                copy(part + row, from + (row < there ? row : 0) * Dim, row < there);
        }
    } else {
#pragma unroll 1
        for (int row = start; row < Count; row += at_once) {
            const bool there = first + row < limit;
            copy(row, rows.at(there ? first + row : limit - 1) + piece * 8, there);
        }
    }
    commit_copies();
}
// Done, and fit for the matrix unit, on return of all threads that took part.
template <int Pending = 0>
__device__ inline void land_slabs() {
    await_copies<Pending>();
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#define HEADSCOPE_ROW(i) "+f"(s[i][0]), "+f"(s[i][1]), "+f"(s[i][2]), "+f"(s[i][3])
#define HEADSCOPE_ROWS                                                                            \
    HEADSCOPE_ROW(0), HEADSCOPE_ROW(1), HEADSCOPE_ROW(2), HEADSCOPE_ROW(3), HEADSCOPE_ROW(4),     \
        HEADSCOPE_ROW(5), HEADSCOPE_ROW(6), HEADSCOPE_ROW(7), HEADSCOPE_ROW(8), HEADSCOPE_ROW(9), \
        HEADSCOPE_ROW(10), HEADSCOPE_ROW(11), HEADSCOPE_ROW(12), HEADSCOPE_ROW(13),               \
        HEADSCOPE_ROW(14), HEADSCOPE_ROW(15)

#define HEADSCOPE_WIDE_SUMS                                                                \
    " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22," \
    "%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43," \
    "%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "

// s (+)= a [64 × 16] · b [128 × 16]ᵀ, both by descriptors of shared memory.
template <typename T>
__device__ inline void multiply_wide(WideCells& s, std::uint64_t a, std::uint64_t b, bool add) {
#ifdef HEADSCOPE_HOPPER
#define HEADSCOPE_WIDE_PRODUCT(TYPES)                                            \
    asm volatile(                                                                \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                             \
        "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPES HEADSCOPE_WIDE_SUMS \
        "%64, %65, p, 1, 1, 0, 0;\n}\n"                                          \
        : HEADSCOPE_ROWS                                                         \
        : "l"(a), "l"(b), "r"(static_cast<int>(add)))
    if constexpr (std::is_same_v<T, __half>)
        HEADSCOPE_WIDE_PRODUCT("f16.f16");
    else
        HEADSCOPE_WIDE_PRODUCT("bf16.bf16");
#undef HEADSCOPE_WIDE_PRODUCT
#endif
}
#undef HEADSCOPE_WIDE_SUMS

// Rows of slabs of 64 dims from `base` on: 128 bytes long, 8 of them 1,024 bytes apart, permuted
// over 128 bytes. step() is of 16 dims; shared memory ends below 2^18, so that no sum leaves its
// place.
class SlabForm {
  public:
    __device__ SlabForm(std::uint32_t base, int slab_bytes)
        : low_((1u << 16) | ((base & 0x3ffffu) >> 4)), slab_bytes_(slab_bytes) {}
    __device__ std::uint64_t step(int i) const {
        const auto ahead = static_cast<std::uint32_t>(i / 4 * slab_bytes_ + i % 4 * 32) >> 4;
        return (std::uint64_t{(1u << 30) | 64u} << 32) | (low_ + ahead);
    }

  private:
    std::uint32_t low_;
    int slab_bytes_;
};

// Begins s (+)= q · k for 64 queries and a tile of keys, as one group.
template <typename T, int Dim, bool Add = false>
__device__ inline void multiply_tile(WideCells& s, std::uint32_t q, std::uint32_t k) {
#ifdef HEADSCOPE_HOPPER
    const SlabForm queries(q, 64 * 128), keys(k, wide_keys * 128);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < Dim / 16; ++i)
        multiply_wide<T>(s, queries.step(i), keys.step(i), Add || i > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

// s is there when at most `Pending` groups that began later are still under way.
template <int Pending>
__device__ inline void await_products(WideCells& s) {
#ifdef HEADSCOPE_HOPPER
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
    asm volatile("" : HEADSCOPE_ROWS::"memory");
#endif
}
#undef HEADSCOPE_ROWS
#undef HEADSCOPE_ROW

}  // namespace kernels::cuda
