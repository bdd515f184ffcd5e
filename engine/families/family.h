// SPDX-License-Identifier: GPL-3.0-or-later
// A family is data: how its config becomes independent facts (ModelConfig) and its tensor names
// become roles. No code path of the decoder knows a family by name.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/checkpoint.h"
#include "engine/model/model_config.h"

namespace engine::families {

// How q and k rows lie in the file. GGUF's llama converter permutes each head's rows for
// interleaved rotation.
enum class RotaryRows : std::uint8_t { HalfSplit, Interleaved };

struct LayerWeights {  // names in the checkpoint; empty: the model has none
    std::string attention_norm, q, k, v, o, q_bias, k_bias, v_bias, o_bias, q_norm, k_norm;
    std::string mlp_norm, gate, up, down;
};

struct ModelPlan {
    ModelConfig config;
    RotaryRows q_rows = RotaryRows::HalfSplit, k_rows = RotaryRows::HalfSplit;
    std::string embedding, final_norm,
        unembedding;  // unembedding == embedding when the head is tied
    std::vector<LayerWeights> layers;
    std::vector<std::string> unused;  // tensors that the file holds beside
};

// Reads the architecture, refuses by name what is not implemented (an architecture, an activation,
// a RoPE scaling, a config term that changes the computation), and checks every weight's shape
// against the config: both numbers are in the message. Throws Error(Unsupported | BadFile).
ModelPlan plan_model(const formats::Checkpoint&);

// The architecture's name as the file states it ("qwen3", "Qwen3ForCausalLM"), for messages; empty
// if it states none.
std::string stated_architecture(const formats::Checkpoint&);

}  // namespace engine::families
