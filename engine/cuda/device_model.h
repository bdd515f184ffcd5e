// SPDX-License-Identifier: GPL-3.0-or-later
// A loaded model on a device: its facts and its weights by role, every pointer a device pointer.
// Immutable; shared by the engine thread and readers.
#pragma once
#include <memory>
#include <vector>

#include "engine/cuda/device_memory.h"
#include "engine/model/model_config.h"
#include "kernels/views.h"

namespace engine::cuda {

struct DeviceMatrix {
    const std::byte* data = nullptr;     // [rows, columns] row-major, at a multiple of 256 bytes
    std::int64_t rows = 0, columns = 0;  // [out, in]
    kernels::Element element = kernels::Element::BF16;
    std::int64_t bytes() const {
        return rows * columns * (element == kernels::Element::F32 ? 4 : 2);
    }
};

struct DeviceLayer {
    const float *attention_norm = nullptr, *mlp_norm = nullptr;  // [d_model]
    const float *q_norm = nullptr, *k_norm = nullptr;            // [head_dim], null: no QK-norm
    DeviceMatrix qkv;                                            // rows [q | k | v]
    const float* qkv_bias = nullptr;                             // [q | k | v], or null
    DeviceMatrix o;                                              // [d_model, Hq · D]
    const float* o_bias = nullptr;                               // [d_model], or null
    DeviceMatrix gate_up;                                        // rows [gate | up]
    DeviceMatrix down;
    kernels::ScoreRule rule;
    const float *cosines = nullptr, *sines = nullptr;  // [context, rotary_dim / 2]; null: no RoPE
    std::int32_t rotary_dim = 0;
};

struct DeviceModel {
    ModelConfig config;
    int device = 0;
    kernels::Element element = kernels::Element::BF16;  // of weights and trace
    DeviceMatrix embedding;                             // [vocab, d_model]
    DeviceMatrix unembedding;           // the embedding's own bytes when the head is tied
    const float* final_norm = nullptr;  // [d_model]
    std::vector<DeviceLayer> layers;
    std::int64_t weight_bytes = 0;
    std::vector<DeviceBuffer> memory;  // what the pointers point into
};

}  // namespace engine::cuda
