// SPDX-License-Identifier: GPL-3.0-or-later
// A decode step. A block is one KV head, up to 8 of its query heads, and one split of the keys; its
// warps take tiles of 16 keys in turn, straight from the pages to registers, once for all the
// heads. The last block of a KV head to finish merges the splits.
#include "kernels/cuda/attention.h"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/step_walk.cuh"

namespace kernels::cuda {

namespace {

// One split of one KV head: m and l of each head, then z of each head, all unnormalized.
__device__ __host__ inline std::int64_t state_floats(int dim) {
    return step_heads * (2 + std::int64_t{dim});
}

// The states of `splits` splits to z and lse. factors: [heads][splits] in shared memory.
template <typename T>
__device__ void finish(const StepArgs& args, std::int32_t dest, std::int32_t first_head, int heads,
                       int splits, const float* states, float* factors) {
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim, lane = static_cast<int>(threadIdx.x % 32);
    const std::int64_t stride = state_floats(dim);
    for (int h = static_cast<int>(threadIdx.x / 32); h < heads; h += step_warps) {
        const std::int32_t head = first_head + h;
        const float sink = args.rule.sinks == nullptr ? -infinity : args.rule.sinks[head];
        float base = sink, total = 0;
        // Of most steps all of a lane's splits are read at once.
        constexpr int at_once = 4;
        float m[at_once], l[at_once];
#pragma unroll
        for (int j = 0; j < at_once; ++j) {
            const int i = lane + 32 * j;
            m[j] = i < splits ? __ldcg(states + i * stride + h) : -infinity;
            l[j] = i < splits ? __ldcg(states + i * stride + step_heads + h) : 0;
            base = fmaxf(base, m[j]);
        }
        for (int i = lane + 32 * at_once; i < splits; i += 32)
            base = fmaxf(base, __ldcg(states + i * stride + h));
        for (int step = 16; step > 0; step /= 2)
            base = fmaxf(base, __shfl_xor_sync(0xffffffffu, base, step));
        const auto take = [&](int i, float highest, float sum) {
            const float keep = highest == -infinity ? 0 : power_of_e(highest - base);
            factors[h * splits + i] = keep;
            total = fmaf(keep, sum, total);
        };
#pragma unroll
        for (int j = 0; j < at_once; ++j)
            if (lane + 32 * j < splits) take(lane + 32 * j, m[j], l[j]);
        for (int i = lane + 32 * at_once; i < splits; i += 32)
            take(i, __ldcg(states + i * stride + h), __ldcg(states + i * stride + step_heads + h));
        for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
        if (sink > -infinity) total += power_of_e(sink - base);
        for (int i = lane; i < splits; i += 32)
            factors[h * splits + i] = total == 0 ? 0 : factors[h * splits + i] / total;
        if (lane == 0) *lse_at(trace, head, dest) = total == 0 ? -infinity : base + logf(total);
    }
    __syncthreads();
    const int quads = dim / 4;
    for (int at = static_cast<int>(threadIdx.x); at < heads * quads; at += step_threads) {
        const int h = at / quads, d = at % quads * 4;
        const float* from = states + step_heads * 2 + h * dim + d;
        float z[4] = {0, 0, 0, 0};
#pragma unroll 16
        for (int i = 0; i < splits; ++i) {
            const float4 part = __ldcg(reinterpret_cast<const float4*>(from + i * stride));
            const float factor = factors[h * splits + i];
            z[0] = fmaf(factor, part.x, z[0]), z[1] = fmaf(factor, part.y, z[1]);
            z[2] = fmaf(factor, part.z, z[2]), z[3] = fmaf(factor, part.w, z[3]);
        }
        T* to = Rows<T>(trace, trace.z_offset, first_head + h).at(dest) + d;
        T* dense =
            static_cast<T*>(args.z_out) + static_cast<std::int64_t>(first_head + h) * dim + d;
        for (int e = 0; e < 4; ++e) to[e] = dense[e] = from_float<T>(z[e]);
    }
}

template <typename T, int Dim, bool Appends>
__global__ void __launch_bounds__(step_threads, Dim <= 128 ? 3 : 1)
    step_kernel(const __grid_constant__ StepArgs args) {
    __shared__ float m_of[step_warps][step_heads], l_of[step_warps][step_heads];
    extern __shared__ __align__(16) float z_of[];  // [warp][head][dim], then finish()'s factors
    __shared__ bool last;
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim, warp = static_cast<int>(threadIdx.x / 32);
    const std::int32_t group = trace.query_heads / trace.kv_heads;
    const int parts = (group + step_heads - 1) / step_heads;
    const auto split = static_cast<std::int32_t>(blockIdx.x);
    const auto kv_head = static_cast<std::int32_t>(blockIdx.y) / parts;
    const auto in_group = static_cast<std::int32_t>(blockIdx.y) % parts * step_heads;
    const std::int32_t first_head = kv_head * group + in_group;
    const int heads = min(step_heads, group - in_group);
    const auto dest = static_cast<std::int32_t>(read_position(args.dest));
    using State = StepState<T, Dim>;
    const StepWork work{args.rule,
                        dest,
                        first_head,
                        heads,
                        split * step_warps + warp,
                        args.splits * step_warps,
                        args.scores,
                        args.scores_stride,
                        &args.row};
    // Splits with a key; the others neither work nor count.
    const std::int32_t keys = dest + 1 - work.first_key(State::keys_at_once);
    const int active = min(args.splits, (keys + State::keys_at_once * step_warps - 1) /
                                            (State::keys_at_once * step_warps));
    if (split >= active) return;  // others wait for the predecessor
    State::template walk<Appends>(trace, work, m_of[warp], l_of[warp],
                                  z_of + warp * step_heads * dim);
    __syncthreads();

    // The warps' states to one.
    auto* counters = static_cast<unsigned*>(args.scratch);
    float* states =
        reinterpret_cast<float*>(static_cast<std::byte*>(args.scratch) + counter_bytes(gridDim.y)) +
        static_cast<std::int64_t>(blockIdx.y) * args.splits * state_floats(dim);
    float* mine = states + split * state_floats(dim);
    for (int at = static_cast<int>(threadIdx.x); at < heads * dim; at += step_threads) {
        const int h = at / dim, d = at % dim;
        float m = -infinity, l = 0, z = 0;
        for (int w = 0; w < step_warps; ++w) m = fmaxf(m, m_of[w][h]);
        for (int w = 0; w < step_warps; ++w) {
            if (m_of[w][h] == -infinity) continue;
            const float keep = power_of_e(m_of[w][h] - m);
            l = fmaf(keep, l_of[w][h], l);
            z = fmaf(keep, z_of[(w * step_heads + h) * dim + d], z);
        }
        __stcg(mine + step_heads * 2 + h * dim + d, z);
        if (d == 0) __stcg(mine + h, m), __stcg(mine + step_heads + h, l);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counters + blockIdx.y, 1u) + 1 == static_cast<unsigned>(active);
        if (last) counters[blockIdx.y] = 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    finish<T>(args, dest, first_head, heads, active, states, z_of);
}

template <typename T, int Dim, bool Appends>
void start_kernel(const StepArgs& args, cudaStream_t stream) {
    const std::int64_t bytes =
        step_heads *
        std::max(std::int64_t{step_warps} * args.trace.head_dim, std::int64_t{args.splits}) *
        std::int64_t{sizeof(float)};
    allow_shared(step_kernel<T, Dim, Appends>, bytes, "attend_step");
    launch(step_kernel<T, Dim, Appends>,
           dim3(static_cast<unsigned>(args.splits), static_cast<unsigned>(step_parts(args.trace))),
           step_threads, bytes, stream, "attend_step", args);
}

template <typename T, int Dim>
void start(const StepArgs& args, cudaStream_t stream) {
    if constexpr (sizeof(T) == 2) {
        if (args.appends) return start_kernel<T, Dim, true>(args, stream);
    }
    start_kernel<T, Dim, false>(args, stream);
}

}  // namespace

std::int32_t step_splits(const TraceView& trace) {
    int device = 0, processors = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
          "multiprocessor count");
    const int parts = static_cast<int>(step_parts(trace));
    return std::max(1, (trace.head_dim <= 128 ? 3 : 1) * processors / parts);
}

std::int64_t step_scratch(const TraceView& trace, std::int32_t splits) {
    const std::int64_t parts = step_parts(trace);
    return counter_bytes(parts) +
           parts * splits * state_floats(trace.head_dim) * std::int64_t{sizeof(float)};
}

bool step_appends(const AppendArgs& args) {
    return args.trace.element != Element::F32 && args.rows == 1 &&
           args.qkv_element == Element::F32 && args.device_begin != nullptr &&
           args.q_dense == nullptr && args.k_dense == nullptr && args.v_dense == nullptr &&
           (args.cosines == nullptr || args.rotary_dim <= args.trace.head_dim);
}

void attend_step(const StepArgs& args, cudaStream_t stream) {
    check_trace(args.trace);
    require(!args.appends || (step_appends(args.row) && args.row.device_begin == args.dest),
            "attend_step: a row that it cannot append");
    require(args.rule.forbidden.count == 0, "attend_step: forbidden keys");
    require(args.splits > 0 && args.dest != nullptr && args.scratch != nullptr,
            "attend_step: splits, dest and scratch are needed");
    with_element(args.trace.element, [&](auto t) {
        using T = decltype(t);
        if (args.trace.head_dim <= 64)
            start<T, 64>(args, stream);
        else if (args.trace.head_dim <= 128)
            start<T, 128>(args, stream);
        else
            start<T, 256>(args, stream);
    });
}

}  // namespace kernels::cuda
