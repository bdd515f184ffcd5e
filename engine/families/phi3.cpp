// SPDX-License-Identifier: GPL-3.0-or-later
// Phi-3 and Phi-4 (mini): q, k and v in one tensor, gate and up in another, RoPE on a part of a
// head, longrope, a window on every layer.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

// auto_map: published files name code of their own, which transformers has since taken in.
constexpr const char* phi3_terms[] = {"partial_rotary_factor", "auto_map"};
constexpr const char* gguf_phi3_terms[] = {"attention.sliding_window", "rope.scaling.attn_factor"};

}  // namespace

const Architecture phi3{
    .name = "phi3",
    .gguf_name = "phi3",
    .model_class = "Phi3ForCausalLM",
    .keys = {.attention_bias = nullptr},
    .default_context = 4096,
    .default_norm_eps = 1e-5,
    .windows = Windows::All,
    .default_rotary_part = 1,
    .config_names = &phi3_names,
    .gguf_names = &gguf_phi3_names,
    .reads = phi3_terms,
    .gguf_reads = gguf_phi3_terms,
};

}  // namespace engine::families
