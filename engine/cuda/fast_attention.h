// SPDX-License-Identifier: GPL-3.0-or-later
// A chunk's attention through libtorch's cuDNN and flash kernels, which tensor cores do several
// times faster than the general paged kernel: 16-bit elements and the plain causal rule only. What
// they give is merged by lse and written to the pages.
#pragma once
#include <memory>

#include "engine/cuda/device_model.h"
#include "engine/values/ids.h"

namespace engine::cuda {

// cuDNN plans each shape anew (0.04 s), so it is given few: chunks of these lengths, and shorter
// ones filled up to a multiple of filled_rows. It takes half of flash attention's time at most of
// them.
constexpr std::int64_t planned_rows[] = {8192, 4096, 2048};
constexpr std::int64_t planned_step = 2048, filled_rows = 256;

// How many rows of a prompt suit the next chunk.
std::int64_t chunk_rows(std::int64_t done, std::int64_t total, std::int64_t most);

bool has_fast_attention(const kernels::TraceView&, const kernels::ScoreRule&, Rows);

// The attention of rows [begin, end) of one layer. Everything is enqueued on the stream; the object
// lives until what reads z() is enqueued too.
class FastAttention {
  public:
    // Takes memory for the rows' q, k and v, and fetches earlier keys from their pages.
    FastAttention(const kernels::TraceView&, Rows, cudaStream_t);
    ~FastAttention();
    FastAttention(const FastAttention&) = delete;
    FastAttention& operator=(const FastAttention&) = delete;

    // Where the rows' own q, k and v go densely, as append writes them.
    void *q() const, *k() const, *v() const;
    // Once they are there: z and lse to the pages.
    void attend(const kernels::ScoreRule&);
    const void* z() const;  // [rows, Hq · D] of the trace's element; what fills it up follows

  private:
    struct Tensors;
    std::unique_ptr<Tensors> tensors_;
    kernels::TraceView trace_;
    Rows rows_;
    cudaStream_t stream_;
};

// Has libtorch load and plan what a first prompt would wait for, on this thread.
void warm_up(const ModelConfig&, kernels::Element);

}  // namespace engine::cuda
