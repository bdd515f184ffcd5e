// SPDX-License-Identifier: GPL-3.0-or-later
// One build's entry points.
#pragma once
#include "kernels/attention.h"
#include "kernels/contribution.h"
#include "kernels/elementwise.h"
#include "kernels/gemv.h"
#include "kernels/pattern.h"

namespace kernels::cpu {

struct Table {
    void (*append)(const AppendArgs&, const Parallel&);
    std::int64_t (*attend_scratch)(const AttendArgs&, int threads);
    void (*attend)(const AttendArgs&, const Parallel&);
    void (*contributions)(const ContributionArgs&, const Parallel&);
    void (*column_weights)(const ColumnWeightArgs&, const Parallel&);
    void (*rms_norm)(const float* x, const float* w, float eps, float* y, std::int64_t rows,
                     std::int64_t columns, const Parallel&);
    void (*silu_mul)(const float* gate, const float* up, std::int64_t stride, float* y,
                     std::int64_t rows, std::int64_t columns, const Parallel&);
    void (*gelu_tanh_mul)(const float* gate, const float* up, std::int64_t stride, float* y,
                          std::int64_t rows, std::int64_t columns, const Parallel&);
    void (*gelu_mul)(const float* gate, const float* up, std::int64_t stride, float* y,
                     std::int64_t rows, std::int64_t columns, const Parallel&);
    void (*layer_norm)(const float* x, const float* w, const float* b, float eps, float* y,
                       std::int64_t rows, std::int64_t columns, const Parallel&);
    void (*add)(float* x, const float* y, std::int64_t n, const Parallel&);
    void (*gemv)(const GemvArgs&, const Parallel&);
    void (*decode_rows)(const Weight&, std::int64_t begin, std::int64_t end, float* to,
                        const Parallel&);
    void (*tile)(const TileArgs&, const Parallel&);
    void (*metrics)(const MetricsArgs&, const Parallel&);
};

namespace portable {
extern const Table table;
}
#ifdef HEADSCOPE_HAS_AVX2
namespace avx2 {
extern const Table table;
}
#endif
#ifdef HEADSCOPE_HAS_AVX512
namespace avx512 {
extern const Table table;
}
#endif

const Table& active_table();

}  // namespace kernels::cpu
