// SPDX-License-Identifier: GPL-3.0-or-later
// A few rows against a key range, as in a decode step: a panel would be mostly empty, so vectors
// run along head_dim for the products and along keys for the softmax.
#pragma once
#include "kernels/cpu/attend_plan.h"
#include "kernels/cpu/panel.h"
#include "kernels/cpu/vector_math.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// Dot products of one q with `lanes` keys.
HEADSCOPE_INLINE f32v dot_keys(const float* q, const float* const* keys, int dim) {
    f32v sums[lanes];
#pragma GCC unroll 16
    for (int k = 0; k < lanes; ++k) sums[k] = f32v{};
    std::int64_t d = 0;
    for (; d + lanes <= dim; d += lanes) {
        const f32v part = load(q + d);
#pragma GCC unroll 16
        for (int k = 0; k < lanes; ++k) sums[k] = part * load(keys[k] + d) + sums[k];
    }
    transpose(sums);
#pragma GCC unroll 4
    for (int half = lanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
    for (; d < dim; ++d)
        for (int k = 0; k < lanes; ++k) sums[0][k] += q[d] * keys[k][d];
    return sums[0];
}

// z += Σ p · v over `Parts` vectors of head_dim.
template <int Parts>
HEADSCOPE_INLINE void weigh_parts(const float* const* values, std::int64_t d, int count,
                                  const float* p, float factor, float* z) {
    f32v sums[Parts];
#pragma GCC unroll 8
    for (int i = 0; i < Parts; ++i) sums[i] = load(z + d + i * lanes) * factor;
    for (int k = 0; k < count; ++k) {
        const f32v weight = splat(p[k]);
        const float* value = values[k] + d;
#pragma GCC unroll 8
        for (int i = 0; i < Parts; ++i) sums[i] = weight * load(value + i * lanes) + sums[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < Parts; ++i) store(z + d + i * lanes, sums[i]);
}

inline void weigh_row(const float* const* values, int count, const float* p, int dim, float factor,
                      float* z) {
    std::int64_t d = 0;
    for (; d + 8 * lanes <= dim; d += 8 * lanes) weigh_parts<8>(values, d, count, p, factor, z);
    for (; d + 4 * lanes <= dim; d += 4 * lanes) weigh_parts<4>(values, d, count, p, factor, z);
    for (; d + lanes <= dim; d += lanes) weigh_parts<1>(values, d, count, p, factor, z);
    for (; d < dim; ++d) {
        z[d] *= factor;
        for (int k = 0; k < count; ++k) z[d] += p[k] * values[k][d];
    }
}

// q [lanes][dim] and st [key_block] are scratch. A lane's keys are those that its own dest row
// sees.
inline void attend_rows(const AttendArgs& args, const Strip& strip, std::int64_t key_begin,
                        std::int64_t key_end, const State& state, float* q, float* st) {
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim, count = static_cast<int>(strip.count());
    const float cap = args.rule.soft_cap;
    start(state, count, dim);
    for (int lane = 0; lane < count; ++lane) {
        const float* row = row_pointer(trace, trace.q_offset, strip.head(lane), strip.dest(lane));
        for (int d = 0; d < dim; ++d) q[lane * dim + d] = row[d] * args.rule.scale;
    }
    const float *keys[key_block], *values[key_block];
    for (std::int64_t block = key_begin; block < key_end; block += key_block) {
        const std::int64_t block_end = least(key_end, block + key_block);
        row_pointers(trace, trace.k_offset, strip.kv_head, block, block_end, keys);
        row_pointers(trace, trace.v_offset, strip.kv_head, block, block_end, values);
        for (std::int64_t k = block_end - block; k % lanes != 0; ++k)
            keys[k] = keys[0];  // masked below
        for (int lane = 0; lane < count; ++lane) {
            const std::int64_t dest = strip.dest(lane);
            const std::int64_t from = args.rule.window > 0 ? dest - args.rule.window + 1 : 0;
            const int first = static_cast<int>(greatest(block, from) - block);
            const int last = static_cast<int>(least(block_end, dest + 1) - block);
            if (first >= last) continue;
            const int begin = first / lanes * lanes;
            f32v highest = splat(state.m[lane]);
            for (int k = begin; k < last; k += lanes) {
                f32v s = dot_keys(q + lane * dim, keys + k, dim);
                if (cap > 0) s = soft_cap(s, cap, 1.0f / cap);
                const i32v at = iota() + k;
                s = (at >= first) & (at < last) ? s : splat(-infinity);
                if (args.rule.forbidden.count > 0)
                    for (int i = 0; i < lanes; ++i)
                        if (args.rule.forbidden.hold(strip.head(lane), dest, block + k + i))
                            s[i] = -infinity;
                store(st + k, s);
                highest = max(highest, s);
            }
            float m = highest[0];
            for (int i = 1; i < lanes; ++i)
                m = highest[i] > m || highest[i] != highest[i] ? highest[i] : m;
            const float base = m == -infinity ? 0.0f : m;
            f32v total{};
            for (int k = begin; k < last; k += lanes) {
                const f32v p = exp(load(st + k) - base);
                store(st + k, p);
                total += p;
            }
            const float factor = exp(splat(state.m[lane] - base))[0];
            state.m[lane] = m;
            state.l[lane] = state.l[lane] * factor + sum(total);
            weigh_row(values + first, last - first, st + first, dim, factor, state.zt + lane * dim);
        }
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
