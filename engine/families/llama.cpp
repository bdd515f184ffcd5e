// SPDX-License-Identifier: GPL-3.0-or-later
// Llama 1 to 3, SmolLM2, Mistral, and whatever else says that it is one: no biases unless a flag
// says so, no QK-norm. Mistral adds a window on every layer.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

// Mixtral's files are of this architecture too.
constexpr const char* gguf_llama_terms[] = {"expert_count", "expert_used_count"};
constexpr const char* mlp_terms[] = {"mlp_bias"};

}  // namespace

const Architecture llama{
    .name = "llama",
    .gguf_name = "llama",
    .model_class = "LlamaForCausalLM",
    .keys = {.mlp_bias = "mlp_bias"},
    .gguf_rows = RotaryRows::Interleaved,
    .reads = mlp_terms,
    .gguf_reads = gguf_llama_terms,
};

const Architecture mistral{
    .name = "mistral",
    .gguf_name = "",
    .model_class = "MistralForCausalLM",
    .keys = {.attention_bias = nullptr},
    .default_kv_heads = 8,
    .default_context = 131072,
    .windows = Windows::All,
    .default_window = 4096,
};

}  // namespace engine::families
