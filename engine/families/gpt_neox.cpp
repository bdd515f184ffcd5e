// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX and Pythia: LayerNorm, biases, RoPE on a part of a head, q, k and v head by head in one
// tensor, attention and MLP side by side unless a flag says one after the other.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* gpt_neox_terms[] = {"rotary_pct", "use_parallel_residual"};
constexpr const char* gguf_gpt_neox_terms[] = {"use_parallel_residual"};

}  // namespace

const Architecture gpt_neox{
    .name = "gpt_neox",
    .gguf_name = "gptneox",
    .model_class = "GPTNeoXForCausalLM",
    .keys = {.kv_heads = nullptr,
             .head_dim = nullptr,
             .norm_eps = "layer_norm_eps",
             .theta = "rotary_emb_base",
             .rotary_part = "rotary_pct",
             .parallel_residual = "use_parallel_residual"},
    .default_norm_eps = 1e-5,
    .default_activation = Activation::Gelu,
    .default_rotary_part = 0.25,
    .qkv_bias = true,
    .o_bias = true,
    .mlp_bias = true,
    .norm = NormKind::Layer,
    .parallel_residual = true,
    .gated_mlp = false,
    .config_names = &gpt_neox_names,
    .config_fused = FusedRows::HeadByHead,
    .reads = gpt_neox_terms,
    .gguf_reads = gguf_gpt_neox_terms,
};

}  // namespace engine::families
