// SPDX-License-Identifier: GPL-3.0-or-later
// SmolLM3: each fourth layer has no RoPE, unless a list says otherwise.
#include "engine/families/architecture.h"

namespace engine::families {
namespace {

constexpr const char* smollm3_terms[] = {"no_rope_layers", "no_rope_layer_interval", "mlp_bias"};

}  // namespace

const Architecture smollm3{
    .name = "smollm3",
    .gguf_name = "smollm3",
    .model_class = "SmolLM3ForCausalLM",
    .keys = {.mlp_bias = "mlp_bias",
             .no_rope_layers = "no_rope_layers",
             .no_rope_period = "no_rope_layer_interval"},
    .default_kv_heads = 4,
    .default_context = 32768,
    .default_tied = true,
    .windows = Windows::NoRope,
    .default_theta = 2000000,
    .no_rope_period = 4,
    .gguf_rows = RotaryRows::Interleaved,
    .reads = smollm3_terms,
};

}  // namespace engine::families
