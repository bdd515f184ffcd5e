// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/blocks.h"

#include <cmath>

#include "engine/model/norms.h"

namespace engine {

const float* attention_input(const ModelConfig& config, const DecoderLayer& layer,
                             const float* stream, float* normed, std::int64_t rows,
                             const kernels::Parallel& parallel) {
    if (!config.pre_norm) return stream;
    apply_norm(config, layer.attention_norm, layer.attention_norm_bias, stream, normed, rows,
               parallel);
    return normed;
}

const float* mlp_input(const ModelConfig& config, const DecoderLayer& layer, const float* stream,
                       float* normed, std::int64_t rows, const kernels::Parallel& parallel) {
    if (!config.pre_norm) return stream;
    apply_norm(config, layer.mlp_norm, layer.mlp_norm_bias, stream, normed, rows, parallel);
    return normed;
}

void apply_post_norm(const ModelConfig& config, const std::vector<float>& weight, float* out,
                     std::int64_t rows, float* scales, const kernels::Parallel& parallel) {
    if (scales != nullptr)
        for (std::int64_t i = 0; i < rows; ++i)
            scales[i] = frozen_scale(config, out + i * config.d_model);
    apply_norm(config, weight, {}, out, out, rows, parallel);
}

void logits_of(const Model& model, const float* stream, std::int64_t rows, bool capped,
               float* normed, float* to, PanelScratch& panel, const kernels::Parallel& parallel) {
    apply_norm(model.config, model.final_norm, model.final_norm_bias, stream, normed, rows,
               parallel);
    model.unembedding.forward(normed, rows, to, false, panel, parallel);
    const float cap = model.config.final_soft_cap;
    if (!capped || cap <= 0) return;
    const std::int64_t vocab = model.config.vocab;
    parallel.for_each(rows, [&](std::int64_t row) {
        for (float* x = to + row * vocab; x < to + (row + 1) * vocab; ++x)
            *x = cap * std::tanh(*x / cap);
    });
}

}  // namespace engine
