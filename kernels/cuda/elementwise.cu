// SPDX-License-Identifier: GPL-3.0-or-later
// Memory-bound, all of it: 16 or 32 bytes a thread and turn, a block a row where a row has a norm.
#include "kernels/cuda/elementwise.h"

#include "kernels/cuda/eights.cuh"
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

constexpr int block = 256, width = 8;

unsigned blocks_for(std::int64_t items) {
    return static_cast<unsigned>((items + block - 1) / block);
}

template <typename T>
__global__ void __launch_bounds__(block) embed_kernel(const T* table, const std::int32_t* tokens,
                                                      std::int64_t pieces, float scale, float* x) {
    const std::int64_t row = blockIdx.x;
    const T* from = table + static_cast<std::int64_t>(tokens[row]) * pieces * width;
    for (std::int64_t at = threadIdx.x; at < pieces; at += block) {
        float eight[width];
        load8(from + at * width, eight);
#pragma unroll
        for (float& value : eight) value *= scale;
        store8(x + (row * pieces + at) * width, eight);
    }
}

__device__ inline float sum_of_block(float value) {
    __shared__ float of_warps[block / 32];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < block / 32; ++warp) sum += of_warps[warp];
    return sum;
}

// Keeps what it can of its row in registers; the rest comes from the cache the second time.
template <typename T>
__global__ void __launch_bounds__(block) norm_kernel(const float* x, const float* w, float eps,
                                                     std::int64_t pieces, T* y, float* scale_out) {
    constexpr int kept = 2;
    const std::int64_t row = blockIdx.x;
    const float* from = x + row * pieces * width;
    float values[kept][width], squares = 0;
#pragma unroll
    for (int turn = 0; turn < kept; ++turn) {
        const std::int64_t at = threadIdx.x + std::int64_t{turn} * block;
        if (at >= pieces) continue;
        load8(from + at * width, values[turn]);
#pragma unroll
        for (const float value : values[turn]) squares = fmaf(value, value, squares);
    }
    for (std::int64_t at = threadIdx.x + std::int64_t{kept} * block; at < pieces; at += block) {
        float eight[width];
        load8(from + at * width, eight);
#pragma unroll
        for (const float value : eight) squares = fmaf(value, value, squares);
    }
    const float mean = sum_of_block(squares) / static_cast<float>(pieces * width);
    const float factor = rsqrtf(mean + eps);
    if (scale_out != nullptr && threadIdx.x == 0) scale_out[row] = factor;
    if (y == nullptr) return;
    const auto write = [&](std::int64_t at, float(&eight)[width]) {
        float weight[width];
        load8(w + at * width, weight);
#pragma unroll
        for (int i = 0; i < width; ++i) eight[i] *= factor * weight[i];
        store8(y + (row * pieces + at) * width, eight);
    };
#pragma unroll
    for (int turn = 0; turn < kept; ++turn) {
        const std::int64_t at = threadIdx.x + std::int64_t{turn} * block;
        if (at < pieces) write(at, values[turn]);
    }
    for (std::int64_t at = threadIdx.x + std::int64_t{kept} * block; at < pieces; at += block) {
        float eight[width];
        load8(from + at * width, eight);
        write(at, eight);
    }
}

template <typename T>
__global__ void __launch_bounds__(block)
    silu_kernel(const T* gate_up, std::int64_t rows, std::int64_t pieces, T* y) {
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (item >= rows * pieces) return;
    const std::int64_t row = item / pieces, at = item % pieces;
    const T* from = gate_up + (row * 2 * pieces + at) * width;
    float gate[width], up[width];
    load8(from, gate);
    load8(from + pieces * width, up);
#pragma unroll
    for (int i = 0; i < width; ++i) gate[i] = gate[i] / (1.0f + __expf(-gate[i])) * up[i];
    store8(y + item * width, gate);
}

template <typename T>
__global__ void __launch_bounds__(block)
    bias_kernel(T* y, const float* bias, std::int64_t rows, std::int64_t pieces) {
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (item >= rows * pieces) return;
    float values[width], added[width];
    load8(y + item * width, values);
    load8(bias + item % pieces * width, added);
#pragma unroll
    for (int i = 0; i < width; ++i) values[i] += added[i];
    store8(y + item * width, values);
}

__global__ void __launch_bounds__(block)
    rope_kernel(const double* frequency, std::int64_t count, double factor, std::int64_t begin,
                std::int64_t items, float* cosines, float* sines) {
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (item >= items) return;
    const double phase = static_cast<double>(begin + item / count) * frequency[item % count];
    cosines[item] = static_cast<float>(cos(phase) * factor);
    sines[item] = static_cast<float>(sin(phase) * factor);
}

// A piece is 16 bytes.
template <typename T>
__global__ void __launch_bounds__(block)
    gather_kernel(TraceView trace, std::int64_t section, std::int32_t heads, std::int64_t begin,
                  std::int64_t rows, T* to) {
    constexpr int wide = 16 / sizeof(T);
    const std::int64_t pieces = trace.head_dim / wide;
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (item >= rows * heads * pieces) return;
    const std::int64_t row = item / (heads * pieces), in_row = item % (heads * pieces);
    const T* from = Rows<T>(trace, section, static_cast<std::int32_t>(in_row / pieces))
                        .at(static_cast<std::int32_t>(begin + row)) +
                    in_row % pieces * wide;
    reinterpret_cast<uint4*>(to)[item] = *reinterpret_cast<const uint4*>(from);
}

void check_columns(std::int64_t columns) {
    require(columns % width == 0,
            std::to_string(columns) + " columns: rows must be whole eights of elements");
}

}  // namespace

void embed(const void* table, Element element, const std::int32_t* tokens, std::int64_t rows,
           std::int64_t columns, float scale, float* x, cudaStream_t stream) {
    check_columns(columns);
    if (rows <= 0) return;
    with_element(element, [&](auto t) {
        using T = decltype(t);
        embed_kernel<T><<<static_cast<unsigned>(rows), block, 0, stream>>>(
            static_cast<const T*>(table), tokens, columns / width, scale, x);
    });
    check_launch("embed");
}

void rms_norm(const float* x, const float* w, float eps, std::int64_t rows, std::int64_t columns,
              void* y, Element element, float* scale_out, cudaStream_t stream) {
    check_columns(columns);
    if (rows <= 0) return;
    with_element(element, [&](auto t) {
        using T = decltype(t);
        norm_kernel<T><<<static_cast<unsigned>(rows), block, 0, stream>>>(
            x, w, eps, columns / width, static_cast<T*>(y), scale_out);
    });
    check_launch("rms_norm");
}

void norm_scale(const float* x, float eps, std::int64_t rows, std::int64_t columns, float* scale,
                cudaStream_t stream) {
    rms_norm(x, nullptr, eps, rows, columns, nullptr, Element::F32, scale, stream);
}

void silu_mul(const void* gate_up, std::int64_t rows, std::int64_t columns, void* y,
              Element element, cudaStream_t stream) {
    check_columns(columns);
    if (rows <= 0) return;
    with_element(element, [&](auto t) {
        using T = decltype(t);
        silu_kernel<T><<<blocks_for(rows * columns / width), block, 0, stream>>>(
            static_cast<const T*>(gate_up), rows, columns / width, static_cast<T*>(y));
    });
    check_launch("silu_mul");
}

void add_bias(void* y, Element element, const float* bias, std::int64_t rows, std::int64_t columns,
              cudaStream_t stream) {
    check_columns(columns);
    if (rows <= 0) return;
    with_element(element, [&](auto t) {
        using T = decltype(t);
        bias_kernel<T><<<blocks_for(rows * columns / width), block, 0, stream>>>(
            static_cast<T*>(y), bias, rows, columns / width);
    });
    check_launch("add_bias");
}

void rope_table(const double* inverse_frequency, std::int64_t count, double factor,
                std::int64_t begin, std::int64_t rows, float* cosines, float* sines,
                cudaStream_t stream) {
    if (rows * count <= 0) return;
    rope_kernel<<<blocks_for(rows * count), block, 0, stream>>>(
        inverse_frequency, count, factor, begin, rows * count, cosines, sines);
    check_launch("rope_table");
}

void gather_rows(const TraceView& trace, Section section, std::int64_t begin, std::int64_t end,
                 void* to, cudaStream_t stream) {
    check_trace(trace);
    if (begin >= end) return;
    const bool of_kv = section == Section::K || section == Section::V;
    const std::int32_t heads = of_kv ? trace.kv_heads : trace.query_heads;
    const std::int64_t offset = section == Section::K   ? trace.k_offset
                                : section == Section::V ? trace.v_offset
                                : section == Section::Q ? trace.q_offset
                                                        : trace.z_offset;
    with_element(trace.element, [&](auto t) {
        using T = decltype(t);
        const std::int64_t items =
            (end - begin) * heads * trace.head_dim * std::int64_t{sizeof(T)} / 16;
        gather_kernel<T><<<blocks_for(items), block, 0, stream>>>(trace, offset, heads, begin,
                                                                  end - begin, static_cast<T*>(to));
    });
    check_launch("gather_rows");
}

}  // namespace kernels::cuda
