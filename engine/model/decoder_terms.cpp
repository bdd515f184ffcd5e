// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/decoder_terms.h"

namespace engine {

std::string term_beyond_llama(const ModelConfig& config) {
    if (config.norm != NormKind::Rms) return "LayerNorm";
    if (!config.pre_norm || config.post_norm) return "norms behind attention and MLP";
    if (config.parallel_residual) return "attention and MLP side by side";
    if (!config.gated_mlp) return "an MLP without a gate";
    if (config.activation != Activation::Silu) return "an activation that is not SiLU";
    if (config.embedding_scale != 1) return "scaled embeddings";
    if (config.learned_positions) return "learned positions";
    if (config.final_soft_cap > 0) return "a soft cap of the logits";
    if (config.long_rope_from > 0) return "longrope";
    for (const LayerConfig& layer : config.per_layer) {
        if (layer.qk_norm_whole) return "norms over the whole q and k";
        if (layer.attention.sink) return "attention sinks";
        if (layer.experts) return "mixtures of experts";
        if (layer.mlp_bias) return "biases of the MLP";
    }
    return {};
}

}  // namespace engine
