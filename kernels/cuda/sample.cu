// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of 4,096 logits each find their candidates and sums, the last of them merges. A draw looks
// for its place in the order of falling logits without sorting: the sum over all logits from a
// threshold up is monotone in the threshold, which is found three bits a pass.
#include "kernels/cuda/sample.h"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/element.cuh"

namespace kernels::cuda {

namespace {

constexpr int threads = 256, held = 16, slice = threads * held;  // logits of a block
constexpr int draw_threads = 1024;
constexpr float infinity = __builtin_huge_valf();

struct Partial {
    double sum;  // Σ exp(logit − highest)
    float highest;
    std::int32_t finite;
    std::uint64_t keys[step_candidates];
};

__host__ __device__ inline unsigned partials_of(std::int64_t vocabulary) {
    return static_cast<unsigned>((vocabulary + slice - 1) / slice);
}
// Behind the partials, 16 bytes aligned: logit / temperature of each id, for a draw.
__device__ inline float* scaled_logits(const SampleArgs& args, unsigned parts) {
    return reinterpret_cast<float*>(static_cast<std::byte*>(args.scratch) + 256 +
                                    parts * sizeof(Partial));
}
__device__ inline float scaled_by(float logit, double temperature) {
    return static_cast<float>(static_cast<double>(logit) / temperature);
}

// Orders like the value; of equal values the lower id is the greater key.
__device__ inline std::uint32_t ordered(float y) {
    const std::uint32_t bits = __float_as_uint(y);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ inline float unordered(std::uint32_t key) {
    return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}
__device__ inline std::uint64_t key_of(float y, std::int64_t id) {
    return static_cast<std::uint64_t>(ordered(y)) << 32 |
           (0xffffffffu - static_cast<std::uint32_t>(id));
}
__device__ inline std::int32_t id_of(std::uint64_t key) {
    return static_cast<std::int32_t>(0xffffffffu - static_cast<std::uint32_t>(key));
}

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

__device__ inline double warp_sum(double value) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
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
            static_cast<std::int64_t>(blockIdx.x) * slice + i * threads + thread;
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
                static_cast<std::int64_t>(blockIdx.x) * slice + i * threads + thread;
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

// A draw's view of the logits: scaled by the temperature, weighted against the greatest.
struct Weights {
    const float* logits;  // scaled, as the candidates' kernel has left them
    std::int64_t vocabulary;
    float highest;  // scaled

    __device__ float scaled(std::int64_t id) const { return __ldcg(logits + id); }
};

// Σ over ids whose scaled logit's key is ≥ each of seven thresholds, of their weights (or of ones).
struct Sums {
    double of[7];
};
__device__ void sums_above(const Weights& weights, const std::uint32_t (&thresholds)[7],
                           bool counting, Sums& sums) {
    __shared__ double of_warps[draw_threads / 32][7];
#pragma unroll
    for (double& each : sums.of) each = 0;
    for (std::int64_t base = threadIdx.x; base < weights.vocabulary; base += 8 * draw_threads) {
        float few[7] = {0, 0, 0, 0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const std::int64_t id = base + i * draw_threads;
            if (id >= weights.vocabulary) break;
            const float x = weights.scaled(id);
            const float weight = counting ? 1.0f : expf(x - weights.highest);
            const std::uint32_t key = ordered(x);
#pragma unroll
            for (int d = 0; d < 7; ++d)
                if (key >= thresholds[d]) few[d] += weight;
        }
#pragma unroll
        for (int d = 0; d < 7; ++d) sums.of[d] += few[d];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 7; ++d) {
        const double of_warp = warp_sum(sums.of[d]);
        if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32][d] = of_warp;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 7; ++d) {
        sums.of[d] = 0;
        for (int warp = 0; warp < draw_threads / 32; ++warp) sums.of[d] += of_warps[warp][d];
    }
}
__device__ double sum_from(const Weights& weights, std::uint32_t threshold, bool counting) {
    constexpr std::uint32_t none = 0xffffffffu;
    const std::uint32_t thresholds[7] = {threshold, none, none, none, none, none, none};
    Sums sums;
    sums_above(weights, thresholds, counting, sums);
    return sums.of[0];
}

// A place in the order of falling logits: the j-th of those with this key, by rising id.
struct Place {
    std::uint32_t key = 0;
    std::int64_t index = 0;
    __device__ bool before(const Place& other) const {
        return key != other.key ? key > other.key : index < other.index;
    }
};

// The first place whose running sum, itself included, reaches the target (passes it: `beyond`).
__device__ Place place_of(const Weights& weights, double target, bool counting, bool beyond) {
    Place place;
    for (int shift = 29; shift >= -1; shift -= 3) {
        const int by = shift < 0 ? 0 : shift, most = shift < 0 ? 3 : 7;
        std::uint32_t thresholds[7];
#pragma unroll
        for (int d = 0; d < 7; ++d)
            thresholds[d] =
                d < most ? place.key | static_cast<std::uint32_t>(d + 1) << by : 0xffffffffu;
        Sums sums;
        sums_above(weights, thresholds, counting, sums);
        int digit = 0;
#pragma unroll
        for (int d = 0; d < 7; ++d)
            if (d < most && (beyond ? sums.of[d] > target : sums.of[d] >= target)) digit = d + 1;
        place.key |= static_cast<std::uint32_t>(digit) << by;
    }
    const double above = sum_from(weights, place.key + 1, counting);
    const double each = counting ? 1.0 : expf(unordered(place.key) - weights.highest);
    const double left = target - above;
    const double steps = beyond ? floor(left / each) : ceil(left / each) - 1;
    place.index = steps > 0 ? static_cast<std::int64_t>(steps) : 0;
    return place;
}

// Up to and including a place.
__device__ double sum_until(const Weights& weights, const Place& place) {
    return sum_from(weights, place.key + 1, false) +
           static_cast<double>(place.index + 1) *
               static_cast<double>(expf(unordered(place.key) - weights.highest));
}

// The place's id: each thread counts a stretch of the vocabulary, then the right one looks closely.
__device__ std::int32_t id_at(const Weights& weights, const Place& place) {
    __shared__ std::int64_t counts[draw_threads];
    __shared__ std::int32_t found;
    const std::int64_t stretch = (weights.vocabulary + draw_threads - 1) / draw_threads;
    const std::int64_t begin = threadIdx.x * stretch,
                       end = min(begin + stretch, weights.vocabulary);
    std::int64_t count = 0;
    std::int32_t newest = 0;
    for (std::int64_t id = begin; id < end; ++id)
        if (ordered(weights.scaled(id)) == place.key)
            ++count, newest = static_cast<std::int32_t>(id);
    __syncthreads();
    counts[threadIdx.x] = count;
    if (threadIdx.x == 0) found = -1;
    __syncthreads();
    std::int64_t before = 0;
    for (unsigned i = 0; i < threadIdx.x; ++i) before += counts[i];
    if (before <= place.index && place.index < before + count) {
        for (std::int64_t id = begin; id < end; ++id)
            if (ordered(weights.scaled(id)) == place.key && before++ == place.index)
                found = static_cast<std::int32_t>(id);
    }
    __syncthreads();
    // Rounding may ask for one more than there are: the last then.
    if (found < 0 && count > 0) atomicMax(&found, newest);
    __syncthreads();
    return found;
}

__global__ void __launch_bounds__(draw_threads) draw_kernel(SampleArgs args) {
    const Draw draw = *args.draw;
    await_predecessor();
    start_dependents();
    if (draw.temperature == 0) return;
    const std::int64_t position = read_position(args.next) - 1;
    volatile StepRecord& record = args.records[position % args.record_slots];
    if (record.finite == 0) return;
    const float top = record.logits[0];
    const Weights weights{scaled_logits(args, partials_of(args.vocabulary)), args.vocabulary,
                          scaled_by(top, draw.temperature)};
    Place last;  // that may still be drawn
    double total = sum_from(weights, 0, false);
    bool bounded = false;
    if (draw.top_k > 0 && draw.top_k < args.vocabulary) {
        last = place_of(weights, static_cast<double>(draw.top_k), true, false);
        total = sum_until(weights, last);
        bounded = true;
    }
    if (draw.top_p < 1) {
        const Place place = place_of(weights, draw.top_p * total, false, false);
        if (!bounded || place.before(last)) last = place;
        total = sum_until(weights, last);
        bounded = true;
    }
    const double uniform = draw.uniform[position - draw.first];
    Place drawn = place_of(weights, uniform * total, false, true);
    if (bounded && last.before(drawn)) drawn = last;
    const std::int32_t id = id_at(weights, drawn);
    if (threadIdx.x == 0) {
        record.token = id;
        record.token_logit = args.logits[id];
        *args.best = 0xffffffffu - static_cast<std::uint32_t>(id);
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
    require(partials_of(args.vocabulary) * std::int64_t{step_candidates} <= slice,
            "sample: a vocabulary of " + std::to_string(args.vocabulary) + " tokens");
    launch(candidates_kernel, dim3(partials_of(args.vocabulary)), threads, 0, stream, "sample",
           args);
    if (args.draw == nullptr) return;
    launch(draw_kernel, dim3(1), draw_threads, 0, stream, "draw", args);
}

void step_scale(const float* x, std::int64_t columns, float eps, float* const* scale_of,
                const std::int64_t* position, cudaStream_t stream) {
    launch(step_scale_kernel, dim3(1), threads, 0, stream, "step_scale", x, columns, eps, scale_of,
           position);
}

}  // namespace kernels::cuda
