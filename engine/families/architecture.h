// SPDX-License-Identifier: GPL-3.0-or-later
// What sets one family apart from the next, as values. A new family is a new row; no reader or
// checker names one.
#pragma once
#include <cstdint>
#include <span>

#include "engine/families/family.h"

namespace engine::families {

// Which layers a window belongs to when the config lists no layer_types.
enum class Windows : std::uint8_t {
    None,        // the family has none: a config that sets one is refused
    LastLayers,  // those from max_window_layers on, if use_sliding_window
};

struct Architecture {
    const char* name;         // as config.json's model_type and GGUF's general.architecture say it
    const char* model_class;  // what transformers calls the language model
    int default_head_dim;     // when config.json gives none; 0: d_model / query heads
    int default_kv_heads;  // when config.json has no such key; 0, and null there: as many as query
                           // heads
    std::int64_t default_context;
    int default_window;        // sliding_window's own default
    int default_window_layer;  // max_window_layers' own default
    bool qk_norm;              // RMS norm over each head of q and k, before RoPE
    Windows windows;
    RotaryRows gguf_rows;  // how GGUF's converter leaves the rows of q and k
};

extern const Architecture llama;
extern const Architecture qwen3;

std::span<const Architecture* const> architectures();

}  // namespace engine::families
