// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/views.h"

namespace kernels::cuda {

// count numbers, uniform in (−spread, spread), the same for the same seed; count a multiple of 8.
void fill_random(void* to, Element, std::int64_t count, float spread, std::uint64_t seed,
                 cudaStream_t);

}  // namespace kernels::cuda
