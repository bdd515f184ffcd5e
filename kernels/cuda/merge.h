// SPDX-License-Identifier: GPL-3.0-or-later
// Attention over parts of the keys, done elsewhere, to the rows of a trace.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/views.h"

namespace kernels::cuda {

// What attention over some of the keys gave, on the device.
struct AttentionPart {
    const void* z = nullptr;     // [rows, Hq, D] of the trace's element
    const float* lse = nullptr;  // [Hq, lse_rows], natural; −inf where a row saw no key
};

struct MergeArgs {
    static constexpr int most_parts = 12;
    TraceView trace;
    std::int64_t begin = 0, rows = 0;  // positions [begin, begin + rows)
    std::int64_t lse_rows = 0;         // at least rows: what follows them is left alone
    AttentionPart parts[most_parts];
    int count = 0;
    void* z_out = nullptr;  // [rows, Hq · D] of the trace's element, or null; may be parts[0].z
};
// z = Σ exp(lse_i − lse) z_i with lse = ln Σ exp(lse_i): into the pages, and densely.
void merge_attention(const MergeArgs&, cudaStream_t);

}  // namespace kernels::cuda
