// SPDX-License-Identifier: GPL-3.0-or-later
// What heads write, on the device: the numbers of kernels/contribution.h. r and p are fp32 device
// pointers whatever the trace's element. The trace's bounds are those of kernels/cuda/attention.h.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/contribution.h"

namespace kernels::cuda {

void contributions(const ContributionArgs&, cudaStream_t);

// The same of several layers of one run in one launch.
struct ContributionLayers {
    const TraceView* traces = nullptr;  // [layers] on the device
    TraceView first;                    // the first of them
    std::int32_t layers = 0;
    std::int64_t begin = 0, end = 0;
    const float* r = nullptr;  // [layers, Hq, D, D], or null
    const float* p = nullptr;  // [layers, Hq, D], or null
    float* norm = nullptr;     // [layers, end − begin, Hq]
    float* dot = nullptr;
};
void contributions(const ContributionLayers&, cudaStream_t);
void column_weights(const ColumnWeightArgs&, cudaStream_t);

}  // namespace kernels::cuda
