// SPDX-License-Identifier: GPL-3.0-or-later
// One warp's keys of a decode step, up to 8 query heads of one KV head at once. walk() waits for
// the kernel that wrote the row.
#pragma once
#include <algorithm>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/score_tile.cuh"
#include "kernels/cuda/step_append.cuh"

namespace kernels::cuda {

constexpr int step_heads = 8, step_warps = 4, step_threads = step_warps * 32;
constexpr float infinity = __builtin_huge_valf();

inline std::int64_t step_parts(const TraceView& trace) {
    const std::int32_t group = trace.query_heads / trace.kv_heads;
    return std::int64_t{trace.kv_heads} * ((group + step_heads - 1) / step_heads);
}
__host__ __device__ inline std::int64_t counter_bytes(std::int64_t parts) {
    return (parts * 4 + 15) / 16 * 16;
}

struct StepWork {
    ScoreRule rule;
    std::int32_t dest = 0, first_head = 0;
    int heads = 0;
    int worker = 0, workers = 1;  // takes every workers-th tile of keys_at_once
    float* scores = nullptr;
    std::int64_t scores_stride = 0;

    const AppendArgs* row = nullptr;  // the row is appended first

    // Of the block that sees the row's own key.
    __device__ bool owns_row(int keys_at_once) const {
        const int tile = (dest - first_key(keys_at_once)) / keys_at_once;
        return tile % workers / step_warps == worker / step_warps;
    }
    // Of the first tile.
    __device__ std::int32_t first_key(int keys_at_once) const {
        return rule.window > 0 ? max(0, dest - rule.window + 1) / keys_at_once * keys_at_once : 0;
    }
    __device__ void emit(int head, std::int32_t key, float score) const {
        if (scores != nullptr) scores[(first_head + head) * scores_stride + key] = score;
    }
};

// 16-bit elements: keys are the rows of the tensor core's products and heads its columns, so that
// eight heads fill a tile. A lane (r = lane / 4, i = lane % 4) loads 16 bytes a time; which dims
// those are does not matter to a product as long as keys and query agree, so they need no shuffle.
template <typename T, int Dim>
struct StepState {
    static constexpr int chunks = Dim / 32, parts = Dim / 64, keys_at_once = 16;

    __device__ static uint4 load(const T* row, int d, int dim) {
        return d < dim ? __ldcg(reinterpret_cast<const uint4*>(row + d)) : uint4{0, 0, 0, 0};
    }

    template <bool Appends>
    __device__ static void walk(const TraceView& trace, const StepWork& work, float* m_out,
                                float* l_out, float* z_out) {
        const int lane = static_cast<int>(threadIdx.x % 32), r = lane / 4, i = lane % 4;
        const int dim = trace.head_dim;
        const std::int32_t kv_head = work.first_head / (trace.query_heads / trace.kv_heads);
        const Rows<T> keys(trace, trace.k_offset, kv_head), values(trace, trace.v_offset, kv_head);
        float m[2] = {-infinity, -infinity}, l[2] = {0, 0};
        float z[parts][4][4];
#pragma unroll
        for (int p = 0; p < parts; ++p)
#pragma unroll
            for (int t = 0; t < 4; ++t)
#pragma unroll
                for (int e = 0; e < 4; ++e) z[p][t][e] = 0;
        const std::int32_t first = work.first_key(keys_at_once);
        uint4 k[2][chunks];
        const auto load_keys = [&](std::int32_t key) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const T* row = keys.at(min(key + r + 8 * half, work.dest));
#pragma unroll
                for (int c = 0; c < chunks; ++c) k[half][c] = load(row, 32 * c + 8 * i, dim);
            }
        };
        uint4 v[4][parts];
        const auto load_values = [&](std::int32_t key) {
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                // A key behind the row has p = 0; the row's own value stands in for what may be
                // NaN.
                const T* row = values.at(min(key + 2 * i + n % 2 + n / 2 * 8, work.dest));
#pragma unroll
                for (int p = 0; p < parts; ++p) v[n][p] = load(row, 64 * p + 8 * r, dim);
            }
        };
        std::int32_t key = first + work.worker * keys_at_once;
        // Keys before the row's own are long complete.
        const bool ahead = key + keys_at_once <= work.dest;
        if (ahead) load_keys(key), load_values(key);
        uint4 q[chunks];
        const bool there = r < work.heads;
        if constexpr (Appends) {
            __shared__ __align__(16) T queries[step_heads * Dim];
            __shared__ float turning[step_warps][Dim];
            const StepAppend<T, Dim, step_warps> append(*work.row, work.dest);
            await_predecessor();
            start_dependents();
            append.run(work.first_head, work.heads, work.owns_row(keys_at_once), queries, turning);
            __syncthreads();
#pragma unroll
            for (int c = 0; c < chunks; ++c)
                q[c] = there && 32 * c + 8 * i < dim
                           ? *reinterpret_cast<const uint4*>(queries + r * Dim + 32 * c + 8 * i)
                           : uint4{0, 0, 0, 0};
        } else {
            await_predecessor();
            start_dependents();
            const T* row =
                Rows<T>(trace, trace.q_offset, work.first_head + (there ? r : 0)).at(work.dest);
#pragma unroll
            for (int c = 0; c < chunks; ++c) q[c] = load(row, 32 * c + 8 * i, there ? dim : 0);
        }
        if (!ahead && key <= work.dest) load_keys(key), load_values(key);
        for (; key <= work.dest; key += work.workers * keys_at_once) {
            float s[4] = {0, 0, 0, 0};
#pragma unroll
            for (int c = 0; c < chunks; ++c) {
                const std::uint32_t low[4] = {k[0][c].x, k[1][c].x, k[0][c].y, k[1][c].y};
                multiply<T>(s, low, q[c].x, q[c].y);
                const std::uint32_t high[4] = {k[0][c].z, k[1][c].z, k[0][c].w, k[1][c].w};
                multiply<T>(s, high, q[c].z, q[c].w);
            }
            // The next keys come in while these are dealt with.
            if (key + work.workers * keys_at_once <= work.dest)
                load_keys(key + work.workers * keys_at_once);
            float highest[2] = {-infinity, -infinity};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const std::int32_t at = key + r + e / 2 * 8;
                if (visible(work.dest, at, work.rule.window)) {
                    s[e] = score_of(work.rule, s[e]);
                    if (2 * i + e % 2 < work.heads) work.emit(2 * i + e % 2, at, s[e]);
                } else {
                    s[e] = -infinity;
                }
                highest[e % 2] = fmaxf(highest[e % 2], s[e]);
            }
            float keep[2];
#pragma unroll
            for (int e = 0; e < 2; ++e) {
#pragma unroll
                for (int step = 4; step < 32; step *= 2)
                    highest[e] = fmaxf(highest[e], __shfl_xor_sync(0xffffffffu, highest[e], step));
                const float next = fmaxf(m[e], highest[e]);
                const float base = next == -infinity ? 0 : next;
                keep[e] = power_of_e(m[e] - base);
                m[e] = next;
                s[e] = power_of_e(s[e] - base);
                s[e + 2] = power_of_e(s[e + 2] - base);
                l[e] = l[e] * keep[e] + s[e] + s[e + 2];
            }
            // p [key][head] turned to [head][key], as the second product takes it.
            const std::uint32_t p0 = turn(pack<T>(s[0], s[1])), p1 = turn(pack<T>(s[2], s[3]));
#pragma unroll
            for (int p = 0; p < parts; ++p)
#pragma unroll
                for (int t = 0; t < 4; ++t) {
                    const auto word = [&](int n) {
                        const uint4& x = v[n][p];
                        return t == 0 ? x.x : t == 1 ? x.y : t == 2 ? x.z : x.w;
                    };
                    const std::uint32_t a[4] = {__byte_perm(word(0), word(1), 0x5410),
                                                __byte_perm(word(0), word(1), 0x7632),
                                                __byte_perm(word(2), word(3), 0x5410),
                                                __byte_perm(word(2), word(3), 0x7632)};
#pragma unroll
                    for (int e = 0; e < 4; ++e) z[p][t][e] *= keep[e % 2];
                    multiply<T>(z[p][t], a, p0, p1);
                }
            if (key + work.workers * keys_at_once <= work.dest)
                load_values(key + work.workers * keys_at_once);
        }
#pragma unroll
        for (int e = 0; e < 2; ++e) {
#pragma unroll
            for (int step = 4; step < 32; step *= 2)
                l[e] += __shfl_xor_sync(0xffffffffu, l[e], step);
            if (r == 0) m_out[2 * i + e] = m[e], l_out[2 * i + e] = l[e];
        }
#pragma unroll
        for (int p = 0; p < parts; ++p)
#pragma unroll
            for (int t = 0; t < 4; ++t)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int d = 64 * p + 8 * r + 2 * t + e / 2, head = 2 * i + e % 2;
                    if (d < dim) z_out[head * dim + d] = z[p][t][e];
                }
    }
};

// fp32: a warp takes a key at a time, its lanes the dims.
template <int Dim>
struct StepState<float, Dim> {
    static constexpr int width = Dim / 32, keys_at_once = 1;

    template <bool>
    __device__ static void walk(const TraceView& trace, const StepWork& work, float* m_out,
                                float* l_out, float* z_out) {
        const int lane = static_cast<int>(threadIdx.x % 32), dim = trace.head_dim;
        const std::int32_t kv_head = work.first_head / (trace.query_heads / trace.kv_heads);
        const Rows<float> keys(trace, trace.k_offset, kv_head),
            values(trace, trace.v_offset, kv_head);
        await_predecessor();
        start_dependents();
        float q[step_heads][width], z[step_heads][width], m[step_heads], l[step_heads];
#pragma unroll
        for (int h = 0; h < step_heads; ++h) {
            m[h] = -infinity, l[h] = 0;
            const bool there = h < work.heads;
            const float* row =
                Rows<float>(trace, trace.q_offset, work.first_head + (there ? h : 0)).at(work.dest);
#pragma unroll
            for (int c = 0; c < width; ++c) {
                z[h][c] = 0;
                q[h][c] = there && lane + 32 * c < dim ? fresh(row + lane + 32 * c) : 0;
            }
        }
        for (std::int32_t key = work.first_key(keys_at_once) + work.worker; key <= work.dest;
             key += work.workers) {
            const float *k = keys.at(key), *v = values.at(key);
            float x[width], y[width];
#pragma unroll
            for (int c = 0; c < width; ++c) {
                const bool take = lane + 32 * c < dim;
                x[c] = take ? fresh(k + lane + 32 * c) : 0;
                y[c] = take ? fresh(v + lane + 32 * c) : 0;
            }
#pragma unroll
            for (int h = 0; h < step_heads; ++h) {
                if (h >= work.heads) break;
                float s = 0;
#pragma unroll
                for (int c = 0; c < width; ++c) s = fmaf(q[h][c], x[c], s);
#pragma unroll
                for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(0xffffffffu, s, step);
                s = score_of(work.rule, s);
                if (lane == 0) work.emit(h, key, s);
                const float next = fmaxf(m[h], s), keep = power_of_e(m[h] - next),
                            p = power_of_e(s - next);
                m[h] = next;
                l[h] = l[h] * keep + p;
#pragma unroll
                for (int c = 0; c < width; ++c) z[h][c] = fmaf(p, y[c], z[h][c] * keep);
            }
        }
#pragma unroll
        for (int h = 0; h < step_heads; ++h) {
            if (lane == 0) m_out[h] = m[h], l_out[h] = l[h];
#pragma unroll
            for (int c = 0; c < width; ++c)
                if (lane + 32 * c < dim) z_out[h * dim + lane + 32 * c] = z[h][c];
        }
    }
};

}  // namespace kernels::cuda
