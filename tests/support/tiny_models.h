// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest llama and qwen3 that a plan accepts, all weights one, in either format: tests change
// one thing at a time.
#pragma once
#include <nlohmann/json.hpp>

#include "tests/support/hostile_files.h"

namespace support {

// hidden 8, 4 heads over 2 KV heads of head_dim 4, feed-forward 12, vocabulary 16.
struct TinySizes {
    int layers = 2, d = 8, heads = 4, kv = 2, head_dim = 4, ff = 12, vocab = 16;
};

inline nlohmann::json tiny_config(const char* model_type, const TinySizes& s = {}) {
    return {{"model_type", model_type},
            {"num_hidden_layers", s.layers},
            {"hidden_size", s.d},
            {"num_attention_heads", s.heads},
            {"num_key_value_heads", s.kv},
            {"head_dim", s.head_dim},
            {"intermediate_size", s.ff},
            {"vocab_size", s.vocab},
            {"max_position_embeddings", 64},
            {"rms_norm_eps", 1e-5},
            {"rope_theta", 10000.0},
            {"tie_word_embeddings", true}};
}

inline SafetensorsWriter tiny_weights(bool qk_norm, bool biases = false, const TinySizes& s = {}) {
    SafetensorsWriter w;
    const int q = s.heads * s.head_dim, kv = s.kv * s.head_dim;
    w.ones("model.embed_tokens.weight", {s.vocab, s.d}).ones("model.norm.weight", {s.d});
    for (int i = 0; i < s.layers; ++i) {
        const QByteArray p = "model.layers." + QByteArray::number(i) + ".";
        w.ones(p + "input_layernorm.weight", {s.d})
            .ones(p + "self_attn.q_proj.weight", {q, s.d})
            .ones(p + "self_attn.k_proj.weight", {kv, s.d})
            .ones(p + "self_attn.v_proj.weight", {kv, s.d})
            .ones(p + "self_attn.o_proj.weight", {s.d, q})
            .ones(p + "post_attention_layernorm.weight", {s.d})
            .ones(p + "mlp.gate_proj.weight", {s.ff, s.d})
            .ones(p + "mlp.up_proj.weight", {s.ff, s.d})
            .ones(p + "mlp.down_proj.weight", {s.d, s.ff});
        if (qk_norm)
            w.ones(p + "self_attn.q_norm.weight", {s.head_dim})
                .ones(p + "self_attn.k_norm.weight", {s.head_dim});
        if (biases)
            w.ones(p + "self_attn.q_proj.bias", {q})
                .ones(p + "self_attn.k_proj.bias", {kv})
                .ones(p + "self_attn.v_proj.bias", {kv})
                .ones(p + "self_attn.o_proj.bias", {s.d});
    }
    return w;
}

inline GgufWriter tiny_gguf(const QByteArray& arch, bool qk_norm, const TinySizes& s = {}) {
    GgufWriter w;
    const auto u = [](int value) { return static_cast<std::uint32_t>(value); };
    const auto n = [](int value) { return static_cast<std::uint64_t>(value); };
    w.string("general.architecture", arch)
        .string("general.name", "Tiny")
        .u32(arch + ".block_count", u(s.layers))
        .u32(arch + ".context_length", 64)
        .u32(arch + ".embedding_length", u(s.d))
        .u32(arch + ".feed_forward_length", u(s.ff))
        .u32(arch + ".attention.head_count", u(s.heads))
        .u32(arch + ".attention.head_count_kv", u(s.kv))
        .u32(arch + ".attention.key_length", u(s.head_dim))
        .f32(arch + ".attention.layer_norm_rms_epsilon", 1e-5f);
    const auto q = n(s.heads * s.head_dim), kv = n(s.kv * s.head_dim), d = n(s.d), ff = n(s.ff);
    w.ones("token_embd.weight", {d, n(s.vocab)}).ones("output_norm.weight", {d});
    for (int i = 0; i < s.layers; ++i) {
        const QByteArray p = "blk." + QByteArray::number(i) + ".";
        w.ones(p + "attn_norm.weight", {d})
            .ones(p + "attn_q.weight", {d, q})
            .ones(p + "attn_k.weight", {d, kv})
            .ones(p + "attn_v.weight", {d, kv})
            .ones(p + "attn_output.weight", {q, d})
            .ones(p + "ffn_norm.weight", {d})
            .ones(p + "ffn_gate.weight", {d, ff})
            .ones(p + "ffn_up.weight", {d, ff})
            .ones(p + "ffn_down.weight", {ff, d});
        if (qk_norm)
            w.ones(p + "attn_q_norm.weight", {n(s.head_dim)})
                .ones(p + "attn_k_norm.weight", {n(s.head_dim)});
    }
    return w;
}

}  // namespace support
