// SPDX-License-Identifier: GPL-3.0-or-later
// A thread takes 16 bytes of a row of a head; the parts' few numbers a row come from the cache.
#include "kernels/cuda/merge.h"

#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

constexpr int block = 256;
constexpr float infinity = __builtin_huge_valf();

template <typename T>
__device__ inline void add_scaled(float* sums, const uint4& piece, float factor) {
    const std::uint32_t words[4] = {piece.x, piece.y, piece.z, piece.w};
    if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[i] = fmaf(factor, __uint_as_float(words[i]), sums[i]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 two = unpack<T>(words[i]);
            sums[2 * i] = fmaf(factor, two.x, sums[2 * i]);
            sums[2 * i + 1] = fmaf(factor, two.y, sums[2 * i + 1]);
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(block) merge_kernel(MergeArgs args) {
    constexpr int wide = 16 / sizeof(T);
    const TraceView& trace = args.trace;
    const std::int64_t pieces = trace.head_dim / wide;
    const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
    if (item >= args.rows * trace.query_heads * pieces) return;
    const std::int64_t row = item / (trace.query_heads * pieces);
    const auto head = static_cast<std::int32_t>(item / pieces % trace.query_heads);
    const std::int64_t at = head * args.lse_rows + row;
    uint4 z;
    float lse = args.parts[0].lse[at];
    if (args.count == 1) {
        z = static_cast<const uint4*>(args.parts[0].z)[item];
    } else {
        for (int part = 1; part < args.count; ++part) lse = fmaxf(lse, args.parts[part].lse[at]);
        const float base = lse == -infinity ? 0 : lse;
        float total = 0, sums[wide] = {};
        for (int part = 0; part < args.count; ++part) {
            const float keep = expf(args.parts[part].lse[at] - base);
            total += keep;
            if (keep > 0)
                add_scaled<T>(sums, static_cast<const uint4*>(args.parts[part].z)[item], keep);
        }
        const float factor = total > 0 ? 1 / total : 0;
        lse = total > 0 ? base + logf(total) : -infinity;
        T out[wide];
#pragma unroll
        for (int i = 0; i < wide; ++i) out[i] = from_float<T>(sums[i] * factor);
        z = *reinterpret_cast<const uint4*>(out);
    }
    const auto position = static_cast<std::int32_t>(args.begin + row);
    if (item % pieces == 0) *lse_at(trace, head, position) = lse;
    reinterpret_cast<uint4*>(Rows<T>(trace, trace.z_offset, head).at(position))[item % pieces] = z;
    if (args.z_out != nullptr) static_cast<uint4*>(args.z_out)[item] = z;
}

}  // namespace

void merge_attention(const MergeArgs& args, cudaStream_t stream) {
    check_trace(args.trace);
    require(args.count >= 1 && args.count <= MergeArgs::most_parts,
            "merge_attention: " + std::to_string(args.count) + " parts");
    require(args.lse_rows >= args.rows, "merge_attention: " + std::to_string(args.lse_rows) +
                                            " numbers a head for " + std::to_string(args.rows) +
                                            " rows");
    if (args.rows <= 0) return;
    with_element(args.trace.element, [&](auto t) {
        using T = decltype(t);
        const std::int64_t items =
            args.rows * args.trace.query_heads * args.trace.head_dim * std::int64_t{sizeof(T)} / 16;
        merge_kernel<T>
            <<<static_cast<unsigned>((items + block - 1) / block), block, 0, stream>>>(args);
    });
    check_launch("merge_attention");
}

}  // namespace kernels::cuda
