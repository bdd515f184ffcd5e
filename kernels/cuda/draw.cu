// SPDX-License-Identifier: GPL-3.0-or-later
// A draw looks for its place in the order of falling logits without sorting: the sum over all
// logits from a threshold up is monotone in the threshold, which is found three bits a pass.
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/sample_parts.cuh"

namespace kernels::cuda {

namespace {

constexpr int draw_threads = 1024;

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

}  // namespace

void draw(const SampleArgs& args, cudaStream_t stream) {
    launch(draw_kernel, dim3(1), draw_threads, 0, stream, "draw", args);
}

}  // namespace kernels::cuda
