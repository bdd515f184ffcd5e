// SPDX-License-Identifier: GPL-3.0-or-later
// Every build of the kernels that this CPU can run; tests go through all of them.
#pragma once
#include <vector>

#include "kernels/cpu/isa.h"

inline std::vector<kernels::cpu::Isa> available_isas() {
    using kernels::cpu::Isa;
    std::vector<Isa> all;
    for (Isa isa : {Isa::Portable, Isa::Avx2, Isa::Avx512})
        if (kernels::cpu::isa_available(isa)) all.push_back(isa);
    return all;
}
