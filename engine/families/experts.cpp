// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtures of experts whose attention is a dense family's: Mixtral, Qwen3.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* gguf_terms[] = {"expert_count", "expert_used_count"};
constexpr const char* mixtral_terms[] = {"num_local_experts", "num_experts_per_tok"};
constexpr const char* qwen3_terms[] = {"num_experts", "num_local_experts", "num_experts_per_tok",
                                       "moe_intermediate_size"};

}  // namespace

const Architecture mixtral{
    .name = "mixtral",
    .gguf_name = "",
    .model_class = "MixtralForCausalLM",
    .keys = {.attention_bias = nullptr,
             .experts = "num_local_experts",
             .experts_used = "num_experts_per_tok"},
    .default_kv_heads = 8,
    .default_context = 131072,
    .default_norm_eps = 1e-5,
    .windows = Windows::All,
    .default_theta = 1000000,
    .default_experts = 8,
    .default_experts_used = 2,
    .experts_normalised = true,
    .config_names = &mixtral_names,
    .reads = mixtral_terms,
};

const Architecture qwen3_moe{
    .name = "qwen3_moe",
    .gguf_name = "qwen3moe",
    .model_class = "Qwen3MoeForCausalLM",
    .keys = {.experts = "num_experts",
             .experts_used = "num_experts_per_tok",
             .expert_d_ff = "moe_intermediate_size",
             .experts_normalised = "norm_topk_prob",
             .dense_layers = "mlp_only_layers",
             .expert_period = "decoder_sparse_step"},
    .default_kv_heads = 4,
    .default_context = 32768,
    .windows = Windows::AllIfAsked,
    .default_window = 4096,
    .qk_norm = QkNorm::PerHead,
    .default_experts = 128,
    .default_experts_used = 8,
    .default_expert_d_ff = 768,
    .config_names = &qwen3_moe_names,
    .reads = qwen3_terms,
    .gguf_reads = gguf_terms,
};

}  // namespace engine::families
