// SPDX-License-Identifier: GPL-3.0-or-later
// Products of 64 query rows with 64 key rows, by 4 warps of 16 query rows each: what attention,
// tiles, metrics and contribution norms are all made of. Whatever the element type, a lane ends
// with the same cells (the layout of a tensor core's result): with r = lane / 4 and i = lane % 4,
// s[j] holds query rows 16 · warp + r (s[j][0], s[j][1]) and + 8 (s[j][2], s[j][3]) of keys 8j + 2i
// and + 1.
#pragma once
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

constexpr int strip_rows = 64, block_keys = 64, tile_threads = 128;
using Cells = float[8][4];

__device__ inline int lane_row() {
    return static_cast<int>(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4);
}
__device__ inline int lane_key() {
    return static_cast<int>(threadIdx.x % 4 * 2);
}

__device__ inline void clear(Cells& s) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) s[j][e] = 0;
}

// Rows [first, first + 64) into shared memory, `stride` elements apart. Rows from `limit` on and
// columns from dim to `columns` are 0: an unwritten slot may hold anything, and 0 · NaN is NaN.
template <typename T>
__device__ inline void copy_rows(T* to, int stride, const Rows<T>& rows, std::int32_t first,
                                 std::int32_t limit, int columns) {
    constexpr int width = 16 / sizeof(T);
    const int pieces = columns / width;
    const int lanes_a_row = pieces >= 32 ? 32 : pieces >= 16 ? 16 : pieces >= 8 ? 8 : 4;
    const int thread = static_cast<int>(threadIdx.x);
    for (int row = thread / lanes_a_row; row < 64; row += tile_threads / lanes_a_row) {
        const bool there = first + row < limit;
        const T* from = rows.at(there ? first + row : limit - 1);
        for (int piece = thread % lanes_a_row; piece < pieces; piece += lanes_a_row) {
            const bool take = there && piece * width < rows.dim;
            copy_async(to + row * stride + piece * width, take ? from + piece * width : from, take);
        }
    }
}

// The 16-bit types: the query rows stay in shared memory, the key rows come in ahead of their use.
template <typename T>
class ScoreTile {
  public:
    using Element = T;
    __host__ __device__ static std::int64_t bytes(int dim) {
        return 2 * std::int64_t{64} * stride_of(dim) * static_cast<std::int64_t>(sizeof(T));
    }
    // An odd number of 16-byte pieces a row: eight rows at one column then lie in different banks.
    __host__ __device__ static int stride_of(int dim) { return (dim + 15) / 16 * 16 + 8; }

    __device__ ScoreTile(std::byte* shared, int dim)
        : stride_(stride_of(dim)),
          q_(reinterpret_cast<T*>(shared)),
          k_(reinterpret_cast<T*>(shared) + 64 * stride_) {}

    // Both start copies as one group; every thread of the block calls them.
    __device__ void queries(const Rows<T>& rows, std::int32_t first, std::int32_t limit) {
        copy_rows(q_, stride_, rows, first, limit, stride_ - 8);
        commit_copies();
    }
    __device__ void keys(const Rows<T>& rows, std::int32_t first, std::int32_t limit) {
        if (first < limit) copy_rows(k_, stride_, rows, first, limit, stride_ - 8);
        commit_copies();
    }
    // s = q · k, unscaled, for the keys asked for last. `Pending` copy groups that began later may
    // still be under way. After it the next keys may be asked for.
    template <int Pending = 0>
    __device__ void scores(Cells& s) {
        await_copies<Pending>();
        __syncthreads();
        clear(s);
        const int warp = static_cast<int>(threadIdx.x / 32),
                  lane = static_cast<int>(threadIdx.x % 32);
        const T* q = q_ + (warp * 16 + lane % 16) * stride_ + lane / 16 * 8;
        const T* k = k_ + (lane % 8 + lane / 16 * 8) * stride_ + lane / 8 % 2 * 8;
#pragma unroll 4
        for (int d = 0; d < stride_ - 8; d += 16) {
            std::uint32_t a[4];
            load_matrices(a, q + d);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                std::uint32_t b[4];
                load_matrices(b, k + j * 16 * stride_ + d);
                multiply<T>(s[2 * j], a, b[0], b[1]);
                multiply<T>(s[2 * j + 1], a, b[2], b[3]);
            }
        }
        __syncthreads();
    }
    // scores(), and the keys from `key` on are the next.
    __device__ void next(Cells& s, const Rows<T>& rows, std::int32_t key, std::int32_t limit) {
        scores(s);
        keys(rows, key, limit);
    }

  private:
    int stride_;
    T *q_, *k_;
};

// fp32 by plain multiply-adds, 64 dims at a time: exact products of any length from a fixed 35 KB.
constexpr int slice = 64, slice_stride = slice + 4;

__device__ inline void multiply_slices(Cells& s, const float* q, const float* k) {
    const float* qa = q + lane_row() * slice_stride;
    const float* qb = qa + 8 * slice_stride;
    const float* kr = k + lane_key() * slice_stride;
#pragma unroll 4
    for (int d = 0; d < slice; d += 4) {
        const float4 a = *reinterpret_cast<const float4*>(qa + d);
        const float4 b = *reinterpret_cast<const float4*>(qb + d);
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const float4 x =
                    *reinterpret_cast<const float4*>(kr + (8 * j + e) * slice_stride + d);
                s[j][e] = fmaf(a.w, x.w, fmaf(a.z, x.z, fmaf(a.y, x.y, fmaf(a.x, x.x, s[j][e]))));
                s[j][2 + e] =
                    fmaf(b.w, x.w, fmaf(b.z, x.z, fmaf(b.y, x.y, fmaf(b.x, x.x, s[j][2 + e]))));
            }
    }
}

// Columns [d, d + 64) of 64 rows into fp32, without a wait.
template <typename T>
__device__ inline void load_slice(float* to, const Rows<T>& rows, std::int32_t first,
                                  std::int32_t limit, int d) {
    const int column = static_cast<int>(threadIdx.x % 16) * 4;
    for (int row = static_cast<int>(threadIdx.x / 16); row < 64; row += tile_threads / 16) {
        float4 x = {0, 0, 0, 0};
        if (first + row < limit && d + column < rows.dim) {
            const T* from = rows.at(first + row) + d + column;
            if constexpr (sizeof(T) == 4) {
                x = *reinterpret_cast<const float4*>(from);
            } else {
                const uint2 two = *reinterpret_cast<const uint2*>(from);
                const float2 low = unpack<T>(two.x), high = unpack<T>(two.y);
                x = {low.x, low.y, high.x, high.y};
            }
        }
        *reinterpret_cast<float4*>(to + row * slice_stride + column) = x;
    }
}

template <>
class ScoreTile<float> {
  public:
    using Element = float;
    __host__ __device__ static std::int64_t bytes(int) { return 2 * 64 * slice_stride * 4; }
    __device__ ScoreTile(std::byte* shared, int dim)
        : dim_(dim),
          q_(reinterpret_cast<float*>(shared)),
          k_(reinterpret_cast<float*>(shared) + 64 * slice_stride) {}

    __device__ void queries(const Rows<float>& rows, std::int32_t first, std::int32_t limit) {
        query_rows_ = rows, first_query_ = first, query_limit_ = limit;
    }
    __device__ void keys(const Rows<float>& rows, std::int32_t first, std::int32_t limit) {
        key_rows_ = rows, first_key_ = first, key_limit_ = limit;
    }
    template <int Pending = 0>
    __device__ void scores(Cells& s) {
        clear(s);
        for (int d = 0; d < dim_; d += slice) {
            __syncthreads();
            load_slice(q_, query_rows_, first_query_, query_limit_, d);
            load_slice(k_, key_rows_, first_key_, key_limit_, d);
            __syncthreads();
            multiply_slices(s, q_, k_);
        }
        __syncthreads();
    }
    __device__ void next(Cells& s, const Rows<float>& rows, std::int32_t key, std::int32_t limit) {
        scores(s);
        keys(rows, key, limit);
    }
    // For others to use between two scores(): [64][slice_stride].
    __device__ float* buffer() { return k_; }

  private:
    int dim_;
    float *q_, *k_;
    Rows<float> query_rows_, key_rows_;
    std::int32_t first_query_ = 0, query_limit_ = 0, first_key_ = 0, key_limit_ = 0;
};

// The model's own score of a product.
__device__ inline float score_of(const ScoreRule& rule, float product) {
    const float s = product * rule.scale;
    return rule.soft_cap > 0 ? rule.soft_cap * tanhf(s / rule.soft_cap) : s;
}
// The same of a tile. The cap stands apart: few models have one, and tanh is long.
__device__ inline void scores_of(Cells& s, const ScoreRule& rule) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) s[j][e] *= rule.scale;
    if (rule.soft_cap > 0)
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) s[j][e] = rule.soft_cap * tanhf(s[j][e] / rule.soft_cap);
}
__device__ inline bool visible(std::int32_t dest, std::int32_t src, std::int32_t window) {
    return src <= dest && (window == 0 || src > dest - window);
}
// What a row does not see becomes `hidden`.
__device__ inline void hide(Cells& s, std::int32_t dest, std::int32_t key, std::int32_t window,
                            float hidden) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e)
            if (!visible(dest + e / 2 * 8, key + 8 * j + lane_key() + e % 2, window))
                s[j][e] = hidden;
}
// Likewise what a run forbids to a head.
__device__ inline void forbid(Cells& s, const ForbiddenEdges& edges, std::int32_t head,
                              std::int32_t dest, std::int32_t key, float hidden) {
    for (std::int32_t i = 0; i < edges.count; ++i) {
        const EdgeRange range = edges.ranges[i];
        if (range.head != head) continue;
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const std::int32_t row = dest + e / 2 * 8, src = key + 8 * j + lane_key() + e % 2;
                if (range.dest_begin <= row && row < range.dest_end && range.src_begin <= src &&
                    src < range.src_end)
                    s[j][e] = hidden;
            }
    }
}

}  // namespace kernels::cuda
