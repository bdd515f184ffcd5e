// SPDX-License-Identifier: GPL-3.0-or-later
// gpt-oss: a sink logit a head, a window on every other layer, biases, yarn without truncation, and
// experts with an activation of their own whose gate and up lie in turn.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* gpt_oss_terms[] = {"num_local_experts", "num_experts_per_tok", "num_experts"};
constexpr const char* gguf_gpt_oss_terms[] = {"attention.sliding_window", "expert_count",
                                              "expert_used_count"};

}  // namespace

const Architecture gpt_oss{
    .name = "gpt_oss",
    .gguf_name = "gpt-oss",
    .model_class = "GptOssForCausalLM",
    .keys = {.experts = "num_local_experts", .experts_used = "num_experts_per_tok"},
    .default_head_dim = 64,
    .default_kv_heads = 8,
    .default_context = 131072,
    .default_norm_eps = 1e-5,
    .default_activation = Activation::ClampedSwiglu,
    .windows = Windows::Periodic,
    .default_window = 128,
    .window_period = 2,
    .default_theta = 150000,
    .qkv_bias = true,
    .o_bias = true,
    .default_experts = 128,
    .default_experts_used = 4,
    .experts_normalised = true,
    .swiglu_limit = 7,
    .swiglu_alpha = 1.702,
    .sinks = true,
    .config_names = &gpt_oss_names,
    .gguf_names = &gguf_gpt_oss_names,
    .config_interleaved_experts = true,
    .yarn_truncate = false,
    .reads = gpt_oss_terms,
    .gguf_reads = gguf_gpt_oss_terms,
};

}  // namespace engine::families
