// SPDX-License-Identifier: GPL-3.0-or-later
// A family is data: how its config becomes independent facts (ModelConfig) and its tensor names
// become roles. No code path of the decoder knows a family by name.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/checkpoint.h"
#include "engine/model/model_config.h"

namespace engine::families {

// How q and k rows lie in the file. GGUF's llama converter permutes each head's rows for
// interleaved rotation.
enum class RotaryRows : std::uint8_t { HalfSplit, Interleaved };

// How the rows of one tensor that holds q, k and v lie: all of q, then k, then v, or head after
// head, each with its own q, k and v.
enum class FusedRows : std::uint8_t { QThenKThenV, HeadByHead };

struct LayerWeights {  // names in the checkpoint; empty: the model has none
    std::string attention_norm, attention_norm_bias, attention_post_norm;
    std::string q, k, v, o, q_bias, k_bias, v_bias, o_bias, q_norm, k_norm;
    std::string qkv, qkv_bias;  // one tensor instead of q, k and v
    std::string sinks;          // [Hq] logits
    std::string mlp_norm, mlp_norm_bias, mlp_post_norm;
    std::string gate, up, down, gate_bias, up_bias, down_bias;
    std::string gate_up;  // one tensor instead of gate and up, gate's rows first
    // A mixture: a name with a * is one expert's, its number in place of the star; one without
    // holds all experts, outermost.
    std::string router, router_bias, expert_gate, expert_up, expert_down, expert_gate_up;
    std::string expert_gate_bias, expert_up_bias, expert_down_bias, expert_gate_up_bias;
    // The tensor that holds q's rows.
    const std::string& query() const { return q.empty() ? qkv : q; }
};
// Every field, for whoever treats all names alike.
inline constexpr std::array layer_weight_fields{&LayerWeights::attention_norm,
                                                &LayerWeights::attention_norm_bias,
                                                &LayerWeights::attention_post_norm,
                                                &LayerWeights::q,
                                                &LayerWeights::k,
                                                &LayerWeights::v,
                                                &LayerWeights::o,
                                                &LayerWeights::q_bias,
                                                &LayerWeights::k_bias,
                                                &LayerWeights::v_bias,
                                                &LayerWeights::o_bias,
                                                &LayerWeights::q_norm,
                                                &LayerWeights::k_norm,
                                                &LayerWeights::qkv,
                                                &LayerWeights::qkv_bias,
                                                &LayerWeights::sinks,
                                                &LayerWeights::mlp_norm,
                                                &LayerWeights::mlp_norm_bias,
                                                &LayerWeights::mlp_post_norm,
                                                &LayerWeights::gate,
                                                &LayerWeights::up,
                                                &LayerWeights::down,
                                                &LayerWeights::gate_bias,
                                                &LayerWeights::up_bias,
                                                &LayerWeights::down_bias,
                                                &LayerWeights::gate_up,
                                                &LayerWeights::router,
                                                &LayerWeights::router_bias,
                                                &LayerWeights::expert_gate,
                                                &LayerWeights::expert_up,
                                                &LayerWeights::expert_down,
                                                &LayerWeights::expert_gate_up,
                                                &LayerWeights::expert_gate_bias,
                                                &LayerWeights::expert_up_bias,
                                                &LayerWeights::expert_down_bias,
                                                &LayerWeights::expert_gate_up_bias};

struct ModelPlan {
    ModelConfig config;
    RotaryRows q_rows = RotaryRows::HalfSplit, k_rows = RotaryRows::HalfSplit;
    FusedRows fused_rows = FusedRows::QThenKThenV;
    bool transposed = false;  // matrices of the layers lie [in, out]
    double norm_offset = 0;   // a stored RMS weight w stands for offset + w
    std::string embedding, final_norm, final_norm_bias,
        unembedding;                 // unembedding == embedding when the head is tied
    std::string position_embedding;  // [context, d_model], added to the token's; empty: none
    std::vector<LayerWeights> layers;
    // An expert's gate and up in turn; matrices [in, out], but [out, in] where they are of blocks.
    bool interleaved_experts = false;
    std::vector<std::string> used;    // every tensor that has a role
    std::vector<std::string> unused;  // tensors that the file holds beside
};

// Reads the architecture, refuses by name what is not implemented (an architecture, an activation,
// a RoPE scaling, a config term that changes the computation), and checks every weight's shape
// against the config: both numbers are in the message. Throws Error(Unsupported | BadFile).
ModelPlan plan_model(const formats::Checkpoint&);

// One expert's tensor of such a name; the name itself where all experts share it.
std::string expert_name(const std::string& name, int expert);

// The architecture's name as the file states it ("qwen3", "Qwen3ForCausalLM"), for messages; empty
// if it states none.
std::string stated_architecture(const formats::Checkpoint&);

}  // namespace engine::families
