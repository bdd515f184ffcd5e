// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder as independent facts, one field each; no fact is derived from another (a Qwen3 has
// QK-norm *and* no bias, head_dim × heads ≠ d_model). A family file fills it from config.json or
// GGUF metadata; the decoder reads nothing else.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/values/model_info.h"

namespace engine {

// Rotary embedding, half-split: dim i pairs with i + rotary_dim / 2. The phase of pair i at
// position t is t · inverse_frequency[i], formed in fp64 and rounded once to fp32 whatever the
// model's dtype.
struct Rope {
    int rotary_dim = 0;  // first dims of a head that turn; head_dim unless partial
    std::vector<double>
        inverse_frequency;        // [rotary_dim / 2], any scaling (linear, llama3) already applied
    double attention_factor = 1;  // multiplies cos and sin (yarn)
};

struct LayerConfig {
    AttentionRule attention;
    Rope rope;
    bool q_bias = false, k_bias = false, v_bias = false, o_bias = false;
    bool qk_norm_per_head = false;  // RMS norm over head_dim of q and of k, before RoPE
};

enum class Activation : std::uint8_t { Silu };

struct ModelConfig {
    std::string name, family;
    int layers = 0, query_heads = 0, kv_heads = 0, head_dim = 0, d_model = 0, d_ff = 0, vocab = 0;
    std::int64_t context = 0;
    float norm_eps = 0;                        // RMS norms: x · rsqrt(mean(x²) + eps) · w
    Activation activation = Activation::Silu;  // gated: act(gate · x) ⊙ (up · x), then down
    std::vector<LayerConfig> per_layer;        // [layers]
    int group() const {
        return query_heads / kv_heads;
    }  // query heads a KV head: h uses KV head h / group
    int q_columns() const { return query_heads * head_dim; }
    int kv_columns() const { return kv_heads * head_dim; }
};

}  // namespace engine
