// SPDX-License-Identifier: GPL-3.0-or-later
// Which build of the CPU kernels runs. Every vectorized file is compiled once an instruction set,
// each into a namespace of its own; the best one that this CPU has is chosen at the first call.
#pragma once

namespace kernels::cpu {

// Ascending. Portable is what the compiler targets by default: SSE2 on x86-64, NEON on aarch64.
enum class Isa { Portable, Avx2, Avx512 };

bool isa_available(Isa);  // built, and this CPU has it
Isa active_isa();
const char* isa_name(Isa);

// For tests and benchmarks, while no kernel runs: which build is used from now on. False where it
// is not available.
bool force_isa(Isa);

}  // namespace kernels::cpu
