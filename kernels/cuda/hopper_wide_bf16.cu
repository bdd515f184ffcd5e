// SPDX-License-Identifier: GPL-3.0-or-later
// One type's kernels: they take long to compile.
#include "kernels/cuda/hopper_strips.cuh"

namespace kernels::cuda {

template bool has_strips<bf16, 128>();
template void pool_strips<bf16, 64>(const TileArgs&, const TilePlan&, const RowBoxes&, std::int64_t,
                                    std::int64_t, cudaStream_t);
template void pool_strips<bf16, 128>(const TileArgs&, const TilePlan&, const RowBoxes&,
                                     std::int64_t, std::int64_t, cudaStream_t);

}  // namespace kernels::cuda
