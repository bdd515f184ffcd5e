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
    std::vector<double> inverse_frequency;  // [rotary_dim / 2], any scaling already applied
    // longrope: the frequencies of a run that is longer than ModelConfig::long_rope_from; empty:
    // the same.
    std::vector<double> long_inverse_frequency;
    double attention_factor = 1;  // multiplies cos and sin (yarn, longrope)
};

struct LayerConfig {
    AttentionRule attention;
    Rope rope;
    bool q_bias = false, k_bias = false, v_bias = false, o_bias = false;
    bool mlp_bias = false;          // on its matrices
    bool experts = false;           // the MLP is a mixture
    bool qk_norm_per_head = false;  // RMS norm over head_dim of q and of k, before RoPE
    bool qk_norm_whole = false;     // the same over the whole projection, before the split
};

// GeluTanh is the tanh approximation, Gelu the error function's. ClampedSwiglu is of gate and up
// together: (up + 1) · gate · sigmoid(alpha · gate), gate at most `limit`, up within ± `limit`.
enum class Activation : std::uint8_t { Silu, GeluTanh, Gelu, ClampedSwiglu };

// Of layers whose MLP is a mixture: a row goes through the `used` experts that the router rates
// highest, weighted by the softmax of all ratings, over the sum of those weights if `normalised`.
struct Experts {
    int count = 0, used = 0, d_ff = 0;
    bool normalised = false;
};
// Rms: x · rsqrt(mean(x²) + eps) · w. Layer: (x − mean) · rsqrt(variance + eps) · w + b.
enum class NormKind : std::uint8_t { Rms, Layer };

struct ModelConfig {
    std::string name, family;
    int layers = 0, query_heads = 0, kv_heads = 0, head_dim = 0, d_model = 0, d_ff = 0, vocab = 0;
    std::int64_t context = 0;
    NormKind norm = NormKind::Rms;
    float norm_eps = 0;
    bool pre_norm = true;            // a block reads norm(stream); else the stream itself
    bool post_norm = false;          // a block adds norm(what it puts out)
    bool parallel_residual = false;  // attention and MLP read the same stream, both are added
    bool gated_mlp = true;           // down(act(gate x) ⊙ up x); else down(act(up x))
    Activation activation = Activation::Silu;
    float swiglu_limit = 0, swiglu_alpha = 0;  // of ClampedSwiglu
    Experts experts;
    float embedding_scale = 1;           // multiplies the token's row where the stream starts
    bool learned_positions = false;      // a position's row is added to it; no layer has RoPE
    float final_soft_cap = 0;            // > 0: logits are cap · tanh(logit / cap)
    std::int64_t long_rope_from = 0;     // > 0: runs of more tokens take the long frequencies
    std::vector<LayerConfig> per_layer;  // [layers]
    int group() const {
        return query_heads / kv_heads;
    }  // query heads a KV head: h uses KV head h / group
    bool long_frequencies(std::int64_t prompt) const {  // of a run of a prompt of so many tokens
        return long_rope_from > 0 && prompt > long_rope_from;
    }
    int q_columns() const { return query_heads * head_dim; }
    int kv_columns() const { return kv_heads * head_dim; }
};

}  // namespace engine
