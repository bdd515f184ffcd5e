// SPDX-License-Identifier: GPL-3.0-or-later
// From a row's logits to the next token, on the device, and what the host is told of it.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace kernels::cuda {

constexpr int step_candidates = 10;

// What the host learns of a step.
struct StepRecord {
    std::int64_t position;  // where the token stands
    std::int32_t token;
    std::int32_t finite;  // 0: some logit is not a finite number; the token is then meaningless
    double normalizer;    // ln Σ exp(logit)
    float token_logit;
    // The most probable by falling logit, the lower id first where two are equal; id −1 behind the
    // vocabulary's end.
    std::int32_t ids[step_candidates];
    float logits[step_candidates];
};

// How the current run draws: temperature, then top-k, then top-p. On the device.
struct Draw {
    double temperature;  // 0: greedy, and the rest does not count
    double top_p;
    std::int64_t top_k;  // 0: all
    std::int64_t first;  // the position that uniform[0] is for
    const double* uniform;
};

struct SampleArgs {
    const float* logits = nullptr;  // [vocabulary]
    std::int64_t vocabulary = 0;
    // The position that the token takes; counted up. Nobody else's, so that this may run beside
    // what computes the token's row.
    std::int64_t* next = nullptr;
    // Null: greedy, and the token is already in the form that next_token takes: the product that
    // made the logits has left it there.
    const Draw* draw = nullptr;
    std::uint64_t* best = nullptr;  // where that form goes; not written without a draw
    // The record of position p is written to records[p % record_slots], which may be host memory.
    StepRecord* records = nullptr;
    std::int64_t record_slots = 1;
    void* scratch = nullptr;  // sample_scratch bytes, zeroed once
};
std::int64_t sample_scratch(std::int64_t vocabulary);
void sample(const SampleArgs&, cudaStream_t);

// *(scale + *position) = 1 / rms of x [columns], fp32: what a frozen final norm multiplies by.
// `scale` is read from *scale_of, so that one captured graph serves every run.
void step_scale(const float* x, std::int64_t columns, float eps, float* const* scale_of,
                const std::int64_t* position, cudaStream_t);

}  // namespace kernels::cuda
