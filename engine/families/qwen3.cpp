// SPDX-License-Identifier: GPL-3.0-or-later
// Qwen3, dense: QK-norm a head, head_dim of its own (o_proj is not square), a window on the last
// layers if asked for.
#include "engine/families/architecture.h"

namespace engine::families {

const Architecture qwen3{
    .name = "qwen3",
    .gguf_name = "qwen3",
    .model_class = "Qwen3ForCausalLM",
    .default_head_dim = 128,
    .default_kv_heads = 32,
    .default_context = 32768,
    .windows = Windows::LastLayers,
    .default_window = 4096,
    .default_window_layer = 28,
    .qk_norm = QkNorm::PerHead,
};

}  // namespace engine::families
