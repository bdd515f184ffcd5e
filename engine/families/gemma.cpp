// SPDX-License-Identifier: GPL-3.0-or-later
// Gemma 2 and 3 (text): norms on both sides of a block, their weights stored less one, scaled
// embeddings, a query scalar of its own, windows on most layers. 2 caps scores and logits; 3 norms
// q and k and gives windowed layers a RoPE base of their own.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* gemma_terms[] = {"query_pre_attn_scalar", "attn_logit_softcapping",
                                       "final_logit_softcapping", "rope_local_base_freq"};
constexpr const char* gguf_gemma_terms[] = {"attn_logit_softcapping", "final_logit_softcapping",
                                            "attention.sliding_window",
                                            "attention.sliding_window_pattern", "attention.scale"};
constexpr ConfigKeys gemma_keys{.activation = "hidden_activation",
                                .query_scalar = "query_pre_attn_scalar",
                                .soft_cap = "attn_logit_softcapping",
                                .final_soft_cap = "final_logit_softcapping",
                                .window_period = "sliding_window_pattern"};

}  // namespace

const Architecture gemma2{
    .name = "gemma2",
    .gguf_name = "gemma2",
    .model_class = "Gemma2ForCausalLM",
    .keys = gemma_keys,
    .default_head_dim = 256,
    .default_kv_heads = 4,
    .default_context = 8192,
    .default_tied = true,
    .default_activation = Activation::GeluTanh,
    .windows = Windows::Periodic,
    .default_window = 4096,
    .window_period = 2,
    .default_query_scalar = 256,
    .default_soft_cap = 50,
    .default_final_soft_cap = 30,
    .config_norm_offset = 1,
    .post_norm = true,
    .scaled_embedding = true,
    .config_names = &gemma_names,
    .gguf_wide_scale_layers = 46,
    .reads = gemma_terms,
    .gguf_reads = gguf_gemma_terms,
};

const Architecture gemma3{
    .name = "gemma3_text",
    .gguf_name = "gemma3",
    .model_class = "Gemma3ForCausalLM",
    .keys = gemma_keys,
    .default_head_dim = 256,
    .default_kv_heads = 4,
    .default_context = 131072,
    .default_tied = true,
    .default_activation = Activation::GeluTanh,
    .windows = Windows::Periodic,
    .default_window = 4096,
    .window_period = 6,
    .qk_norm = QkNorm::PerHead,
    .default_query_scalar = 256,
    .default_theta = 1000000,
    .local_theta = 10000,
    .config_norm_offset = 1,
    .post_norm = true,
    .scaled_embedding = true,
    .config_names = &gemma_names,
    .gguf_wide_scale_layers = 62,
    .reads = gemma_terms,
    .gguf_reads = gguf_gemma_terms,
};

}  // namespace engine::families
