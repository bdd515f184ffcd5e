// SPDX-License-Identifier: GPL-3.0-or-later
// A loaded model on a device: its facts and its weights by role, every pointer a device pointer.
// Immutable; shared by the engine thread and readers.
#pragma once
#include <memory>
#include <string>
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

// A dense MLP, or one expert of a mixture.
struct DeviceMlp {
    DeviceMatrix gate_up;  // rows [gate | up]; up alone without a gate
    DeviceMatrix down;
    const float *gate_up_bias = nullptr, *down_bias = nullptr;
};

struct RotaryTable {
    const float *cosines = nullptr, *sines = nullptr;  // [context, rotary_dim / 2]; null: no RoPE
};

// What a model does not have is null, or without rows.
struct DeviceLayer {
    const float *attention_norm = nullptr, *mlp_norm = nullptr;            // [d_model]
    const float *attention_norm_bias = nullptr, *mlp_norm_bias = nullptr;  // of a LayerNorm
    const float *attention_post_norm = nullptr, *mlp_post_norm = nullptr;  // [d_model]
    const float *q_norm = nullptr, *k_norm = nullptr;                      // [head_dim]
    const float *q_whole_norm = nullptr, *k_whole_norm = nullptr;          // [Hq · D], [Hkv · D]
    const float* sinks = nullptr;                                          // [Hq]
    DeviceMatrix qkv;                                                      // rows [q | k | v]
    const float* qkv_bias = nullptr;                                       // [q | k | v]
    DeviceMatrix o;                                                        // [d_model, Hq · D]
    const float* o_bias = nullptr;                                         // [d_model]
    DeviceMlp mlp;
    DeviceMatrix router;  // [experts, d_model], of a mixture: it has no mlp
    const float* router_bias = nullptr;
    std::vector<DeviceMlp> experts;
    kernels::ScoreRule rule;
    RotaryTable rotary, long_rotary;  // the latter of runs past ModelConfig::long_rope_from
    std::int32_t rotary_dim = 0;
};

struct DeviceModel {
    ModelConfig config;
    int device = 0;
    kernels::Element element = kernels::Element::BF16;  // of weights and trace
    // Why the chain of fused kernels does not compute it, but libtorch's operations one by one
    // (blocks.h); empty: it does.
    std::string by_blocks;
    DeviceMatrix embedding;    // [vocab, d_model]
    DeviceMatrix positions;    // [positions, d_model], where they are learned
    DeviceMatrix unembedding;  // the embedding's own bytes when the head is tied
    const float *final_norm = nullptr, *final_norm_bias = nullptr;  // [d_model]
    std::vector<DeviceLayer> layers;
    std::int64_t weight_bytes = 0;
    std::vector<DeviceBuffer> memory;  // what the pointers point into
};

}  // namespace engine::cuda
