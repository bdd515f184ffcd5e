// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/tensor_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "engine/analysis/requests.h"
#include "engine/values/failure.h"

namespace engine {
namespace {

struct Named {
    const char* name;
    TensorKind kind;
};

constexpr std::array<Named, 16> table{{
    {"logits", TensorKind::Logits},
    {"embedding", TensorKind::Embedding},
    {"q", TensorKind::Q},
    {"k", TensorKind::K},
    {"v", TensorKind::V},
    {"qkv", TensorKind::Qkv},
    {"scores", TensorKind::Scores},
    {"pattern", TensorKind::Pattern},
    {"lse", TensorKind::Lse},
    {"z", TensorKind::Z},
    {"contribution", TensorKind::Contribution},
    {"contribution_norm", TensorKind::ContributionNorm},
    {"logit_attribution", TensorKind::LogitAttribution},
    {"attention_out", TensorKind::AttentionOut},
    {"mlp_out", TensorKind::MlpOut},
    {"residual", TensorKind::Residual},
}};

std::vector<std::int64_t> shape_of(const ModelConfig& config, TensorKind kind, Rows rows) {
    const std::int64_t count = rows.count(), heads = config.query_heads, d = config.head_dim;
    switch (kind) {
        case TensorKind::Logits: return {count, config.vocab};
        case TensorKind::Q:
        case TensorKind::Z: return {count, heads, d};
        case TensorKind::K:
        case TensorKind::V: return {count, config.kv_heads, d};
        case TensorKind::Qkv: return {count, config.q_columns() + 2 * config.kv_columns()};
        case TensorKind::Scores:
        case TensorKind::Pattern: return {heads, count, rows.end};
        case TensorKind::Lse: return {heads, count};
        case TensorKind::Contribution: return {count, heads, config.d_model};
        case TensorKind::ContributionNorm:
        case TensorKind::LogitAttribution: return {count, heads};
        case TensorKind::Embedding:
        case TensorKind::AttentionOut:
        case TensorKind::MlpOut:
        case TensorKind::Residual: return {count, config.d_model};
    }
    return {};
}

}  // namespace

TensorPlan plan_tensor(const ModelConfig& config, std::int64_t published, const TensorName& name,
                       Rows rows) {
    check_rows(published, rows);
    const auto* found = std::find_if(table.begin(), table.end(),
                                     [&](const Named& named) { return name.kind == named.name; });
    if (found == table.end()) {
        std::string known;
        for (const Named& named : table)
            known += (known.empty() ? "" : ", ") + std::string(named.name);
        throw Error(Failure::Kind::BadRequest, "there is no tensor \"" + name.kind + "\"", {},
                    "known: " + known);
    }
    const bool layered = found->kind != TensorKind::Logits && found->kind != TensorKind::Embedding;
    if (layered && !name.layer)
        throw Error(Failure::Kind::BadRequest, "tensor \"" + name.kind + "\" needs a layer",
                    name.kind);
    if (name.layer) check_layer(config, *name.layer);
    if (name.target) check_target(config, {*name.target, std::nullopt});
    return {found->kind, name.layer ? to_int(*name.layer) : 0, shape_of(config, found->kind, rows)};
}

}  // namespace engine
