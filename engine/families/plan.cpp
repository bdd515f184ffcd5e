// SPDX-License-Identifier: GPL-3.0-or-later
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
        names += (names.empty() ? "" : " and ") + std::string(architecture->*field);
    return names;
}

const Architecture& find_architecture(const Checkpoint& checkpoint) {
    const std::string stated = stated_architecture(checkpoint);
    const std::string where = formats::shown(checkpoint.path, 400);
    if (stated.empty())
        throw Error(Failure::Kind::BadFile, "the model does not say which architecture it has",
                    where, "config.json needs a model_type, a GGUF file general.architecture");
    const std::string saved_by = checkpoint.config ? model_class(checkpoint) : "";
    for (const Architecture* architecture : architectures()) {
        if (stated != architecture->name && stated != architecture->model_class) continue;
        if (saved_by.empty() || saved_by == architecture->model_class) return *architecture;
        throw Error(Failure::Kind::Unsupported,
                    "the model class " + formats::shown(saved_by) + " is not implemented; " +
                        implemented(&Architecture::model_class) + " are",
                    where);
    }
    throw Error(Failure::Kind::Unsupported,
                "the architecture " + formats::shown(stated) + " is not implemented; " +
                    implemented(&Architecture::name) + " are",
                where);
}

}  // namespace

std::string stated_architecture(const Checkpoint& checkpoint) {
    if (!checkpoint.config) return checkpoint.metadata.text_or("general.architecture", "");
    const auto type = checkpoint.config->find("model_type");
    if (type != checkpoint.config->end() && type->is_string() && *type != "")
        return type->get<std::string>();
    return model_class(checkpoint);
}

ModelPlan plan_model(const Checkpoint& checkpoint) {
    const Architecture& architecture = find_architecture(checkpoint);
    const bool gguf = checkpoint.format == Checkpoint::Format::Gguf;
    const Facts facts =
        gguf ? facts_of_gguf(checkpoint, architecture) : facts_of_config(checkpoint, architecture);
    ModelPlan plan;
    plan.q_rows = plan.k_rows = gguf ? architecture.gguf_rows : RotaryRows::HalfSplit;
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
    config.norm_eps = static_cast<float>(facts.norm_eps);
    const Rope rope = make_rope(facts.rope, facts.head_dim);
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const LayerWeights& weights = plan.layers[i];
        LayerConfig layer;
        layer.attention.window = facts.windows[i];
        layer.attention.scale =
            static_cast<float>(1 / std::sqrt(static_cast<double>(facts.head_dim)));
        layer.rope = rope;
        layer.q_bias = !weights.q_bias.empty();
        layer.k_bias = !weights.k_bias.empty();
        layer.v_bias = !weights.v_bias.empty();
        layer.o_bias = !weights.o_bias.empty();
        layer.qk_norm_per_head = architecture.qk_norm;
        config.per_layer.push_back(std::move(layer));
    }
    return plan;
}

}  // namespace engine::families
