// SPDX-License-Identifier: GPL-3.0-or-later
// What lengths and dots of writes are taken of.
#pragma once
#include "kernels/cuda/trace_rows.cuh"

namespace kernels::cuda {

struct Forms {
    TraceView trace;
    std::int64_t section = 0;
    std::int32_t first_head = 0;  // query head of block y = 0
    std::int32_t group = 1;       // query heads that share a head of the section
    std::int64_t begin = 0, end = 0;
    const float* r = nullptr;  // of first_head
    const float* p = nullptr;
    float* norm = nullptr;
    float* dot = nullptr;
    std::int64_t stride = 1;            // of norm and dot from row to row
    const TraceView* layers = nullptr;  // of block z, where there are several
    // The layer of block z alone.
    __device__ Forms of_layer() const {
        Forms one = *this;
        if (layers == nullptr) return one;
        const std::int64_t heads = trace.query_heads, dim = trace.head_dim, z = blockIdx.z;
        one.trace = layers[z];
        one.section = one.trace.z_offset;
        if (r != nullptr) one.r += z * heads * dim * dim;
        if (p != nullptr) one.p += z * heads * dim;
        if (norm != nullptr) one.norm += z * (end - begin) * stride;
        if (dot != nullptr) one.dot += z * (end - begin) * stride;
        return one;
    }
};

// Long stretches of bf16 rows where the device and the build have Hopper's products: true if it was
// enqueued.
bool hopper_forms(const Forms&, std::int32_t heads, std::int32_t layers, cudaStream_t);

}  // namespace kernels::cuda
