// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/family.h"

namespace engine::families {

// How a format names the weights of a family. A table may name a tensor twice, fused and apart: the
// file tells which it has.
struct WeightNames {
    std::string embedding, position_embedding, final_norm, final_norm_bias, unembedding;
    std::string layer_prefix;       // before the layer's number: "blk."
    std::string other_unembedding;  // what newer files call it
    std::string heading;            // what published files may leave out at the front of every name
    LayerWeights after;             // what follows the number, with its dot
};

// config.json's side
extern const WeightNames llama_names, gemma_names, olmo2_names, phi3_names, gpt2_names,
    gpt_neox_names, mixtral_names, qwen3_moe_names, gpt_oss_names;
// One table, but Phi-3's ffn_up is fused, and gpt-oss names a norm otherwise.
extern const WeightNames gguf_names, gguf_phi3_names, gguf_gpt_oss_names;

// The table as this file writes it, without the heading where the file has none.
WeightNames names_in(const WeightNames&, const formats::Checkpoint&);

// The names of one layer, all of them, whether the model has them or not.
LayerWeights layer_names(const WeightNames&, int layer);

}  // namespace engine::families
