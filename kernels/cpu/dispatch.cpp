// SPDX-License-Identifier: GPL-3.0-or-later
// The public functions: each goes to the active build.
#include "kernels/cpu/table.h"

namespace kernels::cpu {

void append(const AppendArgs& args, const Parallel& parallel) {
    active_table().append(args, parallel);
}

std::int64_t attend_scratch(const AttendArgs& args, int threads) {
    return active_table().attend_scratch(args, threads);
}

void attend(const AttendArgs& args, const Parallel& parallel) {
    active_table().attend(args, parallel);
}

void contributions(const ContributionArgs& args, const Parallel& parallel) {
    active_table().contributions(args, parallel);
}

void column_weights(const ColumnWeightArgs& args, const Parallel& parallel) {
    active_table().column_weights(args, parallel);
}

void rms_norm(const float* x, const float* w, float eps, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    active_table().rms_norm(x, w, eps, y, rows, columns, parallel);
}

void silu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    active_table().silu_mul(gate, up, stride, y, rows, columns, parallel);
}

void gelu_tanh_mul(const float* gate, const float* up, std::int64_t stride, float* y,
                   std::int64_t rows, std::int64_t columns, const Parallel& parallel) {
    active_table().gelu_tanh_mul(gate, up, stride, y, rows, columns, parallel);
}

void gelu_mul(const float* gate, const float* up, std::int64_t stride, float* y, std::int64_t rows,
              std::int64_t columns, const Parallel& parallel) {
    active_table().gelu_mul(gate, up, stride, y, rows, columns, parallel);
}

void layer_norm(const float* x, const float* w, const float* b, float eps, float* y,
                std::int64_t rows, std::int64_t columns, const Parallel& parallel) {
    active_table().layer_norm(x, w, b, eps, y, rows, columns, parallel);
}

void add(float* x, const float* y, std::int64_t n, const Parallel& parallel) {
    active_table().add(x, y, n, parallel);
}

void gemv(const GemvArgs& args, const Parallel& parallel) {
    active_table().gemv(args, parallel);
}

void decode_rows(const Weight& weight, std::int64_t begin, std::int64_t end, float* to,
                 const Parallel& parallel) {
    active_table().decode_rows(weight, begin, end, to, parallel);
}

void tile(const TileArgs& args, const Parallel& parallel) {
    active_table().tile(args, parallel);
}

void metrics(const MetricsArgs& args, const Parallel& parallel) {
    active_table().metrics(args, parallel);
}

}  // namespace kernels::cpu
