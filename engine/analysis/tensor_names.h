// SPDX-License-Identifier: GPL-3.0-or-later
// The table of tensors that `headscope dump` writes: names, shapes, and what may be asked.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/trace_reader.h"

namespace engine {

enum class TensorKind : std::uint8_t {
    Logits,
    Embedding,
    Q,
    K,
    V,
    Qkv,
    Scores,
    Pattern,
    Lse,
    Z,
    Contribution,
    ContributionNorm,
    LogitAttribution,
    AttentionOut,
    MlpOut,
    Residual,
};

struct TensorPlan {
    TensorKind kind{};
    int layer = 0;
    std::vector<std::int64_t> shape;  // of the rows asked for
};

// Throws Error(BadRequest) for a name that is not in the table, a missing layer, a target that is
// no token, or rows that are not published.
TensorPlan plan_tensor(const ModelConfig&, std::int64_t published, const TensorName&, Rows);

}  // namespace engine
