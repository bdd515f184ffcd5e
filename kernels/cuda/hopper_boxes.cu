// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/hopper_boxes.h"

#include <string>

#include "kernels/cuda_check.h"

namespace kernels::cuda {

namespace {

// The driver's function, asked of the runtime: nothing links libcuda.
decltype(&cuTensorMapEncodeTiled) encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &result),
          "cuTensorMapEncodeTiled");
    require(result == cudaDriverEntryPointSuccess, "the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

CUtensorMap map_of(const TileArgs& args, std::int32_t row_bytes, unsigned rows) {
    static const auto encode = encoder();
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(args.head_dim),
                                static_cast<cuuint64_t>(args.pool_bytes / row_bytes)};
    const cuuint64_t strides[] = {static_cast<cuuint64_t>(row_bytes)};
    const cuuint32_t box[] = {64, rows}, steps[] = {1, 1};
    CUtensorMap map{};
    const CUresult made =
        encode(&map,
               args.element == Element::F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                            : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
               2, args.pool, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    require(made == CUDA_SUCCESS, "tile: a map of the pool, error " + std::to_string(made));
    return map;
}

}  // namespace

RowBoxes row_boxes(const TileArgs& args) {
    const std::int32_t row_bytes = args.head_dim * 2;
    return {map_of(args, row_bytes, 64), map_of(args, row_bytes, 8), row_bytes};
}

}  // namespace kernels::cuda
