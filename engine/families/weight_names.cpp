// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/weight_names.h"

#include <utility>

namespace engine::families {
namespace {

// What Llama, Mistral, Qwen and SmolLM share, and others change a name or two of.
LayerWeights llama_layer() {
    return {.attention_norm = ".input_layernorm.weight",
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
            .down = ".mlp.down_proj.weight",
            .gate_bias = ".mlp.gate_proj.bias",
            .up_bias = ".mlp.up_proj.bias",
            .down_bias = ".mlp.down_proj.bias"};
}

WeightNames with_layer(LayerWeights after) {
    return {.embedding = "model.embed_tokens.weight",
            .final_norm = "model.norm.weight",
            .unembedding = "lm_head.weight",
            .layer_prefix = "model.layers.",
            .after = std::move(after)};
}

// Experts apart, each with the names of a dense MLP or with Mixtral's.
LayerWeights expert_layer(const char* block, const char* gate, const char* up, const char* down) {
    LayerWeights layer = llama_layer();
    const std::string prefix = std::string(block) + ".experts.*.";
    layer.router = std::string(block) + ".gate.weight";
    layer.expert_gate = prefix + gate + ".weight";
    layer.expert_up = prefix + up + ".weight";
    layer.expert_down = prefix + down + ".weight";
    return layer;
}

LayerWeights gpt_oss_layer() {
    LayerWeights layer = llama_layer();
    layer.sinks = ".self_attn.sinks";
    layer.router = ".mlp.router.weight";
    layer.router_bias = ".mlp.router.bias";
    layer.expert_gate_up = ".mlp.experts.gate_up_proj";
    layer.expert_gate_up_bias = ".mlp.experts.gate_up_proj_bias";
    layer.expert_down = ".mlp.experts.down_proj";
    layer.expert_down_bias = ".mlp.experts.down_proj_bias";
    return layer;
}

// Norms on both sides of a block: the name that others give the norm before the MLP is here the one
// behind attention.
LayerWeights gemma_layer() {
    LayerWeights layer = llama_layer();
    layer.attention_post_norm = ".post_attention_layernorm.weight";
    layer.mlp_norm = ".pre_feedforward_layernorm.weight";
    layer.mlp_post_norm = ".post_feedforward_layernorm.weight";
    return layer;
}

LayerWeights phi3_layer() {
    LayerWeights layer = llama_layer();
    for (std::string* apart : {&layer.q, &layer.k, &layer.v, &layer.q_bias, &layer.k_bias,
                               &layer.v_bias, &layer.gate, &layer.up})
        apart->clear();
    layer.qkv = ".self_attn.qkv_proj.weight";
    layer.gate_up = ".mlp.gate_up_proj.weight";
    return layer;
}

LayerWeights gguf_layer() {
    return {.attention_norm = ".attn_norm.weight",
            .attention_norm_bias = ".attn_norm.bias",
            .attention_post_norm = ".post_attention_norm.weight",
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
            .qkv = ".attn_qkv.weight",
            .qkv_bias = ".attn_qkv.bias",
            .mlp_norm = ".ffn_norm.weight",
            .mlp_norm_bias = ".ffn_norm.bias",
            .mlp_post_norm = ".post_ffw_norm.weight",
            .gate = ".ffn_gate.weight",
            .up = ".ffn_up.weight",
            .down = ".ffn_down.weight",
            .gate_bias = ".ffn_gate.bias",
            .up_bias = ".ffn_up.bias",
            .down_bias = ".ffn_down.bias",
            .router = ".ffn_gate_inp.weight",
            .router_bias = ".ffn_gate_inp.bias",
            .expert_gate = ".ffn_gate_exps.weight",
            .expert_up = ".ffn_up_exps.weight",
            .expert_down = ".ffn_down_exps.weight",
            .expert_gate_bias = ".ffn_gate_exps.bias",
            .expert_up_bias = ".ffn_up_exps.bias",
            .expert_down_bias = ".ffn_down_exps.bias"};
}

LayerWeights gguf_phi3_layer() {
    LayerWeights layer = gguf_layer();
    layer.gate_up = std::exchange(layer.up, "");
    layer.gate.clear();
    return layer;
}

// What stands before the MLP is named as a norm behind attention.
LayerWeights gguf_gpt_oss_layer() {
    LayerWeights layer = gguf_layer();
    layer.sinks = ".attn_sinks.weight";
    layer.mlp_norm = std::exchange(layer.attention_post_norm, "");
    return layer;
}

WeightNames gguf_with_layer(LayerWeights after) {
    return {.embedding = "token_embd.weight",
            .position_embedding = "position_embd.weight",
            .final_norm = "output_norm.weight",
            .final_norm_bias = "output_norm.bias",
            .unembedding = "output.weight",
            .layer_prefix = "blk.",
            .after = std::move(after)};
}

}  // namespace

const WeightNames llama_names = with_layer(llama_layer());
const WeightNames gemma_names = with_layer(gemma_layer());
const WeightNames olmo2_names = with_layer(gemma_layer());
const WeightNames phi3_names = with_layer(phi3_layer());
const WeightNames mixtral_names = with_layer(expert_layer(".block_sparse_moe", "w1", "w3", "w2"));
const WeightNames qwen3_moe_names =
    with_layer(expert_layer(".mlp", "gate_proj", "up_proj", "down_proj"));
const WeightNames gpt_oss_names = with_layer(gpt_oss_layer());
const WeightNames gguf_names = gguf_with_layer(gguf_layer());
const WeightNames gguf_phi3_names = gguf_with_layer(gguf_phi3_layer());

const WeightNames gguf_gpt_oss_names = gguf_with_layer(gguf_gpt_oss_layer());

const WeightNames gpt2_names{
    .embedding = "transformer.wte.weight",
    .position_embedding = "transformer.wpe.weight",
    .final_norm = "transformer.ln_f.weight",
    .final_norm_bias = "transformer.ln_f.bias",
    .unembedding = "lm_head.weight",
    .layer_prefix = "transformer.h.",
    .heading = "transformer.",
    .after = {.attention_norm = ".ln_1.weight",
              .attention_norm_bias = ".ln_1.bias",
              .o = ".attn.c_proj.weight",
              .o_bias = ".attn.c_proj.bias",
              .qkv = ".attn.c_attn.weight",
              .qkv_bias = ".attn.c_attn.bias",
              .mlp_norm = ".ln_2.weight",
              .mlp_norm_bias = ".ln_2.bias",
              .up = ".mlp.c_fc.weight",
              .down = ".mlp.c_proj.weight",
              .up_bias = ".mlp.c_fc.bias",
              .down_bias = ".mlp.c_proj.bias"},
};

const WeightNames gpt_neox_names{
    .embedding = "gpt_neox.embed_in.weight",
    .final_norm = "gpt_neox.final_layer_norm.weight",
    .final_norm_bias = "gpt_neox.final_layer_norm.bias",
    .unembedding = "embed_out.weight",
    .layer_prefix = "gpt_neox.layers.",
    .other_unembedding = "lm_head.weight",
    .after = {.attention_norm = ".input_layernorm.weight",
              .attention_norm_bias = ".input_layernorm.bias",
              .o = ".attention.dense.weight",
              .o_bias = ".attention.dense.bias",
              .qkv = ".attention.query_key_value.weight",
              .qkv_bias = ".attention.query_key_value.bias",
              .mlp_norm = ".post_attention_layernorm.weight",
              .mlp_norm_bias = ".post_attention_layernorm.bias",
              .up = ".mlp.dense_h_to_4h.weight",
              .down = ".mlp.dense_4h_to_h.weight",
              .up_bias = ".mlp.dense_h_to_4h.bias",
              .down_bias = ".mlp.dense_4h_to_h.bias"},
};

WeightNames names_in(const WeightNames& names, const formats::Checkpoint& checkpoint) {
    WeightNames out = names;
    if (!checkpoint.has(names.unembedding) && checkpoint.has(names.other_unembedding))
        out.unembedding = names.other_unembedding;
    if (names.heading.empty() || checkpoint.has(names.embedding)) return out;
    for (std::string* name : {&out.embedding, &out.position_embedding, &out.final_norm,
                              &out.final_norm_bias, &out.layer_prefix})
        if (name->starts_with(names.heading)) name->erase(0, names.heading.size());
    return out;
}

LayerWeights layer_names(const WeightNames& names, int layer) {
    const std::string prefix = names.layer_prefix + std::to_string(layer);
    LayerWeights out = names.after;
    for (const auto field : layer_weight_fields)
        if (!(out.*field).empty()) (out.*field).insert(0, prefix);
    return out;
}

std::string expert_name(const std::string& name, int expert) {
    const std::size_t star = name.find('*');
    if (star == std::string::npos) return name;
    return std::string(name).replace(star, 1, std::to_string(expert));
}

}  // namespace engine::families
