// SPDX-License-Identifier: GPL-3.0-or-later
// Chunks of a prompt. A block is one head's strip of 64 dest rows; it walks the visible keys in
// blocks of 64 with a running softmax. Keys of the next block come in during the softmax, values
// during the scores.
#include "kernels/cuda/attention.h"
#include "kernels/cuda/score_tile.cuh"

namespace kernels::cuda {

namespace {

constexpr float infinity = __builtin_huge_valf();

// Output columns of a lane: out[j] holds dims 8j + 2i and + 1 of two rows, as s[j] does of keys.
template <int Dim>
using Output = float[Dim / 8][4];

// The values of a key block, and out += p · v.
template <typename T, int Dim>
class Values {
  public:
    __host__ __device__ static std::int64_t bytes(int dim) {
        return std::int64_t{64} * ScoreTile<T>::stride_of(dim) *
               static_cast<std::int64_t>(sizeof(T));
    }
    __device__ Values(std::byte* shared, int dim)
        : stride_(ScoreTile<T>::stride_of(dim)), v_(reinterpret_cast<T*>(shared)) {}
    __device__ void fetch(const Rows<T>& rows, std::int32_t first, std::int32_t limit) {
        if (first < limit) copy_rows(v_, stride_, rows, first, limit, stride_ - 8);
        commit_copies();
    }
    // One copy group (the next keys) may still be under way.
    __device__ void add(Output<Dim>& out, const Cells& p, ScoreTile<T>&) {
        await_copies<1>();
        __syncthreads();
        const int lane = static_cast<int>(threadIdx.x % 32), columns = stride_ - 8;
        const T* v = v_ + lane % 16 * stride_ + lane / 16 * 8;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t a[4] = {pack<T>(p[2 * k][0], p[2 * k][1]),
                                        pack<T>(p[2 * k][2], p[2 * k][3]),
                                        pack<T>(p[2 * k + 1][0], p[2 * k + 1][1]),
                                        pack<T>(p[2 * k + 1][2], p[2 * k + 1][3])};
#pragma unroll
            for (int j = 0; j < Dim / 16; ++j)
                if (j * 16 < columns) {
                    std::uint32_t b[4];
                    load_matrices_turned(b, v + k * 16 * stride_ + j * 16);
                    multiply<T>(out[2 * j], a, b[0], b[1]);
                    multiply<T>(out[2 * j + 1], a, b[2], b[3]);
                }
        }
        __syncthreads();
    }

  private:
    int stride_;
    T* v_;
};

template <int Dim>
class Values<float, Dim> {
  public:
    __host__ __device__ static std::int64_t bytes(int) { return 64 * slice_stride * 4; }
    __device__ Values(std::byte* shared, int dim)
        : dim_(dim), p_(reinterpret_cast<float*>(shared)) {}
    __device__ void fetch(const Rows<float>& rows, std::int32_t first, std::int32_t limit) {
        rows_ = rows, first_ = first, limit_ = limit;
    }
    __device__ void add(Output<Dim>& out, const Cells& p, ScoreTile<float>& tile) {
        float* mine = p_ + lane_row() * slice_stride;
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                mine[8 * j + lane_key() + e] = p[j][e];
                mine[8 * slice_stride + 8 * j + lane_key() + e] = p[j][2 + e];
            }
        float* v = tile.buffer();
#pragma unroll
        for (int d = 0; d < Dim; d += slice)
            if (d < dim_) {
                load_slice(v, rows_, first_, limit_, d);
                __syncthreads();
#pragma unroll 2
                for (int k = 0; k < 64; ++k) {
                    const float a = mine[k], b = mine[8 * slice_stride + k];
#pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        const float2 x = *reinterpret_cast<const float2*>(v + k * slice_stride +
                                                                          8 * j + lane_key());
                        float(&to)[4] = out[d / 8 + j];
                        to[0] = fmaf(a, x.x, to[0]), to[1] = fmaf(a, x.y, to[1]);
                        to[2] = fmaf(b, x.x, to[2]), to[3] = fmaf(b, x.y, to[3]);
                    }
                }
                __syncthreads();
            }
    }

  private:
    int dim_;
    float* p_;
    Rows<float> rows_;
    std::int32_t first_ = 0, limit_ = 0;
};

template <typename T>
__device__ void store_pair(T* to, float low, float high) {
    if constexpr (sizeof(T) == 4)
        *reinterpret_cast<float2*>(to) = {low, high};
    else
        *reinterpret_cast<std::uint32_t*>(to) = pack<T>(low, high);
}

// Row `half` (0 or 1) of a lane: sinks join, z and lse are written.
template <typename T, int Dim>
__device__ void finish_row(const AttendArgs& args, std::int32_t head, std::int32_t dest, float m,
                           float l, const Output<Dim>& out, int half) {
    const TraceView& trace = args.trace;
    float base = m, total = l, keep = 1;
    if (args.rule.sinks != nullptr && args.rule.sinks[head] > -infinity) {
        const float sink = args.rule.sinks[head];
        base = fmaxf(sink, m);
        keep = power_of_e(m - base);
        total = l * keep + power_of_e(sink - base);
    }
    const float factor = total == 0 ? 0 : keep / total;
    if (lane_key() == 0) *lse_at(trace, head, dest) = total == 0 ? -infinity : base + logf(total);
    T* z = Rows<T>(trace, trace.z_offset, head).at(dest);
    T* dense = static_cast<T*>(args.z_out) +
               ((dest - args.begin) * trace.query_heads + head) * trace.head_dim;
#pragma unroll
    for (int j = 0; j < Dim / 8; ++j) {
        const int d = 8 * j + lane_key();
        if (d >= trace.head_dim) continue;
        const float low = out[j][2 * half] * factor, high = out[j][2 * half + 1] * factor;
        store_pair(z + d, low, high);
        store_pair(dense + d, low, high);
    }
}

template <typename T, int Dim, bool Forbids>
__global__ void __launch_bounds__(tile_threads) attend_kernel(AttendArgs args) {
    extern __shared__ __align__(16) std::byte shared[];
    const TraceView& trace = args.trace;
    const ScoreRule& rule = args.rule;
    const auto head = static_cast<std::int32_t>(blockIdx.x);
    const std::int32_t kv_head = head / (trace.query_heads / trace.kv_heads);
    // The last strips see most keys: they go first.
    const auto begin = static_cast<std::int32_t>(args.begin) +
                       static_cast<std::int32_t>(gridDim.y - 1 - blockIdx.y) * strip_rows;
    const auto end = static_cast<std::int32_t>(args.end);
    const std::int32_t limit = min(end, begin + strip_rows);  // of rows, and of keys seen
    const Rows<T> key_rows(trace, trace.k_offset, kv_head);
    const Rows<T> value_rows(trace, trace.v_offset, kv_head);
    ScoreTile<T> tile(shared, trace.head_dim);
    Values<T, Dim> values(shared + ScoreTile<T>::bytes(trace.head_dim), trace.head_dim);

    const std::int32_t window = rule.window;
    const std::int32_t first_key =
        window > 0 ? max(0, begin - window + 1) / block_keys * block_keys : 0;
    tile.queries(Rows<T>(trace, trace.q_offset, head), begin, limit);
    tile.keys(key_rows, first_key, limit);
    values.fetch(value_rows, first_key, limit);
    Output<Dim> out;
#pragma unroll
    for (int j = 0; j < Dim / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) out[j][e] = 0;
    float m[2] = {-infinity, -infinity}, l[2] = {0, 0};
    const std::int32_t dest = begin + lane_row();
    for (std::int32_t key = first_key; key < limit; key += block_keys) {
        Cells s;
        tile.template scores<1>(s);  // the values may still be coming
        tile.keys(key_rows, key + block_keys, limit);
        const bool masked =
            key + block_keys - 1 > begin || (window > 0 && key <= limit - 1 - window);
        scores_of(s, rule);
        if (masked) hide(s, dest, key, window, -infinity);
        if constexpr (Forbids) forbid(s, rule.forbidden, head, dest, key, -infinity);
        float highest[2] = {-infinity, -infinity};
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) highest[e / 2] = fmaxf(highest[e / 2], s[j][e]);
        float base[2], keep[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float next = fmaxf(m[half], quad_max(highest[half]));
            base[half] = next == -infinity ? 0 : next;
            keep[half] = power_of_e(m[half] - base[half]);
            m[half] = next;
            l[half] *= keep[half];
        }
#pragma unroll
        for (int j = 0; j < 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                s[j][e] = power_of_e(s[j][e] - base[e / 2]);
                l[e / 2] += s[j][e];
            }
#pragma unroll
        for (int j = 0; j < Dim / 8; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) out[j][e] *= keep[e / 2];
        values.add(out, s, tile);
        values.fetch(value_rows, key + block_keys, limit);
    }
    await_copies<0>();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        l[half] = quad_sum(l[half]);
        if (dest + 8 * half < limit)
            finish_row<T, Dim>(args, head, dest + 8 * half, m[half], l[half], out, half);
    }
}

template <typename T, int Dim, bool Forbids>
void start_kernel(const AttendArgs& args, cudaStream_t stream) {
    const int dim = args.trace.head_dim;
    const std::int64_t bytes = ScoreTile<T>::bytes(dim) + Values<T, Dim>::bytes(dim);
    allow_shared(attend_kernel<T, Dim, Forbids>, bytes, "attend");
    const std::int64_t strips = (args.end - args.begin + strip_rows - 1) / strip_rows;
    attend_kernel<T, Dim, Forbids>
        <<<dim3(static_cast<unsigned>(args.trace.query_heads), static_cast<unsigned>(strips)),
           tile_threads, static_cast<std::size_t>(bytes), stream>>>(args);
    check_launch("attend");
}

template <typename T, int Dim>
void start(const AttendArgs& args, cudaStream_t stream) {
    if (args.rule.forbidden.count > 0) return start_kernel<T, Dim, true>(args, stream);
    start_kernel<T, Dim, false>(args, stream);
}

}  // namespace

void attend(const AttendArgs& args, cudaStream_t stream) {
    check_trace(args.trace);
    if (args.begin >= args.end) return;
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
