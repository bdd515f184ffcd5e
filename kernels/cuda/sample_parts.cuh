// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels of a step's sampling share: how their scratch is laid out, and the order of
// logits.
#pragma once
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/logit_order.cuh"
#include "kernels/cuda/sample.h"

namespace kernels::cuda {

constexpr int sample_slice = 4096;

struct Partial {
    double sum;  // Σ exp(logit − highest)
    float highest;
    std::int32_t finite;
    std::uint64_t keys[step_candidates];
};

__host__ __device__ inline unsigned partials_of(std::int64_t vocabulary) {
    return static_cast<unsigned>((vocabulary + sample_slice - 1) / sample_slice);
}
// Behind the partials, 16 bytes aligned: logit / temperature of each id, for a draw.
__device__ inline float* scaled_logits(const SampleArgs& args, unsigned parts) {
    return reinterpret_cast<float*>(static_cast<std::byte*>(args.scratch) + 256 +
                                    parts * sizeof(Partial));
}
__device__ inline float scaled_by(float logit, double temperature) {
    return static_cast<float>(static_cast<double>(logit) / temperature);
}

__device__ inline double warp_sum(double value) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

// After the candidates, where args.draw is given: another token than the greatest.
void draw(const SampleArgs&, cudaStream_t);

}  // namespace kernels::cuda
