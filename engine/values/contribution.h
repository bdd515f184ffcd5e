// SPDX-License-Identifier: GPL-3.0-or-later
// What each part of the model adds to the residual stream at one position.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/values/ids.h"

namespace engine {

struct ContributionRequest {
    RequestId id{};
    RunId run{};
    Position position{};
    std::optional<TokenId> target;      // default: the position's own top token
    std::optional<TokenId> distractor;  // subtracted: attribution of the logit difference
};

// A write is what the residual stream gets: where a norm stands behind a block, the block's output
// through that norm, frozen at this position. Logit attribution is through the final norm frozen at
// this position: write · (γ ⊙ u) / rms, u = W_U[target] − W_U[distractor] (a LayerNorm: less the
// write's mean, over the standard deviation); it is linear, so the writes and the final norm's bias
// sum to the logit (difference), up to `closes`. [L, H] means index layer · query_heads + head.
struct ContributionTable {
    RequestId id{};
    RunId run{};
    Position position{};
    int layers = 0, query_heads = 0;
    TokenId target{};
    std::optional<TokenId> distractor;
    std::vector<float> head_norm, head_attribution;  // [L, H]
    std::vector<float> attention_norm,
        attention_attribution;  // [L], Σ over heads plus the output bias, if any
    // [L], of the output projection's bias, a write that no head makes; empty where no layer has
    // one
    std::vector<float> output_bias_norm, output_bias_attribution;
    std::vector<float> mlp_norm, mlp_attribution;  // [L]
    float embedding_norm = 0, embedding_attribution = 0;
    float bias_attribution = 0;  // of the final norm's own bias (LayerNorm), 0 for RMSNorm
    float logit = 0;     // the model's logit of target (minus distractor's), before any soft cap
    float soft_cap = 0;  // > 0: the model then caps it, cap · tanh(logit / cap)
    float closes = 0;    // |Σ attributions − logit| / max|logit of this row|
    float heads_close =
        0;  // max over layers of |Σ_h contribution − attention_out| / max|attention_out|
};

}  // namespace engine
