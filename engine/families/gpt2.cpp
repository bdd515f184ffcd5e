// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2: learned positions, LayerNorm, biases everywhere, matrices stored [in, out], scores scaled
// by flags.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* gpt2_terms[] = {"scale_attn_by_inverse_layer_idx"};

}  // namespace

const Architecture gpt2{
    .name = "gpt2",
    .gguf_name = "gpt2",
    .model_class = "GPT2LMHeadModel",
    .keys = {.layers = "n_layer",
             .query_heads = "n_head",
             .kv_heads = nullptr,
             .head_dim = nullptr,
             .d_model = "n_embd",
             .d_ff = "n_inner",
             .context = "n_positions",
             .norm_eps = "layer_norm_epsilon",
             .activation = "activation_function",
             .attention_bias = nullptr},
    .default_d_ff_factor = 4,
    .default_context = 1024,
    .default_norm_eps = 1e-5,
    .default_tied = true,
    .default_activation = Activation::GeluTanh,
    .scale_flags = true,
    .learned_positions = true,
    .qkv_bias = true,
    .o_bias = true,
    .mlp_bias = true,
    .norm = NormKind::Layer,
    .gated_mlp = false,
    .config_names = &gpt2_names,
    .config_transposed = true,
    .reads = gpt2_terms,
};

}  // namespace engine::families
