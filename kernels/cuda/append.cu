// SPDX-License-Identifier: GPL-3.0-or-later
// Norm, rotation, write: the norm comes before the rotation, v gets neither. A step's row, and what
// no better kernel takes, goes a warp a head; the rows of a prompt, where a whole head turns, by
// threads that hold 8 dims and the 8 that they turn with.
#include "kernels/cuda/attention.h"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/eights.cuh"
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

constexpr int most_dim = 256, warps = 4;

// Of the head with number `own` among its kind, or null.
template <typename T>
__device__ inline T* dense_row(const AppendArgs& args, std::int64_t row, bool is_q, bool is_k,
                               int own) {
    void* dense = is_q ? args.q_dense : is_k ? args.k_dense : args.v_dense;
    const int heads = is_q ? args.trace.query_heads : args.trace.kv_heads;
    return dense == nullptr ? nullptr
                            : static_cast<T*>(dense) + (row * heads + own) * args.trace.head_dim;
}

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
    const int own = is_q ? head : is_k ? head - query : head - query - kv;
    T* to = Rows<T>(trace, section, own).at(position);
    T* dense = dense_row<T>(args, row, is_q, is_k, own);
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
        if (dense != nullptr) dense[d] = from_float<T>(y);
    }
}

constexpr int chunk_threads = 256, piece = 8;

// head_dim / 16 threads a row and head, a power of two up to 16.
template <typename T>
__global__ void __launch_bounds__(chunk_threads) append_chunk_kernel(AppendArgs args) {
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim, half = dim / 2, sharing = dim / 16;
    const int query = trace.query_heads, kv = trace.kv_heads, heads = query + 2 * kv;
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * chunk_threads + threadIdx.x;
    // Whole groups end together, so that the sums below have all their threads.
    if (item >= args.rows * heads * sharing) return;
    const std::int64_t task = item / sharing, row = task / heads;
    const int head = static_cast<int>(task % heads), d = static_cast<int>(item % sharing) * piece;
    const auto position = static_cast<std::int32_t>(args.begin + row);
    const bool is_q = head < query, is_k = !is_q && head < query + kv;
    const int own = is_q ? head : is_k ? head - query : head - query - kv;
    const T* from = static_cast<const T*>(args.qkv) + task * dim + d;
    float low[piece], high[piece];
    load8(from, low);
    load8(from + half, high);
    const float* weight = is_q ? args.q_norm : is_k ? args.k_norm : nullptr;
    // The same for all of a warp but where q ends and k begins, so the sum is always formed.
    float squares = 0;
#pragma unroll
    for (int i = 0; i < piece; ++i) squares = fmaf(low[i], low[i], fmaf(high[i], high[i], squares));
    for (int step = sharing / 2; step > 0; step /= 2)
        squares += __shfl_xor_sync(__activemask(), squares, step);
    if (weight != nullptr) {
        const float factor = rsqrtf(squares / static_cast<float>(dim) + args.norm_eps);
        float w[piece];
        load8(weight + d, w);
#pragma unroll
        for (int i = 0; i < piece; ++i) low[i] *= factor * w[i];
        load8(weight + half + d, w);
#pragma unroll
        for (int i = 0; i < piece; ++i) high[i] *= factor * w[i];
    }
    if ((is_q || is_k) && args.cosines != nullptr) {
        float cosine[piece], sine[piece];
        const std::int64_t at = static_cast<std::int64_t>(position) * half + d;
        load8(args.cosines + at, cosine);
        load8(args.sines + at, sine);
#pragma unroll
        for (int i = 0; i < piece; ++i) {
            const float x = low[i], y = high[i];
            low[i] = x * cosine[i] - y * sine[i];
            high[i] = y * cosine[i] + x * sine[i];
        }
    }
    const std::int64_t section = is_q ? trace.q_offset : is_k ? trace.k_offset : trace.v_offset;
    T* to = Rows<T>(trace, section, own).at(position) + d;
    store8(to, low);
    store8(to + half, high);
    T* dense = dense_row<T>(args, row, is_q, is_k, own);
    if (dense == nullptr) return;
    store8(dense + d, low);
    store8(dense + d + half, high);
}

bool takes_chunk(const AppendArgs& args) {
    const int dim = args.trace.head_dim;
    return args.rows > 1 && args.device_begin == nullptr &&
           args.qkv_element == args.trace.element && dim >= 32 && (dim & (dim - 1)) == 0 &&
           (args.cosines == nullptr || args.rotary_dim == dim);
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
        if (takes_chunk(args)) {
            const std::int64_t threads = tasks * (args.trace.head_dim / 16);
            append_chunk_kernel<T>
                <<<static_cast<unsigned>((threads + chunk_threads - 1) / chunk_threads),
                   chunk_threads, 0, stream>>>(args);
            check_launch("append");
            return;
        }
        if (args.qkv_element == Element::F32)
            launch(append_kernel<T, float>, grid, warps * 32, 0, stream, "append", args);
        else
            launch(append_kernel<T, T>, grid, warps * 32, 0, stream, "append", args);
    });
}

}  // namespace kernels::cuda
