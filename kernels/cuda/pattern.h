// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles and the head table on the device: the numbers of kernels/pattern.h. Every pointer is a
// device pointer but TileArgs' own axes; calls enqueue on the stream and return. The trace's bounds
// are those of kernels/cuda/attention.h.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/pattern.h"

namespace kernels::cuda {

// A whole request, one map or a grid of all heads, is one list of tile_work() items, each a strip
// of dest pixels of a head and a range of its src pixels, those of a head together. Any range of it
// is a launch, so a caller cuts it to launches as long as it likes and looks at its stop flag
// between them.
struct TileArgs {
    const TileHead* heads = nullptr;  // [head_count] on the device, minus_trace too
    std::int64_t head_count = 0;
    Element element = Element::F32;            // of every head's trace, as is
    std::int32_t head_dim = 0;                 // this
    TileAxis dest, src;                        // edges on the host, and
    const std::int64_t* dest_edges = nullptr;  // the same on the device
    const std::int64_t* src_edges = nullptr;
    bool raw = false;
    TilePooling pooling = TilePooling::Max;
    bool signed_max = false, span_mean = false;
    // True where no head has weights, a second run or forbidden keys, and every scale is above 0:
    // most requests, and they have a kernel of their own.
    bool plain = false;
    bool forbids = false;  // a run of a head forbids keys: rule.forbidden, on the device
    bool capped = false;   // a head's scores may be capped
    // The pool that every head's pages lie in, where all are on_row_grid(), or null.
    std::byte* pool = nullptr;
    std::int64_t pool_bytes = 0;
    float low = 0, high = 1;
    kernels::TileArgs::Transfer transfer = kernels::TileArgs::Transfer::Linear;
};
std::int64_t tile_work(const TileArgs&);
// Pages of a multiple of 64 tokens with all rows of q and k at multiples of a row's bytes.
bool on_row_grid(const TraceView&);
void tile(const TileArgs&, std::int64_t first_item, std::int64_t last_item, cudaStream_t);

struct MetricsArgs {
    MetricsHead* heads = nullptr;  // [head_count] on the device
    std::int64_t head_count = 0;
    Element element = Element::F32;        // of every head's trace, as is
    std::int32_t head_dim = 0;             // this
    bool forbids = false;                  // as TileArgs'
    std::int64_t begin = 0, end = 0;       // dest rows
    const std::int32_t* tokens = nullptr;  // [end] on the device, as kernels::MetricsArgs'
    void* scratch = nullptr;               // metrics_scratch bytes
};
std::int64_t metrics_scratch(const MetricsArgs&);
void metrics(const MetricsArgs&, cudaStream_t);

}  // namespace kernels::cuda
