// SPDX-License-Identifier: GPL-3.0-or-later
// y = W x for many rows: libtorch's matrix product on any stream, fp32 accumulation, never TF32.
#pragma once
#include "engine/cuda/device_model.h"

namespace engine::cuda {

struct LinearArgs {
    DeviceMatrix weight;          // [out, in]
    const float* bias = nullptr;  // [out] or null
    const void* x = nullptr;      // [rows, in] dense, of the weight's element
    std::int64_t rows = 0;
    void* y = nullptr;                                    // [rows, out] dense
    kernels::Element y_element = kernels::Element::BF16;  // that of the weight, or F32
    bool accumulate = false;                              // y += (the residual stream); F32 only
};
// Enqueues on the stream and returns. One thread a stream. The workspace that libtorch takes for it
// lives as long as the process.
void linear(const LinearArgs&, cudaStream_t);

}  // namespace engine::cuda
