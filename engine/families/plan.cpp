// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/families/architecture.h"
#include "engine/families/facts.h"
#include "engine/families/family.h"
#include "engine/families/plan_weights.h"
#include "engine/families/rope_frequencies.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using formats::Checkpoint;
using nlohmann::json;

// config.json's "architectures": the class that saved the model.
std::string model_class(const Checkpoint& checkpoint) {
    const auto classes = checkpoint.config->find("architectures");
    if (classes == checkpoint.config->end() || !classes->is_array() || classes->empty()) return {};
    return classes->front().is_string() ? classes->front().get<std::string>() : "";
}

std::string implemented(const char* Architecture::*field) {
    std::string names;
    for (const Architecture* architecture : architectures())
        if (*(architecture->*field) != '\0')
            names += (names.empty() ? "" : ", ") + std::string(architecture->*field);
    return names;
}

bool is_implemented(const std::string& name) {
    return std::ranges::any_of(architectures(), [&](const Architecture* architecture) {
        return name == architecture->model_class;
    });
}

const Architecture& find_architecture(const Checkpoint& checkpoint) {
    const std::string stated = stated_architecture(checkpoint);
    const std::string where = formats::shown(checkpoint.path, 400);
    if (stated.empty())
        throw Error(Failure::Kind::BadFile, "the model does not say which architecture it has",
                    where, "config.json needs a model_type, a GGUF file general.architecture");
    const std::string saved_by = checkpoint.config ? model_class(checkpoint) : "";
    const auto name = checkpoint.config ? &Architecture::name : &Architecture::gguf_name;
    for (const Architecture* architecture : architectures()) {
        if (stated != architecture->*name && stated != architecture->model_class) continue;
        if (saved_by.empty() || saved_by == architecture->model_class) return *architecture;
        if (is_implemented(saved_by))
            throw Error(Failure::Kind::BadFile,
                        "config.json contradicts itself: its model_type is " + stated +
                            ", whose class is " + architecture->model_class +
                            ", but its architectures say " + saved_by,
                        where);
        throw Error(Failure::Kind::Unsupported,
                    "the model class " + formats::shown(saved_by) + " is not implemented; " +
                        implemented(&Architecture::model_class) + " are",
                    where);
    }
    throw Error(Failure::Kind::Unsupported,
                "the architecture " + formats::shown(stated) + " is not implemented; " +
                    implemented(name) + " are",
                where);
}

}  // namespace

std::string stated_architecture(const Checkpoint& checkpoint) {
    if (!checkpoint.config) return checkpoint.metadata.text_or("general.architecture", "");
    const auto type = checkpoint.config->find("model_type");
    if (type != checkpoint.config->end() && type->is_string() &&
        !type->get_ref<const std::string&>().empty())
        return type->get<std::string>();
    return model_class(checkpoint);
}

ModelPlan plan_model(const Checkpoint& checkpoint) {
    const Architecture& architecture = find_architecture(checkpoint);
    const bool gguf = checkpoint.format == Checkpoint::Format::Gguf;
    const Facts facts =
        gguf ? facts_of_gguf(checkpoint, architecture) : facts_of_config(checkpoint, architecture);
    ModelPlan plan;
    if (gguf) {
        plan.q_rows = plan.k_rows = architecture.gguf_rows;
    } else {
        plan.fused_rows = architecture.config_fused;
        plan.transposed = architecture.config_transposed;
        plan.interleaved_experts = architecture.config_interleaved_experts;
        plan.norm_offset = architecture.config_norm_offset;
    }
    plan_weights(plan, checkpoint, facts, architecture);  // before anything is sized by the layers

    ModelConfig& config = plan.config;
    config.name = facts.name;
    config.family = architecture.name;
    config.layers = facts.layers;
    config.query_heads = facts.query_heads;
    config.kv_heads = facts.kv_heads;
    config.head_dim = facts.head_dim;
    config.d_model = facts.d_model;
    config.d_ff = facts.d_ff;
    config.vocab = facts.vocab;
    config.context = facts.context;
    config.norm = architecture.norm;
    config.norm_eps = static_cast<float>(facts.norm_eps);
    config.pre_norm = architecture.pre_norm;
    config.post_norm = architecture.post_norm;
    config.parallel_residual = facts.parallel_residual;
    config.gated_mlp = architecture.gated_mlp;
    config.activation = facts.activation;
    config.swiglu_limit = static_cast<float>(facts.swiglu_limit);
    config.swiglu_alpha = static_cast<float>(facts.swiglu_alpha);
    config.experts = facts.experts;
    if (architecture.scaled_embedding)
        config.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(facts.d_model)));
    config.learned_positions = architecture.learned_positions;
    config.final_soft_cap = static_cast<float>(facts.final_soft_cap);
    if (!facts.rope.long_divisors.empty())
        config.long_rope_from = static_cast<std::int64_t>(facts.rope.original_context);
    Rope rope, local_rope;
    if (!config.learned_positions) rope = local_rope = make_rope(facts.rope, facts.head_dim);
    if (facts.local_rope) local_rope = make_rope(*facts.local_rope, facts.head_dim);
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const LayerWeights& weights = plan.layers[i];
        LayerConfig layer;
        layer.attention.window = facts.windows[i];
        layer.attention.scale = static_cast<float>(facts.scales[i]);
        layer.attention.soft_cap = static_cast<float>(facts.soft_cap);
        layer.attention.rope = facts.has_rope[i] || config.learned_positions;
        layer.attention.sink = !weights.sinks.empty();
        if (facts.has_rope[i]) layer.rope = facts.windows[i] > 0 ? local_rope : rope;
        const bool fused = !weights.qkv_bias.empty();
        layer.q_bias = fused || !weights.q_bias.empty();
        layer.k_bias = fused || !weights.k_bias.empty();
        layer.v_bias = fused || !weights.v_bias.empty();
        layer.o_bias = !weights.o_bias.empty();
        layer.experts = facts.has_experts[i];
        layer.mlp_bias = !weights.up_bias.empty() || !weights.down_bias.empty() ||
                         !weights.expert_down_bias.empty();
        layer.qk_norm_per_head = architecture.qk_norm == QkNorm::PerHead;
        layer.qk_norm_whole = architecture.qk_norm == QkNorm::WholeProjection;
        config.per_layer.push_back(std::move(layer));
    }
    return plan;
}

}  // namespace engine::families
