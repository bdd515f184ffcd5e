// SPDX-License-Identifier: GPL-3.0-or-later
// What the window, the picker and `headscope info` say of a model.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/values/dtype.h"

namespace engine {

// How one layer forms its scores; the window shades a map by it and names it per layer.
struct AttentionRule {
    int window = 0;      // keys visible from a query, its own included; 0: all earlier ones
    float scale = 0;     // scores = scale · q·k
    float soft_cap = 0;  // > 0: cap · tanh(score / cap), before the mask
    bool rope = true;
    bool sink = false;              // a logit a head joins the softmax: rows sum below 1
    std::string describe() const {  // "full", "window 4096", "no RoPE", …; terms joined by ", "
        std::string text = window > 0 ? "window " + std::to_string(window) : "full";
        if (!rope) text += ", no RoPE";
        if (soft_cap > 0) {
            char number[32];
            std::snprintf(number, sizeof number, "%g", double{soft_cap});
            text += ", cap " + std::string(number);
        }
        if (sink) text += ", sinks";
        return text;
    }
};

struct ModelInfo {
    std::string path;
    std::string name;    // from the file's own metadata, else the file name
    std::string family;  // "llama", "qwen3"
    std::string format;  // "GGUF Q4_1", "safetensors bfloat16"
    int layers = 0, query_heads = 0, kv_heads = 0, head_dim = 0;
    int d_model = 0, d_ff = 0, vocab = 0;
    std::int64_t context = 0;              // tokens
    DType dtype = DType::F32;              // compute dtype
    std::vector<AttentionRule> attention;  // one a layer
    std::int64_t weight_bytes = 0;         // resident while the model is open
    std::int64_t step_weight_bytes = 0;    // read for one token; 0: not known to be less than all
    std::int64_t bytes_per_token = 0;      // of trace: k, v, q, z, lse of all layers
    std::int64_t page_tokens = 64;
    std::int64_t pages = 0;  // the pool's capacity, set when the model is open, else what would fit
    std::int64_t memory_free = 0, memory_total = 0;  // bytes, of the device, when asked
    std::string device;                              // "CPU", a GPU's name
    std::string device_note;                         // why not the GPU that was asked or looked for
    // On a GPU: the term of the model for which it computes block by block, not by the fused
    // kernels of the usual shape; empty: by those.
    std::string block_by_block;
    int threads = 0;                    // compute threads on a CPU, 0 elsewhere
    std::string hash;                   // of config, headers and file sizes
    bool has_chat_template = false;     // one that is understood here
    bool has_unknown_template = false;  // one that is not
    // Why what is shown of a text may not be what the model's own tools would: said before its
    // results, on every way to them. What was merely decided is in Encoding::notes.
    std::vector<std::string> warnings;
    bool supported = true;
    std::string reason;  // why not, when not supported
};

}  // namespace engine
