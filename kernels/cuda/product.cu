// SPDX-License-Identifier: GPL-3.0-or-later
// Memory-bound to the last: what matters is bytes in flight. The warps of a block share each row,
// so that small matrices keep every multiprocessor busy; a block keeps its part of x in registers
// and walks the rows with the next rows' loads under way. The first of them start before the
// predecessor has finished, since weights do not depend on it.
#include "kernels/cuda/product.h"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/logit_order.cuh"

namespace kernels::cuda {

namespace {

// 16 bytes that are read once.
__device__ inline uint4 stream(const void* from) {
    uint4 x;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "l"(from));
    return x;
}

// The elements in 16 bytes.
template <typename T>
constexpr int width = 16 / sizeof(T);

template <typename T>
__device__ inline void spread(const uint4& from, float* to) {
    if constexpr (sizeof(T) == 4) {
        to[0] = __uint_as_float(from.x), to[1] = __uint_as_float(from.y);
        to[2] = __uint_as_float(from.z), to[3] = __uint_as_float(from.w);
    } else {
        const std::uint32_t words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 two = unpack<T>(words[i]);
            to[2 * i] = two.x, to[2 * i + 1] = two.y;
        }
    }
}

// `count` activations of an earlier kernel, past the first cache, which may hold older ones.
template <typename X>
__device__ inline void read_x(const void* x, std::int64_t at, int count, float* to) {
    const auto* from = reinterpret_cast<const uint4*>(static_cast<const X*>(x) + at);
    for (int i = 0; i < count / width<X>; ++i) spread<X>(__ldcg(from + i), to + i * width<X>);
}

template <typename T>
__device__ inline float finish_row(const ProductArgs& args, std::int64_t row, float value,
                                   float up) {
    if (args.bias != nullptr) value += args.bias[row];
    if (args.finish == Finish::SiluMul) value = value / (1.0f + __expf(-value)) * up;
    if (args.y_element == Element::F32) {
        float* y = static_cast<float*>(args.y) + row;
        if (args.finish == Finish::Add) value += __ldcg(y);
        *y = value;
    } else if constexpr (sizeof(T) == 2) {
        T* y = static_cast<T*>(args.y) + row;
        if (args.finish == Finish::Add) value += to_float(fresh(y));
        *y = from_float<T>(value);
    }
    return value;
}

// Warps share a row, each lane taking Chunks × 16 bytes of it; AtOnce rows go together.
// Packed: x stays as it came, without a norm, in half the registers.
template <typename T, typename X, bool Packed, int Warps, int Chunks, int AtOnce>
__global__ void __launch_bounds__(Warps * 32, Packed&& Warps == 12 ? 2 : 1)
    product_kernel(ProductArgs args) {
    static_assert(!Packed || std::is_same_v<T, X>);
    constexpr int lanes = Warps * 32, wide = width<T>;
    __shared__ float sums[2][Warps][AtOnce + 1];
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    const bool pairs = args.finish == Finish::SiluMul;
    const int outputs = pairs ? AtOnce / 2 : AtOnce;  // of a group
    const std::int64_t groups = (args.rows + outputs - 1) / outputs;
    const auto* weights = static_cast<const T*>(args.weights);

    uint4 w[AtOnce][Chunks];
    const auto load = [&](std::int64_t group) {
#pragma unroll
        for (int r = 0; r < AtOnce; ++r) {
            // For pairs the second half of the rows of a group are those of `up`.
            const int local = pairs && r >= AtOnce / 2 ? r - AtOnce / 2 : r;
            std::int64_t row = min(group * outputs + local, args.rows - 1);
            if (pairs && r >= AtOnce / 2) row += args.rows;
            const T* from = weights + row * args.columns;
#pragma unroll
            for (int c = 0; c < Chunks; ++c) {
                const int at = (c * lanes + thread) * wide;
                w[r][c] = at < args.columns ? stream(from + at) : uint4{0, 0, 0, 0};
            }
        }
    };
    std::int64_t group = blockIdx.x;
    if (group < groups) load(group);
    await_predecessor();
    start_dependents();

    uint4 packed[Packed ? Chunks : 1];
    float x[Packed ? 1 : Chunks][wide], squares = 0;
#pragma unroll
    for (int c = 0; c < Chunks; ++c) {
        const int at = (c * lanes + thread) * wide;
        if constexpr (Packed) {
            packed[c] =
                at < args.columns
                    ? __ldcg(reinterpret_cast<const uint4*>(static_cast<const X*>(args.x) + at))
                    : uint4{0, 0, 0, 0};
        } else {
#pragma unroll
            for (int i = 0; i < wide; ++i) x[c][i] = 0;
            if (at >= args.columns) continue;
            read_x<X>(args.x, at, wide, x[c]);
            if (args.norm == nullptr) continue;
#pragma unroll
            for (int i = 0; i < wide; ++i) {
                squares = fmaf(x[c][i], x[c][i], squares);
                x[c][i] *= args.norm[at + i];
            }
        }
    }
    std::uint64_t best = 0;
    for (int turn = 0; group < groups; group += gridDim.x, turn ^= 1) {
        float sum[AtOnce + 1];
        sum[AtOnce] = squares;
#pragma unroll
        for (int r = 0; r < AtOnce; ++r) sum[r] = 0;
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
            float unpacked[wide];
            if constexpr (Packed) spread<X>(packed[c], unpacked);
            const float* in = Packed ? unpacked : x[Packed ? 0 : c];
#pragma unroll
            for (int r = 0; r < AtOnce; ++r) {
                float y[wide];
                spread<T>(w[r][c], y);
#pragma unroll
                for (int i = 0; i < wide; ++i) sum[r] = fmaf(y[i], in[i], sum[r]);
            }
        }
        if (group + gridDim.x < groups) load(group + gridDim.x);
#pragma unroll
        for (int r = 0; r <= AtOnce; ++r) {
#pragma unroll
            for (int step = 16; step > 0; step /= 2)
                sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], step);
            if (lane == 0) sums[turn][warp][r] = sum[r];
        }
        __syncthreads();  // one a turn: the other half is read while this one is written
        if (thread < outputs && group * outputs + thread < args.rows) {
            float value = 0, up = 0, square = 0;
            for (int i = 0; i < Warps; ++i) {
                value += sums[turn][i][thread];
                square += sums[turn][i][AtOnce];
                if (pairs) up += sums[turn][i][thread + AtOnce / 2];
            }
            if (args.norm != nullptr) {
                const float factor =
                    rsqrtf(square / static_cast<float>(args.columns) + args.norm_eps);
                value *= factor, up *= factor;
            }
            const std::int64_t row = group * outputs + thread;
            value = finish_row<T>(args, row, value, up);
            if (args.best != nullptr) best = max(best, key_of(value, row));
        }
    }
    if (args.best != nullptr && best != 0)
        atomicMax(reinterpret_cast<unsigned long long*>(args.best),
                  static_cast<unsigned long long>(best));
}

template <typename T, typename X, bool Packed, int Warps, int Chunks, int AtOnce>
void start(const ProductArgs& args, cudaStream_t stream) {
    const auto kernel = product_kernel<T, X, Packed, Warps, Chunks, AtOnce>;
    int device = 0, processors = 0, blocks = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
          "multiprocessor count");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, Warps * 32, 0),
          "occupancy");
    const int outputs = args.finish == Finish::SiluMul ? AtOnce / 2 : AtOnce;
    const std::int64_t groups = (args.rows + outputs - 1) / outputs;
    const std::int64_t at_once = std::int64_t{processors} * blocks;
    // As many blocks as run together, or a few less where that makes their shares even.
    const std::int64_t share = (groups + at_once - 1) / at_once;
    const std::int64_t grid = (groups + share - 1) / share;
    launch(kernel, dim3(static_cast<unsigned>(grid)), Warps * 32, 0, stream, "product", args);
}

template <typename T, typename X, bool Packed>
void choose(const ProductArgs& args, cudaStream_t stream) {
    const std::int64_t pieces = args.columns / width<T>;  // of 16 bytes a row
    const bool wide = args.rows * (args.finish == Finish::SiluMul ? 2 : 1) >= 16384;
    if (pieces <= 256)
        start<T, X, Packed, 4, 2, 4>(args, stream);
    else if (pieces <= 512 && wide)
        start<T, X, Packed, 4, 4, 4>(args, stream);
    else if (pieces <= 512)
        start<T, X, Packed, 8, 2, 8>(args, stream);
    else if (pieces <= 1536)
        start<T, X, Packed, 12, 4, 2>(args, stream);
    else
        start<T, X, Packed, 16, 8, 2>(args, stream);
}

// One block.
template <typename T>
__global__ void __launch_bounds__(256) next_token_kernel(NextTokenArgs args) {
    __shared__ std::int64_t token;
    await_predecessor();
    start_dependents();
    if (threadIdx.x == 0) {
        const std::uint64_t best = __ldcg(reinterpret_cast<const unsigned long long*>(args.best));
        const std::int64_t position = __ldcg(reinterpret_cast<const long long*>(args.position)) + 1;
        token = 0xffffffffu - static_cast<std::uint32_t>(best);
        args.tokens[position] = static_cast<std::int32_t>(token);
        *args.position = position;
        *args.best = 0;
    }
    __syncthreads();
    const T* from = static_cast<const T*>(args.embedding) + token * args.columns;
    for (std::int64_t i = threadIdx.x; i < args.columns; i += 256) {
        const float x = to_float(from[i]) * args.scale;
        if (args.x_element == Element::F32)
            static_cast<float*>(args.x)[i] = x;
        else
            static_cast<T*>(args.x)[i] = from_float<T>(x);
    }
}

}  // namespace

void product(const ProductArgs& args, cudaStream_t stream) {
    const std::int64_t size = args.element == Element::F32 ? 4 : 2;
    require(args.columns > 0 && args.columns * size % 16 == 0 && args.columns * size <= 65536,
            "product: rows of " + std::to_string(args.columns) + " elements of " +
                std::to_string(size) + " bytes: whole 16 bytes, and at most 64 KB");
    require((args.x_element == args.element || args.x_element == Element::F32) &&
                (args.y_element == args.element || args.y_element == Element::F32),
            "product: x and y are fp32 or of the weights' element type");
    require(args.finish != Finish::SiluMul || args.bias == nullptr, "product: bias with SiluMul");
    if (args.rows <= 0) return;
    with_element(args.element, [&](auto t) {
        using T = decltype(t);
        if (args.x_element == args.element)
            args.norm == nullptr ? choose<T, T, true>(args, stream)
                                 : choose<T, T, false>(args, stream);
        else
            choose<T, float, false>(args, stream);
    });
}

void next_token(const NextTokenArgs& args, cudaStream_t stream) {
    require(args.x_element == args.element || args.x_element == Element::F32,
            "next_token: x is fp32 or of the embedding's element type");
    with_element(args.element, [&](auto t) {
        launch(next_token_kernel<decltype(t)>, dim3(1), 256, 0, stream, "next_token", args);
    });
}

}  // namespace kernels::cuda
