// SPDX-License-Identifier: GPL-3.0-or-later
// What sets one family apart from the next, as values. A new family is a new row; no reader or
// checker names one.
#pragma once
#include <cstdint>
#include <span>

#include "engine/families/family.h"
#include "engine/families/weight_names.h"

namespace engine::families {

// Which layers a window belongs to when the config lists no layer_types.
enum class Windows : std::uint8_t {
    None,        // the family has none: a config that sets one is refused
    LastLayers,  // those from max_window_layers on, if use_sliding_window
    All,         // every layer, if sliding_window is a number
    AllIfAsked,  // every layer, if use_sliding_window
    Periodic,    // all but each window_period-th
    NoRope,      // the layers without RoPE, if use_sliding_window
};

enum class QkNorm : std::uint8_t { None, PerHead, WholeProjection };

// What config.json calls a size; nullptr: the family has no such key.
struct ConfigKeys {
    const char* layers = "num_hidden_layers";
    const char* query_heads = "num_attention_heads";
    const char* kv_heads = "num_key_value_heads";
    const char* head_dim = "head_dim";
    const char* d_model = "hidden_size";
    const char* d_ff = "intermediate_size";
    const char* context = "max_position_embeddings";
    const char* norm_eps = "rms_norm_eps";
    const char* activation = "hidden_act";
    const char* theta = "rope_theta";
    const char* rotary_part = "partial_rotary_factor";
    const char* attention_bias = "attention_bias";  // a flag for q, k, v and o
    const char* mlp_bias = nullptr;                 // a flag for the MLP's matrices
    const char* parallel_residual = nullptr;
    const char* query_scalar = nullptr;    // scores are divided by its root, not by head_dim's
    const char* soft_cap = nullptr;        // of the scores
    const char* final_soft_cap = nullptr;  // of the logits
    const char* no_rope_layers = nullptr;  // a list, 1 where the layer *has* RoPE
    const char* no_rope_period = nullptr;  // without the list: each n-th layer has none
    const char* experts = nullptr;         // how many; a layer without them is dense
    const char* experts_used = nullptr;
    const char* expert_d_ff = nullptr;         // else d_ff is an expert's
    const char* experts_normalised = nullptr;  // a flag
    const char* dense_layers = nullptr;        // a list of layers without experts
    const char* expert_period = nullptr;       // experts in each n-th layer
    const char* window_period = nullptr;       // without layer_types
};

struct Architecture {
    const char* name;         // config.json's model_type, "" if only GGUF files are of it
    const char* gguf_name;    // general.architecture, "" if GGUF writes it as another's
    const char* model_class;  // what transformers calls the language model
    ConfigKeys keys = {};
    // The class's own defaults, where a key is left out.
    int default_head_dim = 0;     // 0: d_model / query heads
    int default_kv_heads = 0;     // 0, and null in the file: as many as query heads
    int default_d_ff_factor = 0;  // d_ff is this many d_model; 0: the key is required
    std::int64_t default_context = 2048;
    double default_norm_eps = 1e-6;
    bool default_tied = false;
    Activation default_activation = Activation::Silu;
    // Scores
    Windows windows = Windows::None;
    int default_window = 0;        // sliding_window's own default, 0: null
    int default_window_layer = 0;  // max_window_layers' own default
    int window_period = 0;
    QkNorm qk_norm = QkNorm::None;
    double default_query_scalar = 0, default_soft_cap = 0, default_final_soft_cap = 0;
    bool scale_flags = false;  // scale_attn_weights, scale_attn_by_inverse_layer_idx
    // Positions
    bool learned_positions = false;  // a table added to the embedding; no RoPE
    double default_theta = 10000;
    double local_theta = 0;  // of windowed layers, which no scaling touches; 0: as all layers
    double default_rotary_part = 0;  // of head_dim; 0: the whole, and a config that says less is
                                     // refused
    int no_rope_period = 0;
    // Biases, norms, residual, MLP
    bool qkv_bias = false, o_bias = false, mlp_bias = false;  // without a flag in the config
    NormKind norm = NormKind::Rms;
    double config_norm_offset = 0;  // in config.json's format w stands for this + w; GGUF adds it
    bool pre_norm = true, post_norm = false;
    bool parallel_residual = false;
    bool gated_mlp = true;
    int default_experts = 0, default_experts_used = 0, default_expert_d_ff = 0;
    bool experts_normalised = false, gguf_experts_normalised = true;  // without a flag
    double swiglu_limit = 0, swiglu_alpha = 0;                        // of ClampedSwiglu
    bool sinks = false;
    bool scaled_embedding = false;  // by √d_model
    // How the formats write it
    const WeightNames* config_names = &llama_names;
    const WeightNames* gguf_names = &families::gguf_names;
    RotaryRows gguf_rows = RotaryRows::HalfSplit;     // of q and k, as GGUF's converter leaves them
    FusedRows config_fused = FusedRows::QThenKThenV;  // GGUF's converter deals them out
    bool config_transposed = false;
    bool config_interleaved_experts = false;
    bool yarn_truncate = true;       // what GGUF does not say
    int gguf_wide_scale_layers = 0;  // GGUF says no query scalar: a model of so many layers has
                                     // d_model / query heads, others head_dim
    std::span<const char* const> reads = {};  // terms of config.json that other families lack
    std::span<const char* const> gguf_reads = {};
};

extern const Architecture llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, smollm3, gemma2, gemma3,
    olmo2, phi3, gpt_neox, gpt2, gpt_oss;

std::span<const Architecture* const> architectures();

}  // namespace engine::families
