// SPDX-License-Identifier: GPL-3.0-or-later
// A projection's rows into their pages: norm, rotation, write. The norm comes before the rotation;
// v gets neither.
#include "kernels/attention.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

float inverse_rms(const float* x, int dim, float eps) {
    f32v squares{};
    int d = 0;
    for (; d + lanes <= dim; d += lanes) squares += load(x + d) * load(x + d);
    float total = sum(squares);
    for (; d < dim; ++d) total += x[d] * x[d];
    return 1.0f / __builtin_sqrtf(total / static_cast<float>(dim) + eps);
}

void normalize(const float* x, const float* weight, float eps, int dim, float* y) {
    if (weight == nullptr) {
        std::memcpy(y, x, static_cast<std::size_t>(dim) * sizeof(float));
        return;
    }
    const float factor = inverse_rms(x, dim, eps);
    for (int d = 0; d < dim; ++d) y[d] = x[d] * factor * weight[d];
}

// Pairs (i, i + half) of the first 2 · half elements.
void rotate(float* __restrict x, const float* __restrict cosines, const float* __restrict sines,
            int half) {
    for (int i = 0; i < half; ++i) {
        const float a = x[i], b = x[half + i];
        x[i] = a * cosines[i] - b * sines[i];
        x[half + i] = b * cosines[i] + a * sines[i];
    }
}

}  // namespace

void append(const AppendArgs& args, const Parallel& parallel) {
    const TraceView& trace = args.trace;
    const std::int64_t dim = trace.head_dim;
    const std::int32_t query = trace.query_heads, kv = trace.kv_heads;
    const int half = args.cosines == nullptr ? 0 : args.rotary_dim / 2;
    for_each_range(parallel, args.end - args.begin, 8, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
            const float* x = args.qkv + t * (query + 2 * kv) * dim;
            const std::int64_t position = args.begin + t;
            for (std::int32_t head = 0; head < query + 2 * kv; ++head, x += dim) {
                const bool is_q = head < query, is_k = !is_q && head < query + kv;
                const std::int64_t offset = is_q   ? trace.q_offset
                                            : is_k ? trace.k_offset
                                                   : trace.v_offset;
                const std::int32_t local = is_q ? head : is_k ? head - query : head - query - kv;
                float* to = row_pointer(trace, offset, local, position);
                normalize(x,
                          is_q   ? args.q_norm
                          : is_k ? args.k_norm
                                 : nullptr,
                          args.norm_eps, trace.head_dim, to);
                if ((is_q || is_k) && half > 0)
                    rotate(to, args.cosines + t * half, args.sines + t * half, half);
            }
        }
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
