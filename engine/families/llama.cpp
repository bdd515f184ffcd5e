// SPDX-License-Identifier: GPL-3.0-or-later
// Llama 1 to 3, SmolLM2 and whatever else says that it is one: no biases unless attention_bias, no
// QK-norm, no window.
#include "engine/families/architecture.h"

namespace engine::families {

const Architecture llama{
    .name = "llama",
    .model_class = "LlamaForCausalLM",
    .default_head_dim = 0,
    .default_kv_heads = 0,
    .default_context = 2048,
    .default_window = 0,
    .default_window_layer = 0,
    .qk_norm = false,
    .windows = Windows::None,
    .gguf_rows = RotaryRows::Interleaved,
};

}  // namespace engine::families
