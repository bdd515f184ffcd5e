// SPDX-License-Identifier: GPL-3.0-or-later
// A chunk's attention through libtorch's cuDNN and flash kernels, which tensor cores do several
// times faster than the general paged kernel: 16-bit elements and the plain causal rule only. What
// they give is merged by lse and written to the pages.
#pragma once
#include "engine/cuda/device_model.h"
#include "engine/values/ids.h"

namespace engine::cuda {

// cuDNN plans each shape anew (a tenth of a second), so it is given few: chunks of these lengths.
constexpr std::int64_t planned_rows[] = {8192, 4096, 2048};
constexpr std::int64_t planned_step = 2048;

// How many rows of a prompt suit the next chunk.
std::int64_t chunk_rows(std::int64_t done, std::int64_t total, std::int64_t most);

bool has_fast_attention(const kernels::TraceView&, const kernels::ScoreRule&, Rows);

// Rows [begin, end), whose q, k and v are in the pages with all earlier keys; z_out [rows, Hq · D]
// of the trace's element. Enqueues on the stream and returns.
void fast_attention(const kernels::TraceView&, const kernels::ScoreRule&, Rows, void* z_out,
                    cudaStream_t);

}  // namespace engine::cuda
