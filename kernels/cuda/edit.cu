// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/edit.h"

#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

namespace {

// A block a row.
template <typename T>
__global__ void edit_kernel(EditArgs args) {
    const TraceView& trace = args.trace;
    const std::int64_t dest = args.begin + blockIdx.x;
    T* kept = Rows<T>(trace, trace.z_offset, args.head).at(static_cast<std::int32_t>(dest));
    T* dense = static_cast<T*>(args.z) +
               ((dest - args.first_row) * trace.query_heads + args.head) * trace.head_dim;
    for (int d = static_cast<int>(threadIdx.x); d < trace.head_dim; d += blockDim.x) {
        const float scaled = args.scale == 0 ? 0.0f : args.scale * to_float(dense[d]);
        kept[d] = dense[d] =
            from_float<T>(scaled + (args.values == nullptr ? 0.0f : args.values[d]));
    }
}

}  // namespace

void edit_rows(const EditArgs& args, cudaStream_t stream) {
    check_trace(args.trace);
    if (args.end <= args.begin) return;
    with_element(args.trace.element, [&](auto t) {
        edit_kernel<decltype(t)>
            <<<static_cast<unsigned>(args.end - args.begin), 128, 0, stream>>>(args);
        check_launch("edits of z");
    });
}

}  // namespace kernels::cuda
