// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen2 and Qwen2.5, dense: biases on q, k and v with no flag, a window on the last layers if asked
// for.
#include "engine/families/architecture.h"

namespace engine::families {

const Architecture qwen2{
    .name = "qwen2",
    .gguf_name = "qwen2",
    .model_class = "Qwen2ForCausalLM",
    .keys = {.attention_bias = nullptr},
    .default_kv_heads = 32,
    .default_context = 32768,
    .windows = Windows::LastLayers,
    .default_window = 4096,
    .default_window_layer = 28,
    .qkv_bias = true,
};

}  // namespace engine::families
