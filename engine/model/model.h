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

struct DecoderLayer {
    std::vector<float> attention_norm, mlp_norm;  // [d_model]
    std::vector<float> q_norm, k_norm;            // [head_dim], empty without QK-norm
    Linear qkv;                                   // [q | k | v] rows
    Linear o;                                     // [d_model, Hq · D]
    Linear gate_up;                               // [gate | up] rows
    Linear down;
};

struct Model {
    ModelConfig config;
    Linear embedding;  // [vocab, d_model]; a row is decoded where a token is looked up
    std::vector<float> final_norm;
    Linear unembedding;  // [vocab, d_model]; the embedding's own bytes when the head is tied
    std::vector<DecoderLayer> layers;
    std::int64_t weight_bytes = 0;  // mapped and copied, a tied head once

    void embed(const std::int32_t* tokens, std::int64_t count,
               float* to) const;  // [count, d_model]
};

// progress is called with bytes done of all; throws Cancelled when stop is requested.
std::shared_ptr<const Model> load_model(
    const formats::Checkpoint&, const families::ModelPlan&,
    const std::function<void(std::int64_t done, std::int64_t total)>& progress, std::stop_token);

}  // namespace engine
