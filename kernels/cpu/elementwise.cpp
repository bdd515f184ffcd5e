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

void layer_norm(const float* x, const float* w, const float* b, float eps, float* y,
                std::int64_t rows, std::int64_t columns, const Parallel& parallel) {
    const std::int64_t grain =
        greatest<std::int64_t>(1, worth_a_thread / greatest<std::int64_t>(columns, 1));
    for_each_range(parallel, rows, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
            const float* from = x + t * columns;
            float* to = y + t * columns;
            f32v values{};
            std::int64_t c = 0;
            for (; c + lanes <= columns; c += lanes) values += load(from + c);
            float total = sum(values);
            for (; c < columns; ++c) total += from[c];
            const float mean = total / static_cast<float>(columns);
            f32v squares{};
            for (c = 0; c + lanes <= columns; c += lanes) {
                const f32v apart = load(from + c) - mean;
                squares += apart * apart;
            }
            total = sum(squares);
            for (; c < columns; ++c) total += (from[c] - mean) * (from[c] - mean);
            const float factor = 1.0f / __builtin_sqrtf(total / static_cast<float>(columns) + eps);
            for (c = 0; c + lanes <= columns; c += lanes)
                store(to + c, (load(from + c) - mean) * factor * load(w + c) + load(b + c));
            for (; c < columns; ++c) to[c] = (from[c] - mean) * factor * w[c] + b[c];
        }
    });
}

namespace {

template <typename Activation>
void activate(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel, Activation activation) {
    // y may be gate with its wider rows, so rows are done in order by one thread unless the layouts
    // agree.
    const bool apart = y != gate || stride == columns;
    const std::int64_t grain =
        apart ? greatest<std::int64_t>(1, worth_a_thread / 4 / greatest<std::int64_t>(columns, 1))
              : rows;
    for_each_range(parallel, rows, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = first; t < last; ++t) {
            const float* a = gate + t * stride;
            const float* b = up == nullptr ? nullptr : up + t * stride;
            float* to = y + t * columns;
            std::int64_t c = 0;
            for (; c + lanes <= columns; c += lanes) {
                const f32v value = activation(load(a + c));
                store(to + c, b == nullptr ? value : value * load(b + c));
            }
            if (c < columns) {
                const std::size_t bytes = static_cast<std::size_t>(columns - c) * sizeof(float);
                f32v x{}, u = splat(1.0f);
                std::memcpy(&x, a + c, bytes);
                if (b != nullptr) std::memcpy(&u, b + c, bytes);
                const f32v result = activation(x) * u;
                std::memcpy(to + c, &result, bytes);
            }
        }
    });
}

}  // namespace

void silu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    activate(gate, up, stride, y, rows, columns, parallel,
             [](f32v x) { return x / (1.0f + exp(-x)); });
}

void gelu_tanh_mul(const float* gate, const float* up, std::int64_t stride, float* y,
                   std::int64_t rows, std::int64_t columns, const Parallel& parallel) {
    activate(gate, up, stride, y, rows, columns, parallel, [](f32v x) {
        constexpr float slope = 0.7978845608f, cubic = 0.044715f;  // √(2/π)
        return x * 0.5f * (1.0f + tanh((x + x * x * x * cubic) * slope));
    });
}

void gelu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    activate(gate, up, stride, y, rows, columns, parallel, [](f32v x) {
        float values[lanes];
        store(values, x);
        for (float& value : values)
            value = value * 0.5f * (1.0f + __builtin_erff(value * 0.7071067812f));
        return load(values);
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
