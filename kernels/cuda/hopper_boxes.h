// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a pool as Hopper's copy engine sees them: one tall matrix, of which it takes boxes of
// 64 dims into shared memory as the matrix unit wants them.
#pragma once
#include <cuda.h>

#include "kernels/cuda/pattern.h"

namespace kernels::cuda {

struct RowBoxes {
    CUtensorMap tall, low;  // boxes of 64 rows and of 8
    std::int32_t row_bytes = 0;
};
// Of args.pool.
RowBoxes row_boxes(const TileArgs&);

}  // namespace kernels::cuda
