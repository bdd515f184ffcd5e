// SPDX-License-Identifier: GPL-3.0-or-later
// The row of a decode step on its way from the fused projection: the norm, rotation and write of
// append, done by the blocks of the step's attention themselves. Each block makes the queries of
// its own heads; the one that sees the row's own key also makes k and v and writes all to the
// pages.
#pragma once
#include "kernels/cuda/attention.h"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

template <typename T, int Dim, int Warps>
class StepAppend {
  public:
    // What does not depend on the launch before: the rotation of the lane's dims.
    __device__ StepAppend(const AppendArgs& args, std::int32_t position)
        : args_(args), position_(position), lane_(static_cast<int>(threadIdx.x % 32)) {
        const int half = args.cosines != nullptr ? args.rotary_dim / 2 : 0;
        const std::int64_t at = static_cast<std::int64_t>(position) * half;
#pragma unroll
        for (int i = 0; i < width; ++i) {
            const int d = lane_ + 32 * i;
            const bool turns = d < 2 * half;
            const int pair = d < half ? d : d - half;
            cosine_[i] = turns ? args.cosines[at + pair] : 1;
            const float sine = turns ? args.sines[at + pair] : 0;
            sine_[i] = d < half ? -sine : sine;
            weight_[i] = args.q_norm != nullptr && d < args.trace.head_dim ? args.q_norm[d] : 1;
        }
    }

    // After the launch before; every thread of the block. queries: [heads][Dim] in shared memory,
    // from query head first_head on; there after the next barrier. x: [Warps][Dim] shared.
    __device__ void run(std::int32_t first_head, int heads, bool owner, T* queries,
                        float (&x)[Warps][Dim]) const {
        const TraceView& trace = args_.trace;
        const std::int32_t kv_head = first_head / (trace.query_heads / trace.kv_heads);
        const int warp = static_cast<int>(threadIdx.x / 32);
        for (int h = warp; h < heads + (owner ? 2 : 0); h += Warps) {
            if (h < heads) {
                T* page =
                    owner ? Rows<T>(trace, trace.q_offset, first_head + h).at(position_) : nullptr;
                row(first_head + h, args_.q_norm != nullptr, weight_, true, queries + h * Dim, page,
                    x[warp]);
            } else if (h == heads) {
                float weight[width];
#pragma unroll
                for (int i = 0; i < width; ++i) {
                    const int d = lane_ + 32 * i;
                    weight[i] = args_.k_norm != nullptr && d < trace.head_dim ? args_.k_norm[d] : 1;
                }
                row(trace.query_heads + kv_head, args_.k_norm != nullptr, weight, true, nullptr,
                    Rows<T>(trace, trace.k_offset, kv_head).at(position_), x[warp]);
            } else {
                row(trace.query_heads + trace.kv_heads + kv_head, false, weight_, false, nullptr,
                    Rows<T>(trace, trace.v_offset, kv_head).at(position_), x[warp]);
            }
            __syncwarp();
        }
    }

  private:
    static constexpr int width = Dim / 32;

    // One head of the projection, to shared memory and a page where they are given.
    __device__ void row(std::int32_t head, bool normed, const float (&weight)[width], bool turned,
                        T* shared, T* page, float* x) const {
        const int dim = args_.trace.head_dim;
        const float* from =
            static_cast<const float*>(args_.qkv) + static_cast<std::int64_t>(head) * dim;
        float value[width], squares = 0;
#pragma unroll
        for (int i = 0; i < width; ++i) {
            const int d = lane_ + 32 * i;
            value[i] = d < dim ? fresh(from + d) : 0;
            squares = fmaf(value[i], value[i], squares);
        }
        if (normed) {
#pragma unroll
            for (int step = 16; step > 0; step /= 2)
                squares += __shfl_xor_sync(0xffffffffu, squares, step);
            const float factor = rsqrtf(squares / static_cast<float>(dim) + args_.norm_eps);
#pragma unroll
            for (int i = 0; i < width; ++i) value[i] *= factor * weight[i];
        }
        const int half = turned && args_.cosines != nullptr ? args_.rotary_dim / 2 : 0;
        if (half > 0) {
#pragma unroll
            for (int i = 0; i < width; ++i) x[lane_ + 32 * i] = value[i];
            __syncwarp();
#pragma unroll
            for (int i = 0; i < width; ++i) {
                const int d = lane_ + 32 * i;
                if (d < 2 * half)
                    value[i] = value[i] * cosine_[i] + x[d < half ? d + half : d - half] * sine_[i];
            }
        }
#pragma unroll
        for (int i = 0; i < width; ++i) {
            const int d = lane_ + 32 * i;
            if (shared != nullptr) shared[d] = from_float<T>(value[i]);
            if (page != nullptr && d < dim) page[d] = from_float<T>(value[i]);
        }
    }

    const AppendArgs& args_;
    std::int32_t position_;
    int lane_;
    float cosine_[width], sine_[width], weight_[width];
};

}  // namespace kernels::cuda
