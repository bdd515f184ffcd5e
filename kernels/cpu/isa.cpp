// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/isa.h"

#include <atomic>
#include <initializer_list>

#include "kernels/cpu/table.h"

namespace kernels::cpu {

namespace {

const Table* table_of(Isa isa) {
    switch (isa) {
        case Isa::Portable: return &portable::table;
#ifdef HEADSCOPE_HAS_AVX2
        case Isa::Avx2: return &avx2::table;
#endif
#ifdef HEADSCOPE_HAS_AVX512
        case Isa::Avx512: return &avx512::table;
#endif
        default: return nullptr;
    }
}

bool cpu_has(Isa isa) {
#if defined(__x86_64__)
    // The names are those of the psABI levels that the builds are compiled for; the kernel's
    // support for the wider registers is part of what the builtin checks.
    __builtin_cpu_init();
    if (isa == Isa::Avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
    if (isa == Isa::Avx512)
        return cpu_has(Isa::Avx2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return isa == Isa::Portable;
}

Isa best_isa() {
    for (Isa isa : {Isa::Avx512, Isa::Avx2})
        if (isa_available(isa)) return isa;
    return Isa::Portable;
}

std::atomic<Isa>& chosen() {
    static std::atomic<Isa> isa{best_isa()};
    return isa;
}

}  // namespace

bool isa_available(Isa isa) {
    return table_of(isa) != nullptr && cpu_has(isa);
}

Isa active_isa() {
    return chosen().load(std::memory_order_relaxed);
}

const char* isa_name(Isa isa) {
    switch (isa) {
        case Isa::Avx2: return "avx2";
        case Isa::Avx512: return "avx512";
        default: return "portable";
    }
}

bool force_isa(Isa isa) {
    if (!isa_available(isa)) return false;
    chosen().store(isa, std::memory_order_relaxed);
    return true;
}

const Table& active_table() {
    return *table_of(active_isa());
}

}  // namespace kernels::cpu
