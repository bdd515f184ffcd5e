// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/weight_names.h"

namespace engine::families {
namespace {

const WeightNames hugging_face{
    .embedding = "model.embed_tokens.weight",
    .final_norm = "model.norm.weight",
    .unembedding = "lm_head.weight",
    .layer_prefix = "model.layers.",
    .after = {.attention_norm = ".input_layernorm.weight",
              .q = ".self_attn.q_proj.weight",
              .k = ".self_attn.k_proj.weight",
              .v = ".self_attn.v_proj.weight",
              .o = ".self_attn.o_proj.weight",
              .q_bias = ".self_attn.q_proj.bias",
              .k_bias = ".self_attn.k_proj.bias",
              .v_bias = ".self_attn.v_proj.bias",
              .o_bias = ".self_attn.o_proj.bias",
              .q_norm = ".self_attn.q_norm.weight",
              .k_norm = ".self_attn.k_norm.weight",
              .mlp_norm = ".post_attention_layernorm.weight",
              .gate = ".mlp.gate_proj.weight",
              .up = ".mlp.up_proj.weight",
              .down = ".mlp.down_proj.weight"},
};

const WeightNames gguf{
    .embedding = "token_embd.weight",
    .final_norm = "output_norm.weight",
    .unembedding = "output.weight",
    .layer_prefix = "blk.",
    .after = {.attention_norm = ".attn_norm.weight",
              .q = ".attn_q.weight",
              .k = ".attn_k.weight",
              .v = ".attn_v.weight",
              .o = ".attn_output.weight",
              .q_bias = ".attn_q.bias",
              .k_bias = ".attn_k.bias",
              .v_bias = ".attn_v.bias",
              .o_bias = ".attn_output.bias",
              .q_norm = ".attn_q_norm.weight",
              .k_norm = ".attn_k_norm.weight",
              .mlp_norm = ".ffn_norm.weight",
              .gate = ".ffn_gate.weight",
              .up = ".ffn_up.weight",
              .down = ".ffn_down.weight"},
};

}  // namespace

const WeightNames& weight_names(formats::Checkpoint::Format format) {
    return format == formats::Checkpoint::Format::Gguf ? gguf : hugging_face;
}

LayerWeights layer_names(const WeightNames& names, int layer) {
    const std::string prefix = names.layer_prefix + std::to_string(layer);
    LayerWeights out = names.after;
    for (std::string* name : {&out.attention_norm, &out.q, &out.k, &out.v, &out.o, &out.q_bias,
                              &out.k_bias, &out.v_bias, &out.o_bias, &out.q_norm, &out.k_norm,
                              &out.mlp_norm, &out.gate, &out.up, &out.down})
        *name = prefix + *name;
    return out;
}

}  // namespace engine::families
