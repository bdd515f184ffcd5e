// SPDX-License-Identifier: GPL-3.0-or-later
// Another z for a head, on the device: what a run's edits ask for.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/views.h"

namespace kernels::cuda {

// z = scale · z + values at rows [begin, end) of a head, in fp32, in the pages and in the dense
// copy. scale 0 takes whatever was there away, be it no number.
struct EditArgs {
    TraceView trace;
    std::int32_t head = 0;
    std::int64_t begin = 0, end = 0;
    float scale = 1;
    const float* values = nullptr;  // [D], or null: nothing is added
    void* z = nullptr;              // [rows, Hq · D] of the trace's element, the first first_row
    std::int64_t first_row = 0;
};
void edit_rows(const EditArgs&, cudaStream_t);

}  // namespace kernels::cuda
