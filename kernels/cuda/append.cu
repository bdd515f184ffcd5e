// SPDX-License-Identifier: GPL-3.0-or-later
// A warp a row and head: norm, rotation, write. The norm comes before the rotation; v gets neither.
#include "kernels/cuda/attention.h"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

constexpr int most_dim = 256, warps = 4;

template <typename T, typename X>
__global__ void __launch_bounds__(warps * 32) append_kernel(AppendArgs args) {
    __shared__ float rows_of_warps[warps][most_dim];
    const TraceView& trace = args.trace;
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    const int dim = trace.head_dim, query = trace.query_heads, kv = trace.kv_heads;
    const int heads = query + 2 * kv;
    const std::int64_t task = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
    if (task >= args.rows * heads) {
        await_predecessor();
        return;
    }
    const std::int64_t row = task / heads;
    const int head = static_cast<int>(task % heads);
    const auto position = static_cast<std::int32_t>(
        (args.device_begin ? read_position(args.device_begin) : args.begin) + row);
    const bool is_q = head < query, is_k = !is_q && head < query + kv;
    const X* from = static_cast<const X*>(args.qkv) + task * dim;
    const float* weight = is_q ? args.q_norm : is_k ? args.k_norm : nullptr;
    const std::int64_t section = is_q ? trace.q_offset : is_k ? trace.k_offset : trace.v_offset;
    T* to = Rows<T>(trace, section,
                    is_q   ? head
                    : is_k ? head - query
                           : head - query - kv)
                .at(position);
    await_predecessor();
    start_dependents();

    float* x = rows_of_warps[warp];
    float squares = 0;
    for (int d = lane; d < dim; d += 32) {
        x[d] = to_float(fresh(from + d));
        squares = fmaf(x[d], x[d], squares);
    }
    if (weight != nullptr) {
        for (int step = 16; step > 0; step /= 2)
            squares += __shfl_xor_sync(0xffffffffu, squares, step);
        const float factor = rsqrtf(squares / static_cast<float>(dim) + args.norm_eps);
        for (int d = lane; d < dim; d += 32) x[d] *= factor * weight[d];
    }
    __syncwarp();
    const int half = (is_q || is_k) && args.cosines != nullptr ? args.rotary_dim / 2 : 0;
    const float* cosines = args.cosines + static_cast<std::int64_t>(position) * half;
    const float* sines = args.sines + static_cast<std::int64_t>(position) * half;
    for (int d = lane; d < dim; d += 32) {
        float y = x[d];
        if (d < half)
            y = x[d] * cosines[d] - x[d + half] * sines[d];
        else if (d < 2 * half)
            y = x[d] * cosines[d - half] + x[d - half] * sines[d - half];
        to[d] = from_float<T>(y);
    }
}

}  // namespace

void append(const AppendArgs& args, cudaStream_t stream) {
    check_trace(args.trace);
    require(args.qkv_element == Element::F32 || args.qkv_element == args.trace.element,
            "append: qkv is fp32 or of the trace's element type");
    require(args.cosines == nullptr || args.rotary_dim <= args.trace.head_dim,
            "append: rotary_dim " + std::to_string(args.rotary_dim) + " of head_dim " +
                std::to_string(args.trace.head_dim));
    if (args.rows <= 0) return;
    const std::int64_t tasks = args.rows * (args.trace.query_heads + 2 * args.trace.kv_heads);
    const dim3 grid(static_cast<unsigned>((tasks + warps - 1) / warps));
    with_element(args.trace.element, [&](auto t) {
        using T = decltype(t);
        if (args.qkv_element == Element::F32)
            launch(append_kernel<T, float>, grid, warps * 32, 0, stream, "append", args);
        else
            launch(append_kernel<T, T>, grid, warps * 32, 0, stream, "append", args);
    });
}

}  // namespace kernels::cuda
