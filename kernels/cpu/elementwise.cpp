// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/elementwise.h"

#include "kernels/cpu/vector_math.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

constexpr std::int64_t worth_a_thread = 16384;  // elements: some microseconds, as a thread's start

}  // namespace

void rms_norm(const float* x, const float* w, float eps, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    const std::int64_t grain =
        greatest<std::int64_t>(1, worth_a_thread / greatest<std::int64_t>(columns, 1));
    for_each_range(parallel, rows, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
            const float* from = x + t * columns;
            float* to = y + t * columns;
            f32v squares[2] = {};
            std::int64_t c = 0;
            for (; c + 2 * lanes <= columns; c += 2 * lanes) {
                const f32v a = load(from + c), b = load(from + c + lanes);
                squares[0] += a * a;
                squares[1] += b * b;
            }
            float total = sum(squares[0] + squares[1]);
            for (; c < columns; ++c) total += from[c] * from[c];
            const float factor = 1.0f / __builtin_sqrtf(total / static_cast<float>(columns) + eps);
            for (c = 0; c + lanes <= columns; c += lanes)
                store(to + c, load(from + c) * factor * load(w + c));
            for (; c < columns; ++c) to[c] = from[c] * factor * w[c];
        }
    });
}

void silu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    // y may be gate with its wider rows, so rows are done in order by one thread unless the layouts
    // agree.
    const bool apart = y != gate || stride == columns;
    const std::int64_t grain =
        apart ? greatest<std::int64_t>(1, worth_a_thread / 4 / greatest<std::int64_t>(columns, 1))
              : rows;
    for_each_range(parallel, rows, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
            const float* a = gate + t * stride;
            const float* b = up + t * stride;
            float* to = y + t * columns;
            std::int64_t c = 0;
            for (; c + lanes <= columns; c += lanes) {
                const f32v x = load(a + c);
                store(to + c, x / (1.0f + exp(-x)) * load(b + c));
            }
            if (c < columns) {
                const std::size_t bytes = static_cast<std::size_t>(columns - c) * sizeof(float);
                f32v x{}, u{};
                std::memcpy(&x, a + c, bytes);
                std::memcpy(&u, b + c, bytes);
                const f32v result = x / (1.0f + exp(-x)) * u;
                std::memcpy(to + c, &result, bytes);
            }
        }
    });
}

void add(float* x, const float* y, std::int64_t n, const Parallel& parallel) {
    for_each_range(parallel, n, worth_a_thread, [&](std::int64_t first, std::int64_t last) {
        std::int64_t i = first;
        for (; i + lanes <= last; i += lanes) store(x + i, load(x + i) + load(y + i));
        for (; i < last; ++i) x[i] += y[i];
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
