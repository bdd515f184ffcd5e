// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/writes.h"

#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

unsigned blocks_of(std::int64_t n, int threads) {
    return static_cast<unsigned>((n + threads - 1) / threads);
}

__device__ inline std::int64_t thread_index() {
    return blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
}

template <typename T>
__global__ void gather_kernel(TraceView trace, std::int64_t section, std::int32_t first_head,
                              std::int32_t heads, std::int64_t begin, std::int64_t rows,
                              float* to) {
    const std::int64_t at = thread_index(), line = std::int64_t{heads} * trace.head_dim;
    if (at >= rows * line) return;
    const std::int64_t row = at / line;
    const auto within = static_cast<std::int32_t>(at % line);
    const Rows<T> from(trace, section, first_head + within / trace.head_dim);
    to[at] = to_float(from.at(static_cast<std::int32_t>(begin + row))[within % trace.head_dim]);
}

__global__ void gather_lse_kernel(TraceView trace, std::int64_t begin, std::int64_t rows,
                                  float* to) {
    const std::int64_t at = thread_index();
    if (at >= rows * trace.query_heads) return;
    to[at] = *lse_at(trace, static_cast<std::int32_t>(at / rows),
                     static_cast<std::int32_t>(begin + at % rows));
}

// A block: 64 columns of d_model of one head, 16 rows. A slice of 32 dims at a time.
constexpr int write_columns = 64, write_rows = 16, write_slice = 32, write_threads = 256;

template <typename T>
__global__ void __launch_bounds__(write_threads) head_writes_kernel(HeadWritesArgs args) {
    __shared__ float w[write_columns][write_slice + 1], z[write_rows][write_slice + 1];
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * write_columns,
                       first_row = static_cast<std::int64_t>(blockIdx.z) * write_rows,
                       line = std::int64_t{args.query_heads} * args.head_dim;
    const auto head = static_cast<std::int32_t>(blockIdx.y);
    const T* weights = static_cast<const T*>(args.weights) + std::int64_t{head} * args.head_dim;
    const float* rows = args.z + std::int64_t{head} * args.head_dim;
    const int thread = static_cast<int>(threadIdx.x), column = thread % write_columns,
              quarter = thread / write_columns;
    float sum[4] = {0, 0, 0, 0};
    for (int d = 0; d < args.head_dim; d += write_slice) {
        for (int i = thread; i < write_columns * write_slice; i += write_threads) {
            const int r = i / write_slice, c = i % write_slice;
            const bool there = first + r < args.d_model && d + c < args.head_dim;
            w[r][c] = there ? to_float(weights[(first + r) * line + d + c]) : 0;
        }
        for (int i = thread; i < write_rows * write_slice; i += write_threads) {
            const int r = i / write_slice, c = i % write_slice;
            const bool there = first_row + r < args.rows && d + c < args.head_dim;
            z[r][c] = there ? rows[(first_row + r) * line + d + c] : 0;
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < write_slice; ++k) {
            const float x = w[column][k];
#pragma unroll
            for (int i = 0; i < 4; ++i) sum[i] = fmaf(x, z[quarter * 4 + i][k], sum[i]);
        }
        __syncthreads();
    }
    if (first + column >= args.d_model) return;
    for (int i = 0; i < 4; ++i) {
        const std::int64_t row = first_row + quarter * 4 + i;
        if (row < args.rows)
            args.to[(row * args.query_heads + head) * args.d_model + first + column] = sum[i];
    }
}

// Magnitudes order like their bits, and not a number lies above all.
__device__ inline void largest(float* to, float magnitude) {
    atomicMax(reinterpret_cast<int*>(to), __float_as_int(fabsf(magnitude)));
}

__global__ void compare_kernel(const float* parts, const float* bias, const float* whole,
                               std::int64_t rows, std::int32_t heads, std::int64_t d_model,
                               float* apart_and_most) {
    const std::int64_t at = thread_index();
    float apart = 0, most = 0;
    if (at < rows * d_model) {
        const std::int64_t row = at / d_model, column = at % d_model;
        double sum = bias != nullptr ? static_cast<double>(bias[column]) : 0;
        const float* from = parts + row * heads * d_model + column;
        for (std::int32_t h = 0; h < heads; ++h) sum += static_cast<double>(from[h * d_model]);
        most = whole[at];
        apart = static_cast<float>(sum - static_cast<double>(most));
    }
    largest(apart_and_most, apart);
    largest(apart_and_most + 1, most);
}

__global__ void __launch_bounds__(256)
    lengths_kernel(const float* x, const float* u, std::int64_t columns, float* to) {
    __shared__ double sums[8][2];
    const float* row = x + blockIdx.x * columns;
    double squares = 0, dot = 0;
    for (std::int64_t i = threadIdx.x; i < columns; i += 256) {
        const auto value = static_cast<double>(row[i]);
        squares += value * value;
        dot += value * static_cast<double>(u[i]);
    }
    for (int step = 16; step > 0; step /= 2) {
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
        dot += __shfl_xor_sync(0xffffffffu, dot, step);
    }
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32][0] = squares, sums[threadIdx.x / 32][1] = dot;
    __syncthreads();
    if (threadIdx.x != 0) return;
    squares = dot = 0;
    for (int i = 0; i < 8; ++i) squares += sums[i][0], dot += sums[i][1];
    to[2 * blockIdx.x] = static_cast<float>(sqrt(squares));
    to[2 * blockIdx.x + 1] = static_cast<float>(dot);
}

__global__ void add_kernel(float* x, const float* y, std::int64_t n) {
    const std::int64_t at = thread_index();
    if (at < n) x[at] += y[at];
}

__global__ void multiply_kernel(float* x, const float* y, std::int64_t n) {
    const std::int64_t at = thread_index();
    if (at < n) x[at] *= y[at];
}

// A block a head. Threads [g · D, (g + 1) · D) take every `groups`-th key, a dim each.
constexpr int check_threads = 512;

template <typename T>
__global__ void __launch_bounds__(check_threads)
    check_kernel(TraceView trace, std::int64_t dest, const float* sinks, const float* scores,
                 const float* pattern, float* to) {
    __shared__ double sums[check_threads];
    __shared__ float found[4];
    const auto head = static_cast<std::int32_t>(blockIdx.x);
    const int dim = trace.head_dim, thread = static_cast<int>(threadIdx.x),
              groups = check_threads / dim, group = thread / dim, d = thread % dim;
    const std::int64_t keys = dest + 1;
    const float* s = scores + head * keys;
    const float* p = pattern + head * keys;
    if (thread < 4) found[thread] = 0;

    double sum = 0;
    float score = 0;
    for (std::int64_t key = thread; key < keys; key += check_threads) {
        if (s[key] == -__builtin_huge_valf()) continue;
        sum += static_cast<double>(p[key]);
        score = fmaxf(score, fabsf(s[key]));
        if (isnan(s[key])) score = s[key];
    }
    sums[thread] = sum;
    __syncthreads();
    largest(found + 1, score);
    if (thread == 0) {
        double total = 0;
        for (int i = 0; i < check_threads; ++i) total += sums[i];
        const float lse = *lse_at(trace, head, static_cast<std::int32_t>(dest));
        if (sinks != nullptr)
            total += exp(static_cast<double>(sinks[head]) - static_cast<double>(lse));
        if (lse == -__builtin_huge_valf()) total = 1;  // nothing is visible: no pattern
        found[0] = static_cast<float>(fabs(total - 1));
    }
    __syncthreads();

    const Rows<T> v(trace, trace.v_offset, head / (trace.query_heads / trace.kv_heads));
    double z = 0;
    if (group < groups)
#pragma unroll 4
        for (std::int64_t key = group; key < keys; key += groups) {
            const float weight = s[key] == -__builtin_huge_valf() ? 0.0f : p[key];
            if (weight != 0)  // an unwritten slot may hold anything, and 0 · NaN is NaN
                z += static_cast<double>(weight) *
                     static_cast<double>(to_float(v.at(static_cast<std::int32_t>(key))[d]));
        }
    sums[thread] = z;
    __syncthreads();
    if (group == 0) {
        for (int g = 1; g < groups; ++g) z += sums[g * dim + d];
        const Rows<T> kept(trace, trace.z_offset, head);
        const float own = to_float(kept.at(static_cast<std::int32_t>(dest))[d]);
        largest(found + 2, static_cast<float>(z - static_cast<double>(own)));
        largest(found + 3, own);
    }
    __syncthreads();
    if (thread < 4) to[head * 4 + thread] = found[thread];
}

}  // namespace

void gather_floats(const TraceView& trace, std::int64_t section, std::int32_t first_head,
                   std::int32_t heads, std::int64_t begin, std::int64_t end, float* to,
                   cudaStream_t stream) {
    check_trace(trace);
    const std::int64_t n = (end - begin) * heads * trace.head_dim;
    if (n <= 0) return;
    with_element(trace.element, [&](auto t) {
        gather_kernel<decltype(t)><<<blocks_of(n, 256), 256, 0, stream>>>(
            trace, section, first_head, heads, begin, end - begin, to);
        check_launch("gathering rows");
    });
}

void gather_lse(const TraceView& trace, std::int64_t begin, std::int64_t end, float* to,
                cudaStream_t stream) {
    const std::int64_t n = (end - begin) * trace.query_heads;
    if (n <= 0) return;
    gather_lse_kernel<<<blocks_of(n, 256), 256, 0, stream>>>(trace, begin, end - begin, to);
    check_launch("gathering lse");
}

void head_writes(const HeadWritesArgs& args, cudaStream_t stream) {
    if (args.rows <= 0) return;
    const dim3 grid(blocks_of(args.d_model, write_columns), static_cast<unsigned>(args.query_heads),
                    blocks_of(args.rows, write_rows));
    with_element(args.element, [&](auto t) {
        head_writes_kernel<decltype(t)><<<grid, write_threads, 0, stream>>>(args);
        check_launch("writes of heads");
    });
}

void compare_sums(const float* parts, const float* bias, const float* whole, std::int64_t rows,
                  std::int32_t heads, std::int64_t d_model, float* apart_and_most,
                  cudaStream_t stream) {
    if (rows <= 0) return;
    compare_kernel<<<blocks_of(rows * d_model, 256), 256, 0, stream>>>(
        parts, bias, whole, rows, heads, d_model, apart_and_most);
    check_launch("sums of writes");
}

void lengths_and_dots(const float* x, const float* u, std::int64_t n, std::int64_t columns,
                      float* to, cudaStream_t stream) {
    if (n <= 0) return;
    lengths_kernel<<<static_cast<unsigned>(n), 256, 0, stream>>>(x, u, columns, to);
    check_launch("lengths of writes");
}

void add(float* x, const float* y, std::int64_t n, cudaStream_t stream) {
    if (n <= 0) return;
    add_kernel<<<blocks_of(n, 256), 256, 0, stream>>>(x, y, n);
    check_launch("add");
}

void multiply(float* x, const float* y, std::int64_t n, cudaStream_t stream) {
    if (n <= 0) return;
    multiply_kernel<<<blocks_of(n, 256), 256, 0, stream>>>(x, y, n);
    check_launch("multiply");
}

void check_row(const TraceView& trace, std::int64_t dest, const float* sinks, const float* scores,
               const float* pattern, float* to, cudaStream_t stream) {
    check_trace(trace);
    with_element(trace.element, [&](auto t) {
        check_kernel<decltype(t)>
            <<<static_cast<unsigned>(trace.query_heads), check_threads, 0, stream>>>(
                trace, dest, sinks, scores, pattern, to);
        check_launch("checks of a row");
    });
}

}  // namespace kernels::cuda
