// SPDX-License-Identifier: GPL-3.0-or-later
// A loaded model: its facts and its weights by role. Immutable; shared by the engine thread and
// readers.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/families/family.h"
#include "engine/model/linear.h"
#include "engine/model/model_config.h"

namespace engine {

struct Expert {
    Linear gate_up, down;
};

// Norms hold what multiplies, with any stored offset added; what a model does not have is empty.
struct DecoderLayer {
    std::vector<float> attention_norm, mlp_norm;            // [d_model], before a block
    std::vector<float> attention_norm_bias, mlp_norm_bias;  // of a LayerNorm
    std::vector<float> attention_post_norm, mlp_post_norm;  // [d_model], behind a block
    std::vector<float> q_norm, k_norm;                      // [head_dim]
    std::vector<float> q_whole_norm, k_whole_norm;          // [Hq · D], [Hkv · D]
    std::vector<float> sinks;                               // [Hq]
    Linear qkv;                                             // [q | k | v] rows
    Linear o;                                               // [d_model, Hq · D]
    Linear gate_up;  // [gate | up] rows; up alone without a gate
    Linear down;
    Linear router;                // [experts, d_model], of a mixture: it has no gate_up and down
    std::vector<Expert> experts;  // empty: a dense MLP
};

struct Model {
    ModelConfig config;
    Linear embedding;  // [vocab, d_model]; a row is decoded where a token is looked up
    Linear positions;  // [context, d_model], where they are learned
    std::vector<float> final_norm, final_norm_bias;  // [d_model]
    Linear unembedding;  // [vocab, d_model]; the embedding's own bytes when the head is tied
    std::vector<DecoderLayer> layers;
    std::int64_t weight_bytes = 0;  // mapped and copied, a tied head once

    // Where the residual stream starts, for tokens at positions begin, begin + 1, …:
    // [count, d_model].
    void embed(const std::int32_t* tokens, std::int64_t begin, std::int64_t count, float* to) const;
};

// progress is called with bytes done of all; throws Cancelled when stop is requested.
std::shared_ptr<const Model> load_model(
    const formats::Checkpoint&, const families::ModelPlan&,
    const std::function<void(std::int64_t done, std::int64_t total)>& progress, std::stop_token);

}  // namespace engine
