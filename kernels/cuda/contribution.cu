// SPDX-License-Identifier: GPL-3.0-or-later
// A block is one head's strip of 64 rows of z (or v). The rows of R_h are the "keys": R z comes out
// of the fp32 products of score_tile.cuh, of which only the sum of squares is kept. R is upper
// triangular, so a block of its rows starts at its first column. For bf16 rows R is split into
// three bf16 parts, whose sum is R to fp32's last bit, and the tensor cores do the products.
#include "kernels/cuda/contribution.h"

#include "kernels/cuda/contribution_forms.cuh"

namespace kernels::cuda {

namespace {

// Rows [first, first + 64) of R, columns [d, d + 64), zeros outside.
__device__ inline void load_triangle(float* to, const float* r, int dim, int first, int d) {
    const int column = static_cast<int>(threadIdx.x % 16) * 4;
    for (int row = static_cast<int>(threadIdx.x / 16); row < 64; row += tile_threads / 16) {
        float4 x = {0, 0, 0, 0};
        if (first + row < dim && d + column < dim)
            x = *reinterpret_cast<const float4*>(r + static_cast<std::int64_t>(first + row) * dim +
                                                 d + column);
        *reinterpret_cast<float4*>(to + row * slice_stride + column) = x;
    }
}

template <typename T>
__device__ void norms(const Forms& forms, const Rows<T>& rows, std::int32_t head,
                      std::int32_t begin, std::int32_t limit) {
    __shared__ __align__(16) float z[64 * slice_stride];
    __shared__ __align__(16) float triangle[64 * slice_stride];
    const int dim = forms.trace.head_dim;
    const float* r = forms.r + static_cast<std::int64_t>(head) * dim * dim;
    float squares[2] = {0, 0};
    for (int first = 0; first < dim; first += 64) {
        Cells y;
        clear(y);
        for (int d = first; d < dim; d += slice) {
            load_slice(z, rows, begin, limit, d);
            load_triangle(triangle, r, dim, first, d);
            __syncthreads();
            multiply_slices(y, z, triangle);
            __syncthreads();
        }
        add_squares(squares, y);
    }
    write_lengths(forms, squares, head, begin + lane_row(), limit);
}

// A warp a row.
template <typename T>
__device__ void dots(const Forms& forms, const Rows<T>& rows, std::int32_t head, std::int32_t begin,
                     std::int32_t limit) {
    const int dim = forms.trace.head_dim, lane = static_cast<int>(threadIdx.x % 32);
    const float* p = forms.p + static_cast<std::int64_t>(head) * dim;
    for (std::int32_t row = begin + static_cast<std::int32_t>(threadIdx.x / 32); row < limit;
         row += tile_threads / 32) {
        const T* x = rows.at(row);
        float sum = 0;
        for (int d = lane; d < dim; d += 32) sum = fmaf(to_float(x[d]), p[d], sum);
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (lane == 0) forms.dot[(row - forms.begin) * forms.stride + head] = sum;
    }
}

template <typename T>
__global__ void __launch_bounds__(tile_threads) forms_kernel(Forms all) {
    const Forms forms = all.of_layer();
    const auto head = static_cast<std::int32_t>(blockIdx.y);  // counted from first_head
    const auto begin =
        static_cast<std::int32_t>(forms.begin + static_cast<std::int64_t>(blockIdx.x) * strip_rows);
    const std::int32_t limit = min(static_cast<std::int32_t>(forms.end), begin + strip_rows);
    const Rows<T> rows(forms.trace, forms.section, (forms.first_head + head) / forms.group);
    if (forms.r != nullptr) norms<T>(forms, rows, head, begin, limit);
    if (forms.p != nullptr) dots<T>(forms, rows, head, begin, limit);
}

// bf16, on the tensor cores. shared: z, then the three parts of 64 rows of R, all [64][stride].
constexpr int parts = 3, most_split_dim = 128;

inline std::int64_t split_bytes(int dim) {
    return (1 + parts) * std::int64_t{64} * ScoreTile<bf16>::stride_of(dim) * 2;
}

// Rows [first, first + 64) of R from column `first` on, in parts.
__device__ inline void split_triangle(bf16* to, int stride, const float* r, int dim, int first) {
    const int quads = (stride - 8 - first) / 4;
    for (int at = static_cast<int>(threadIdx.x); at < 64 * quads; at += tile_threads) {
        const int row = at / quads, column = first + at % quads * 4;
        float4 x = {0, 0, 0, 0};
        if (first + row < dim && column < dim)
            x = *reinterpret_cast<const float4*>(r + static_cast<std::int64_t>(first + row) * dim +
                                                 column);
        bf16* place = to + row * stride + column;
#pragma unroll
        for (int part = 0; part < parts; ++part, place += 64 * stride) {
            const uint2 packed = {pack<bf16>(x.x, x.y), pack<bf16>(x.z, x.w)};
            *reinterpret_cast<uint2*>(place) = packed;
            const float2 low = unpack<bf16>(packed.x), high = unpack<bf16>(packed.y);
            x.x -= low.x, x.y -= low.y, x.z -= high.x, x.w -= high.y;
        }
    }
}

__device__ inline void split_norms(const Forms& forms, const bf16* z, bf16* split, int stride,
                                   std::int32_t head, std::int32_t begin, std::int32_t limit) {
    const int dim = forms.trace.head_dim;
    const float* r = forms.r + static_cast<std::int64_t>(head) * dim * dim;
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    const bf16* q = z + (warp * 16 + lane % 16) * stride + lane / 16 * 8;
    const bf16* k = split + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8;
    float squares[2] = {0, 0};
    for (int first = 0; first < dim; first += 64) {
        split_triangle(split, stride, r, dim, first);
        __syncthreads();
        Cells y;
        clear(y);
        for (int d = first; d < stride - 8; d += 16) {
            std::uint32_t a[4];
            load_matrices(a, q + d);
#pragma unroll
            for (int part = parts - 1; part >= 0; --part)  // the small ones first
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    std::uint32_t b[4];
                    load_matrices(b, k + (part * 64 + j * 16) * stride + d);
                    multiply<bf16>(y[2 * j], a, b[0], b[1]);
                    multiply<bf16>(y[2 * j + 1], a, b[2], b[3]);
                }
        }
        __syncthreads();
        add_squares(squares, y);
    }
    write_lengths(forms, squares, head, begin + lane_row(), limit);
}

// Two lanes a row, eight dims at a time in turn.
__device__ inline void split_dots(const Forms& forms, const bf16* z, int stride, std::int32_t head,
                                  std::int32_t begin, std::int32_t limit) {
    const int dim = forms.trace.head_dim, row = static_cast<int>(threadIdx.x / 2);
    const float* p = forms.p + static_cast<std::int64_t>(head) * dim;
    float sum = 0;
    for (int d = static_cast<int>(threadIdx.x % 2) * 8; d < dim; d += 16)
        sum = dot8(*reinterpret_cast<const uint4*>(z + row * stride + d), p + d, sum);
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    if (threadIdx.x % 2 == 0 && begin + row < limit)
        forms.dot[(begin + row - forms.begin) * forms.stride + head] = sum;
}

__global__ void __launch_bounds__(tile_threads) split_kernel(Forms all) {
    const Forms forms = all.of_layer();
    extern __shared__ __align__(16) std::byte shared[];
    const auto head = static_cast<std::int32_t>(blockIdx.y);  // counted from first_head
    const auto begin =
        static_cast<std::int32_t>(forms.begin + static_cast<std::int64_t>(blockIdx.x) * strip_rows);
    const std::int32_t limit = min(static_cast<std::int32_t>(forms.end), begin + strip_rows);
    const int stride = ScoreTile<bf16>::stride_of(forms.trace.head_dim);
    auto* z = reinterpret_cast<bf16*>(shared);
    copy_rows(z, stride,
              Rows<bf16>(forms.trace, forms.section, (forms.first_head + head) / forms.group),
              begin, limit, stride - 8);
    commit_copies();
    await_copies<0>();
    __syncthreads();
    if (forms.r != nullptr) split_norms(forms, z, z + 64 * stride, stride, head, begin, limit);
    if (forms.p != nullptr) split_dots(forms, z, stride, head, begin, limit);
}

void start(const Forms& forms, std::int32_t heads, cudaStream_t stream, std::int32_t layers = 1) {
    check_trace(forms.trace);
    if (forms.begin >= forms.end) return;
    const std::int64_t strips = (forms.end - forms.begin + strip_rows - 1) / strip_rows;
    if (hopper_forms(forms, heads, layers, stream)) return;
    const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>(heads),
                    static_cast<unsigned>(layers));
    if (forms.trace.element == Element::BF16 && forms.trace.head_dim <= most_split_dim) {
        const std::int64_t bytes = split_bytes(forms.trace.head_dim);
        allow_shared(split_kernel, bytes, "contributions");
        split_kernel<<<grid, tile_threads, static_cast<std::size_t>(bytes), stream>>>(forms);
        check_launch("contributions");
        return;
    }
    with_element(forms.trace.element, [&](auto t) {
        forms_kernel<decltype(t)><<<grid, tile_threads, 0, stream>>>(forms);
        check_launch("contributions");
    });
}

}  // namespace

void contributions(const ContributionArgs& args, cudaStream_t stream) {
    const std::int32_t heads = args.trace.query_heads;
    start({args.trace, args.trace.z_offset, 0, 1, args.begin, args.end, args.r, args.p, args.norm,
           args.dot, heads},
          heads, stream);
}

void contributions(const ContributionLayers& args, cudaStream_t stream) {
    const std::int32_t heads = args.first.query_heads;
    start({args.first, args.first.z_offset, 0, 1, args.begin, args.end, args.r, args.p, args.norm,
           args.dot, heads, args.traces},
          heads, stream, args.layers);
}

void column_weights(const ColumnWeightArgs& args, cudaStream_t stream) {
    const float* p = args.r ? nullptr : args.p;
    start({args.trace, args.trace.v_offset, args.head, args.trace.group(), args.begin, args.end,
           args.r, p, args.out, args.out, 1},
          1, stream);
}

}  // namespace kernels::cuda
