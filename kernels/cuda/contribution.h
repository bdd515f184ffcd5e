// SPDX-License-Identifier: GPL-3.0-or-later
// What heads write, on the device: the numbers of kernels/contribution.h. r and p are fp32 device
// pointers whatever the trace's element. The trace's bounds are those of kernels/cuda/attention.h.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/contribution.h"

namespace kernels::cuda {

void contributions(const ContributionArgs&, cudaStream_t);
void column_weights(const ColumnWeightArgs&, cudaStream_t);

}  // namespace kernels::cuda
