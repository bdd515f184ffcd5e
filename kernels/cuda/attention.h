// SPDX-License-Identifier: GPL-3.0-or-later
// Attention over the paged trace on the device. The numbers of kernels/attention.h; what differs is
// where they lie. Every pointer is a device pointer, the block table's included; calls enqueue on
// the stream and return. head_dim · bytes of an element must be a multiple of 16, head_dim at most
// 256; pages and their sections begin at multiples of 16 bytes.
#pragma once
#include <cuda_runtime_api.h>

#include "kernels/views.h"

namespace kernels::cuda {

// Per-head RMS norm (where the weights are given), RoPE, and the write of q, k and v into their
// pages, in fp32 arithmetic, in one launch.
struct AppendArgs {
    TraceView trace;
    // Positions [begin, begin + rows). begin is read from *device_begin where that is given, so
    // that one captured graph serves every length.
    std::int64_t begin = 0, rows = 0;
    const std::int64_t* device_begin = nullptr;
    // [rows, (Hq + 2·Hkv) · D], columns [q | k | v], biases already added.
    const void* qkv = nullptr;
    Element qkv_element = Element::F32;  // or that of the trace
    const float* q_norm = nullptr;       // [D], or null
    const float* k_norm = nullptr;
    float norm_eps = 0;
    // [context, rotary_dim / 2], row = position (not row of the call); null: no RoPE.
    const float* cosines = nullptr;
    const float* sines = nullptr;
    std::int32_t rotary_dim = 0;  // half-split inside the first rotary_dim dims
    // The same q, k and v once more, [rows, heads, D] of the trace's element, or null.
    void *q_dense = nullptr, *k_dense = nullptr, *v_dense = nullptr;
};
void append(const AppendArgs&, cudaStream_t);

// A chunk of a prompt: dest rows [begin, end) against all keys that each sees.
struct AttendArgs {
    TraceView trace;
    ScoreRule rule;
    std::int64_t begin = 0, end = 0;
    void* z_out = nullptr;  // [end − begin, Hq · D] of the trace's element
};
void attend(const AttendArgs&, cudaStream_t);

// A decode step, an append of the row and then this. On devices with dependent launches it reads
// ahead of the launch before it on the stream: that may have written the row *dest of the trace,
// but neither *dest itself, nor the block table, nor other rows. (So with *device_begin of append.)
// The one row *dest against keys 0 … *dest, each KV head's keys split over blocks whose states are
// merged by the last of them.
struct StepArgs {
    TraceView trace;
    ScoreRule rule;
    const std::int64_t* dest = nullptr;
    void* z_out = nullptr;  // [Hq · D] of the trace's element
    // [Hq, scores_stride] or null: the row's scores, after scale and cap, at each src that is
    // visible; other places are left as they are.
    float* scores = nullptr;
    std::int64_t scores_stride = 0;
    // step_scratch bytes at a multiple of 16, zeroed once; each step leaves it fit for the next one
    // on the same stream.
    void* scratch = nullptr;
    std::int32_t splits = 0;  // step_splits of this trace
    // The row is appended too, by the blocks that need it, which saves a launch: one that
    // step_appends() takes, of the same trace.
    bool appends = false;
    AppendArgs row;
};
// One row of fp32 to a trace of 16-bit elements.
bool step_appends(const AppendArgs&);
std::int32_t step_splits(const TraceView&);  // of the current device
std::int64_t step_scratch(const TraceView&, std::int32_t splits);
void attend_step(const StepArgs&, cudaStream_t);

}  // namespace kernels::cuda
