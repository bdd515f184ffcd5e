// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of 4,096 logits each find their candidates and sums, the last of them merges. Where there
// is a temperature draw.cu follows.
#include "kernels/cuda/sample.h"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/sample_parts.cuh"

namespace kernels::cuda {

namespace {

constexpr int threads = 256, held = 16;  // logits of a block: sample_slice
static_assert(threads * held == sample_slice);
constexpr float infinity = __builtin_huge_valf();

__device__ std::uint64_t highest_of_block(std::uint64_t key) {
    __shared__ std::uint64_t of_warps[threads / 32];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        const std::uint64_t other = __shfl_xor_sync(0xffffffffu, key, step);
        key = other > key ? other : key;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = key;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < threads / 32; ++warp)
        key = of_warps[warp] > key ? of_warps[warp] : key;
    return key;
}

// The greatest keys of a block in falling order; those taken are cleared.
__device__ void candidates_of(std::uint64_t (&keys)[held], std::uint64_t* to) {
    for (int rank = 0; rank < step_candidates; ++rank) {
        std::uint64_t mine = 0;
#pragma unroll
        for (int i = 0; i < held; ++i) mine = keys[i] > mine ? keys[i] : mine;
        const std::uint64_t best = highest_of_block(mine);
        if (threadIdx.x == 0) to[rank] = best;
#pragma unroll
        for (int i = 0; i < held; ++i)
            if (keys[i] == best) keys[i] = 0;
    }
}

__global__ void __launch_bounds__(threads) candidates_kernel(SampleArgs args) {
    __shared__ double sums[threads / 32];
    __shared__ std::int32_t finite;
    __shared__ bool last;
    auto* counter = static_cast<unsigned*>(args.scratch);
    auto* partials = reinterpret_cast<Partial*>(static_cast<std::byte*>(args.scratch) + 256);
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) finite = 1;
    await_predecessor();
    start_dependents();
    __syncthreads();

    std::uint64_t keys[held];
    float values[held];
#pragma unroll
    for (int i = 0; i < held; ++i) {
        const std::int64_t id =
            static_cast<std::int64_t>(blockIdx.x) * sample_slice + i * threads + thread;
        const bool there = id < args.vocabulary;
        values[i] = there ? fresh(args.logits + id) : -infinity;
        if (there && !isfinite(values[i])) finite = 0;
        keys[i] = there ? key_of(values[i], id) : 0;
    }
    if (args.draw != nullptr && args.draw->temperature > 0) {
        float* scaled = scaled_logits(args, partials_of(args.vocabulary));
        const double temperature = args.draw->temperature;
#pragma unroll
        for (int i = 0; i < held; ++i) {
            const std::int64_t id =
                static_cast<std::int64_t>(blockIdx.x) * sample_slice + i * threads + thread;
            if (id < args.vocabulary) scaled[id] = scaled_by(values[i], temperature);
        }
    }
    std::uint64_t mine = 0;
#pragma unroll
    for (int i = 0; i < held; ++i) mine = keys[i] > mine ? keys[i] : mine;
    const float highest = unordered(static_cast<std::uint32_t>(highest_of_block(mine) >> 32));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < held; ++i) sum += expf(values[i] - highest);
    const double of_warp = warp_sum(sum);
    if (thread % 32 == 0) sums[thread / 32] = of_warp;
    Partial& partial = partials[blockIdx.x];
    candidates_of(keys, partial.keys);
    __syncthreads();
    if (thread == 0) {
        partial.sum = 0;
        for (const double each : sums) partial.sum += each;
        partial.highest = highest;
        partial.finite = finite;
        __threadfence();
        last = atomicAdd(counter, 1u) + 1 == gridDim.x;
        if (last) *counter = 0;
    }
    __syncthreads();
    if (!last) return;

    __threadfence();
    const int parts = static_cast<int>(gridDim.x);
#pragma unroll
    for (int i = 0; i < held; ++i) {
        const int at = i * threads + thread;
        keys[i] = at < parts * step_candidates
                      ? __ldcg(reinterpret_cast<const unsigned long long*>(
                            partials[at / step_candidates].keys + at % step_candidates))
                      : 0;
    }
    __shared__ std::uint64_t best[step_candidates];
    candidates_of(keys, best);
    __syncthreads();
    if (thread >= 32) return;
    const float top = unordered(static_cast<std::uint32_t>(best[0] >> 32));
    double total = 0;
    std::int32_t all_finite = 1;
    for (int part = thread; part < parts; part += 32) {
        total += __ldcg(&partials[part].sum) *
                 exp(static_cast<double>(__ldcg(&partials[part].highest)) - top);
        all_finite &= __ldcg(&partials[part].finite);
    }
    total = warp_sum(total);
    all_finite = __all_sync(0xffffffffu, all_finite);
    const std::int64_t position = read_position(args.next);
    __syncwarp();
    StepRecord& record = args.records[position % args.record_slots];
    if (thread < step_candidates) {
        record.ids[thread] = best[thread] == 0 ? -1 : id_of(best[thread]);
        record.logits[thread] = unordered(static_cast<std::uint32_t>(best[thread] >> 32));
    }
    if (thread == 0) {
        *args.next = position + 1;
        record.position = position;
        record.finite = all_finite;
        record.normalizer = top + log(total);
        record.token = id_of(best[0]);
        record.token_logit = top;
        if (args.draw != nullptr)
            *args.best = 0xffffffffu - static_cast<std::uint32_t>(id_of(best[0]));
    }
}

__global__ void __launch_bounds__(threads)
    step_scale_kernel(const float* x, std::int64_t columns, float eps, float* const* scale_of,
                      const std::int64_t* position) {
    __shared__ float of_warps[threads / 32];
    float* to = *scale_of + read_position(position);
    await_predecessor();
    start_dependents();
    float squares = 0;
    for (std::int64_t at = threadIdx.x; at < columns; at += threads) {
        const float value = fresh(x + at);
        squares = fmaf(value, value, squares);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffffu, squares, step);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = squares;
    __syncthreads();
    if (threadIdx.x != 0) return;
    squares = 0;
    for (const float each : of_warps) squares += each;
    *to = rsqrtf(squares / static_cast<float>(columns) + eps);
}

}  // namespace

std::int64_t sample_scratch(std::int64_t vocabulary) {
    return 256 + partials_of(vocabulary) * std::int64_t{sizeof(Partial)} + vocabulary * 4;
}

void sample(const SampleArgs& args, cudaStream_t stream) {
    require(partials_of(args.vocabulary) * std::int64_t{step_candidates} <= sample_slice,
            "sample: a vocabulary of " + std::to_string(args.vocabulary) + " tokens");
    launch(candidates_kernel, dim3(partials_of(args.vocabulary)), threads, 0, stream, "sample",
           args);
    if (args.draw != nullptr) draw(args, stream);
}

void step_scale(const float* x, std::int64_t columns, float eps, float* const* scale_of,
                const std::int64_t* position, cudaStream_t stream) {
    launch(step_scale_kernel, dim3(1), threads, 0, stream, "step_scale", x, columns, eps, scale_of,
           position);
}

}  // namespace kernels::cuda
