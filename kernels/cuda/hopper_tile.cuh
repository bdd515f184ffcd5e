// SPDX-License-Identifier: GPL-3.0-or-later
// The products of score_tile.cuh by Hopper's warpgroup instructions: the query rows in registers,
// the key rows in two buffers that take turns, so that the next block comes in while this one is
// multiplied. The result lies as the portable one's does.
#pragma once
#include "kernels/cuda/paths.h"
#include "kernels/cuda/score_tile.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define HEADSCOPE_HOPPER 1
#endif

namespace kernels::cuda {

// s (+)= a [64 × 16] · b [16 × 64]; a by registers as for multiply(), b [key][dim] in shared
// memory.
template <typename T>
__device__ inline void multiply_group(Cells& s, const std::uint32_t (&a)[4], std::uint64_t b,
                                      bool add) {
#ifdef HEADSCOPE_HOPPER
#define HEADSCOPE_GROUP_PRODUCT(TYPES)                                                         \
    asm volatile(                                                                              \
        "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                           \
        "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPES                                    \
        " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22," \
        "%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, p, 1, 1, 0;\n}\n"       \
        : "+f"(s[0][0]), "+f"(s[0][1]), "+f"(s[0][2]), "+f"(s[0][3]), "+f"(s[1][0]),           \
          "+f"(s[1][1]), "+f"(s[1][2]), "+f"(s[1][3]), "+f"(s[2][0]), "+f"(s[2][1]),           \
          "+f"(s[2][2]), "+f"(s[2][3]), "+f"(s[3][0]), "+f"(s[3][1]), "+f"(s[3][2]),           \
          "+f"(s[3][3]), "+f"(s[4][0]), "+f"(s[4][1]), "+f"(s[4][2]), "+f"(s[4][3]),           \
          "+f"(s[5][0]), "+f"(s[5][1]), "+f"(s[5][2]), "+f"(s[5][3]), "+f"(s[6][0]),           \
          "+f"(s[6][1]), "+f"(s[6][2]), "+f"(s[6][3]), "+f"(s[7][0]), "+f"(s[7][1]),           \
          "+f"(s[7][2]), "+f"(s[7][3])                                                         \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)))
    if constexpr (std::is_same_v<T, __half>)
        HEADSCOPE_GROUP_PRODUCT("f16.f16");
    else
        HEADSCOPE_GROUP_PRODUCT("bf16.bf16");
#undef HEADSCOPE_GROUP_PRODUCT
#endif
}

template <typename T, int Dim>
class HopperTile {
  public:
    using Element = T;
    static_assert(sizeof(T) == 2 && Dim % 64 == 0);
    static constexpr int buffer_bytes = 64 * Dim * 2, slab_bytes = 64 * 128;

    __host__ __device__ static std::int64_t bytes(int) { return 2 * buffer_bytes + 1024; }
    __device__ HopperTile(std::byte* shared, int)
        : k_((shared_address(shared) + 1023) / 1024 * 1024) {}

    __device__ void queries(const Rows<T>& rows, std::int32_t first, std::int32_t limit) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const std::int32_t row = first + lane_row() + 8 * half;
            const bool there = row < limit;
            const T* from = rows.at(there ? row : limit - 1);
#pragma unroll
            for (int step = 0; step < Dim / 16; ++step)
#pragma unroll
                for (int part = 0; part < 2; ++part)
                    q_[step][half + 2 * part] = there
                                                    ? *reinterpret_cast<const std::uint32_t*>(
                                                          from + step * 16 + part * 8 + lane_key())
                                                    : 0;
        }
    }
    __device__ void keys(const Rows<T>& rows, std::int32_t first, std::int32_t limit) {
        turn_ = 0;
        __syncthreads();  // the products of an earlier strip are done everywhere
        copy(k_, rows, first, limit);
    }
    __device__ void scores(Cells& s) {
        products(s, [] {});
    }
    // The same, with the copy of the block at `key` begun before the products are awaited.
    __device__ void next(Cells& s, const Rows<T>& rows, std::int32_t key, std::int32_t limit) {
        products(s, [&] {
            if (key < limit) copy(k_ + (turn_ ^ 1) * buffer_bytes, rows, key, limit);
        });
        turn_ ^= 1;
    }

  private:
    // Rows of 64 dims, 128 bytes, with their 16-byte pieces permuted by row as the unit expects.
    __device__ static void copy(std::uint32_t to, const Rows<T>& rows, std::int32_t first,
                                std::int32_t limit) {
        constexpr int pieces = Dim / 8, rows_at_once = tile_threads / pieces;
        const int piece = static_cast<int>(threadIdx.x) % pieces,
                  start = static_cast<int>(threadIdx.x) / pieces;
        const bool together = rows.page_tokens % block_keys == 0 && first % block_keys == 0;
        const T* base = rows.at(min(first + (together ? 0 : start), limit - 1));
#pragma unroll
        for (int i = 0; i < 64 / rows_at_once; ++i) {
            const int row = start + i * rows_at_once;
            const bool there = first + row < limit;
            const T* from = together ? base + static_cast<std::int64_t>(there ? row : 0) * Dim
                                     : rows.at(there ? first + row : limit - 1);
            const std::uint32_t at =
                to + static_cast<std::uint32_t>(piece / 8 * slab_bytes + row * 128 +
                                                ((piece % 8) ^ (row % 8)) * 16);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
                         "l"(from + piece * 8), "r"(there ? 16 : 0)
                         : "memory");
        }
        commit_copies();
    }

    template <typename Meanwhile>
    __device__ void products(Cells& s, Meanwhile&& meanwhile) {
        await_copies<0>();
#ifdef HEADSCOPE_HOPPER
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        // Rows 128 bytes long, 8 of them 1,024 bytes apart, permuted over 128 bytes.
        const std::uint64_t form = (1ull << 62) | (64ull << 32) | (1ull << 16);
        const std::uint32_t from = k_ + turn_ * buffer_bytes;
#pragma unroll
        for (int step = 0; step < Dim / 16; ++step) {
            const std::uint32_t at = from + step / 4 * slab_bytes + step % 4 * 32;
            multiply_group<T>(s, q_[step], form | ((at & 0x3ffffu) >> 4), step > 0);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        meanwhile();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) asm volatile("" : "+f"(s[j][e])::"memory");
#else
        __trap();  // never launched: see has_hopper_code
#endif
    }

    std::uint32_t k_;
    std::uint32_t turn_ = 0;
    std::uint32_t q_[Dim / 16][4];
};

// Whether this kernel was compiled for, and runs on, Hopper's own instructions.
template <typename Kernel>
bool has_hopper_code(Kernel kernel) {
    int device = 0, major = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "compute capability");
    if (major != 9 || portable_forced()) return false;
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "kernel attributes");
    return attributes.ptxVersion == 90;
}

}  // namespace kernels::cuda
