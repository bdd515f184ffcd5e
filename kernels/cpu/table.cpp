// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled once an instruction set, like every file that includes simd.h.
#include "kernels/cpu/table.h"

#include "kernels/cpu/simd.h"

namespace kernels::cpu::HEADSCOPE_ISA {

void append(const AppendArgs&, const Parallel&);
std::int64_t attend_scratch(const AttendArgs&, int threads);
void attend(const AttendArgs&, const Parallel&);
void contributions(const ContributionArgs&, const Parallel&);
void column_weights(const ColumnWeightArgs&, const Parallel&);
void rms_norm(const float*, const float*, float, float*, std::int64_t, std::int64_t,
              const Parallel&);
void silu_mul(const float*, const float*, std::int64_t, float*, std::int64_t, std::int64_t,
              const Parallel&);
void gelu_tanh_mul(const float*, const float*, std::int64_t, float*, std::int64_t, std::int64_t,
                   const Parallel&);
void gelu_mul(const float*, const float*, std::int64_t, float*, std::int64_t, std::int64_t,
              const Parallel&);
void layer_norm(const float*, const float*, const float*, float, float*, std::int64_t, std::int64_t,
                const Parallel&);
void add(float*, const float*, std::int64_t, const Parallel&);
void gemv(const GemvArgs&, const Parallel&);
void decode_rows(const Weight&, std::int64_t, std::int64_t, float*, const Parallel&);
void tile(const TileArgs&, const Parallel&);
void metrics(const MetricsArgs&, const Parallel&);

extern const Table table = {append,   attend_scratch, attend,        contributions, column_weights,
                            rms_norm, silu_mul,       gelu_tanh_mul, gelu_mul,      layer_norm,
                            add,      gemv,           decode_rows,   tile,          metrics};

}  // namespace kernels::cpu::HEADSCOPE_ISA
