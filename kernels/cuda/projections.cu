// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/projections.h"

#include "kernels/cuda/eights.cuh"
#include "kernels/cuda/element.cuh"

namespace kernels::cuda {

namespace {

constexpr int gram_tile = 32, gram_threads = 256;

// One 32 × 32 tile of W_O_hᵀ W_O_h, on or above the diagonal. gram [Hq, D, D].
template <typename T>
__global__ void __launch_bounds__(gram_threads) gram_kernel(OutputProjection w, double* gram) {
    __shared__ double left[gram_tile][gram_tile + 1], right[gram_tile][gram_tile + 1];
    const int first = static_cast<int>(blockIdx.x) * gram_tile,
              second = static_cast<int>(blockIdx.y) * gram_tile;
    if (second < first) return;
    const int x = static_cast<int>(threadIdx.x % 16), y = static_cast<int>(threadIdx.x / 16);
    const auto head = static_cast<std::int64_t>(blockIdx.z);
    const std::int64_t columns = std::int64_t{w.query_heads} * w.head_dim;
    const T* from = static_cast<const T*>(w.weights) + head * w.head_dim;
    double sum[2][2] = {{0, 0}, {0, 0}};
    for (std::int64_t row = 0; row < w.d_model; row += gram_tile) {
        for (int i = static_cast<int>(threadIdx.x); i < gram_tile * gram_tile; i += gram_threads) {
            const int r = i / gram_tile, c = i % gram_tile;
            const bool there = row + r < w.d_model;
            const T* line = from + (row + r) * columns;
            left[r][c] = there && first + c < w.head_dim
                             ? static_cast<double>(to_float(line[first + c]))
                             : 0;
            right[r][c] = there && second + c < w.head_dim
                              ? static_cast<double>(to_float(line[second + c]))
                              : 0;
        }
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < gram_tile; ++k) {
            const double a[2] = {left[k][y], left[k][y + 16]},
                         b[2] = {right[k][x], right[k][x + 16]};
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) sum[i][j] = fma(a[i], b[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int r = first + y + 16 * i, c = second + x + 16 * j;
            if (r < w.head_dim && c < w.head_dim)
                gram[(head * w.head_dim + r) * w.head_dim + c] = sum[i][j];
        }
}

// A block a head: R row by row, the trailing rows updated behind it.
__global__ void __launch_bounds__(512) factor_kernel(OutputProjection w, double* gram, float* r) {
    __shared__ double row[256];
    const int dim = w.head_dim, threads = static_cast<int>(blockDim.x),
              thread = static_cast<int>(threadIdx.x);
    double* g = gram + static_cast<std::int64_t>(blockIdx.x) * dim * dim;
    float* out = r + static_cast<std::int64_t>(blockIdx.x) * dim * dim;
    __shared__ double largest;
    if (thread == 0) {
        largest = 0;
        for (int i = 0; i < dim; ++i) largest = fmax(largest, g[i * dim + i]);
    }
    for (int i = 0; i < dim; ++i) {
        __syncthreads();
        const double pivot = g[i * dim + i];
        // Below this it is the rounding of what came before: a direction without a write.
        const double factor = pivot > 1e-13 * largest ? 1 / sqrt(pivot) : 0;
        for (int j = thread; j < dim; j += threads) {
            const double x = j < i ? 0 : g[i * dim + j] * factor;
            row[j] = x;
            out[i * dim + j] = static_cast<float>(x);
        }
        __syncthreads();
        const int left = dim - i - 1;
        for (int at = thread; at < left * left; at += threads) {
            const int a = i + 1 + at / left, b = i + 1 + at % left;
            if (b >= a) g[a * dim + b] -= row[a] * row[b];
        }
    }
}

template <typename T>
__global__ void direction_kernel(const T* plus, const T* minus, const float* norm,
                                 std::int64_t columns, float* u) {
    const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (i >= columns) return;
    const float x = to_float(plus[i]) - (minus != nullptr ? to_float(minus[i]) : 0.0f);
    u[i] = x * norm[i];
}

// A block: 256 columns and turned_rows rows of a layer, a thread eight columns and every eighth
// row.
constexpr int turned_rows = 512, turned_columns = 256, turned_threads = 256;

// partial [layers, directions, row parts, columns].
template <typename T, int Most>
__global__ void __launch_bounds__(turned_threads)
    turned_kernel(OutputProjection w, const float* u, int directions, float* partial) {
    __shared__ float sums[8][turned_columns], factors[Most][turned_rows];
    const std::int64_t columns = std::int64_t{w.query_heads} * w.head_dim,
                       first_row = static_cast<std::int64_t>(blockIdx.y) * turned_rows;
    const int lane = static_cast<int>(threadIdx.x % 32), group = static_cast<int>(threadIdx.x / 32);
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * turned_columns + lane * 8;
    const auto rows =
        static_cast<int>(min(static_cast<std::int64_t>(turned_rows), w.d_model - first_row));
    for (int i = static_cast<int>(threadIdx.x); i < rows; i += turned_threads)
        for (int n = 0; n < Most; ++n)
            factors[n][i] = n < directions ? u[n * w.d_model + first_row + i] : 0.0f;
    __syncthreads();
    float sum[Most][8] = {};
    if (column < columns) {
        const void* weights = w.all_weights == nullptr ? w.weights : w.all_weights[blockIdx.z];
        const T* from = static_cast<const T*>(weights) + first_row * columns + column;
#pragma unroll 4
        for (int i = group; i < rows; i += 8) {
            float x[8];
            load8(from + i * columns, x);
#pragma unroll
            for (int n = 0; n < Most; ++n)
#pragma unroll
                for (int c = 0; c < 8; ++c) sum[n][c] = fmaf(x[c], factors[n][i], sum[n][c]);
        }
    }
#pragma unroll
    for (int n = 0; n < Most; ++n) {
        if (n >= directions) break;
        for (int c = 0; c < 8; ++c) sums[group][lane * 8 + c] = sum[n][c];
        __syncthreads();
        const int at = static_cast<int>(threadIdx.x);
        float total = 0;
        for (int g = 0; g < 8; ++g) total += sums[g][at];
        const std::int64_t to = static_cast<std::int64_t>(blockIdx.x) * turned_columns + at;
        const std::int64_t line = blockIdx.z * static_cast<std::int64_t>(directions) + n;
        if (to < columns) partial[(line * gridDim.y + blockIdx.y) * columns + to] = total;
        __syncthreads();
    }
}

__global__ void add_parts_kernel(const float* partial, int parts, std::int64_t columns, float* p) {
    const std::int64_t column = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    if (column >= columns) return;
    const float* from = partial + blockIdx.y * parts * columns + column;
    float sum = 0;
    for (int i = 0; i < parts; ++i) sum += from[i * columns];
    p[blockIdx.y * columns + column] = sum;
}

std::int64_t row_parts(const OutputProjection& w) {
    return (w.d_model + turned_rows - 1) / turned_rows;
}

void check_projection(const OutputProjection& w) {
    require(w.head_dim > 0 && w.head_dim <= 256 && w.columns() % 8 == 0,
            std::to_string(w.query_heads) + " heads of " + std::to_string(w.head_dim) +
                ": columns must be a multiple of 8, head_dim at most 256");
}

}  // namespace

std::int64_t triangle_scratch(const OutputProjection& w) {
    return w.columns() * w.head_dim * static_cast<std::int64_t>(sizeof(double));
}

void triangles(const OutputProjection& w, float* r, void* scratch, cudaStream_t stream) {
    check_projection(w);
    const auto tiles = static_cast<unsigned>((w.head_dim + gram_tile - 1) / gram_tile),
               heads = static_cast<unsigned>(w.query_heads);
    auto* gram = static_cast<double*>(scratch);
    with_element(w.element, [&](auto t) {
        gram_kernel<decltype(t)><<<dim3(tiles, tiles, heads), gram_threads, 0, stream>>>(w, gram);
        check_launch("triangles");
    });
    factor_kernel<<<heads, 512, 0, stream>>>(w, gram, r);
    check_launch("triangles");
}

void direction(const void* table, Element element, std::int64_t columns, std::int32_t token,
               std::int32_t distractor, const float* norm, float* u, cudaStream_t stream) {
    with_element(element, [&](auto t) {
        using T = decltype(t);
        const T* rows = static_cast<const T*>(table);
        const T* minus = distractor < 0 ? nullptr : rows + distractor * columns;
        direction_kernel<T><<<static_cast<unsigned>((columns + 255) / 256), 256, 0, stream>>>(
            rows + token * columns, minus, norm, columns, u);
        check_launch("direction");
    });
}

std::int64_t turned_scratch(const OutputProjection& w, int directions) {
    return w.layers * directions * row_parts(w) * w.columns() *
           static_cast<std::int64_t>(sizeof(float));
}

void turned_products(const OutputProjection& w, const float* u, int directions, float* p,
                     void* scratch, cudaStream_t stream) {
    check_projection(w);
    require(directions >= 1 && directions <= most_directions,
            std::to_string(directions) + " directions at once");
    auto* partial = static_cast<float*>(scratch);
    const auto parts = row_parts(w);
    const dim3 grid(static_cast<unsigned>((w.columns() + turned_columns - 1) / turned_columns),
                    static_cast<unsigned>(parts), static_cast<unsigned>(w.layers));
    with_element(w.element, [&](auto t) {
        using T = decltype(t);
        const auto kernel =
            directions == 1 ? turned_kernel<T, 1> : turned_kernel<T, most_directions>;
        kernel<<<grid, turned_threads, 0, stream>>>(w, u, directions, partial);
        check_launch("turned products");
    });
    add_parts_kernel<<<dim3(static_cast<unsigned>((w.columns() + 255) / 256),
                            static_cast<unsigned>(w.layers * directions)),
                       256, 0, stream>>>(partial, static_cast<int>(parts), w.columns(), p);
    check_launch("turned products");
}

}  // namespace kernels::cuda
