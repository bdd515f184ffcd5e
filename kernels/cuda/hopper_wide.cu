// SPDX-License-Identifier: GPL-3.0-or-later
// Which requests strips take (hopper_strips.cuh).
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/hopper_boxes.h"
#include "kernels/cuda/tile_plan.h"

namespace kernels::cuda {

template <typename T, int Dim>
bool has_strips();
template <typename T, int Dim>
void pool_strips(const TileArgs&, const TilePlan&, const RowBoxes&, std::int64_t first_item,
                 std::int64_t last_item, cudaStream_t);

bool on_row_grid(const TraceView& trace) {
    const std::int64_t row = trace.head_dim * (trace.element == Element::F32 ? 4 : 2);
    return trace.page_tokens % 64 == 0 && trace.page_stride % row == 0 &&
           trace.k_offset % row == 0 && trace.q_offset % row == 0;
}

bool wide_applies(const TileArgs& args) {
    const bool sum = args.pooling == TilePooling::Sum || args.pooling == TilePooling::Mean;
    return args.plain && !args.capped && !args.signed_max && !(sum && args.raw) &&
           args.element != Element::F32 && (args.head_dim == 64 || args.head_dim == 128) &&
           args.pool != nullptr && args.dest.edges[0] % 8 == 0 && args.src.edges[0] % 8 == 0 &&
           has_strips<bf16, 128>();
}

void wide_tile(const TileArgs& args, const TilePlan& plan, std::int64_t first_item,
               std::int64_t last_item, cudaStream_t stream) {
    const RowBoxes boxes = row_boxes(args);
    const auto with = [&](auto t) {
        using T = decltype(t);
        if (args.head_dim == 128)
            pool_strips<T, 128>(args, plan, boxes, first_item, last_item, stream);
        else
            pool_strips<T, 64>(args, plan, boxes, first_item, last_item, stream);
    };
    args.element == Element::BF16 ? with(bf16{}) : with(__half{});
}

}  // namespace kernels::cuda
