// SPDX-License-Identifier: GPL-3.0-or-later
// Per-head numbers of one run, all heads from one streaming pass over the trace.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/values/ids.h"

namespace engine {

struct MetricsRequest {
    RequestId id{};
    RunId run{};
    Rows dest;  // rows to average over; empty: all published
};

// All vectors are [L, H]: index layer · query_heads + head.
struct HeadTable {
    RequestId id{};
    RunId run{};
    Rows dest;
    int layers = 0, query_heads = 0;
    std::vector<float> sink;     // mean over rows of p on source 0
    std::vector<float> entropy;  // mean over rows of −Σ p ln p, nat
    std::vector<float>
        max_pattern;  // largest p with src > 0 (the "head" range), 0 for a one-token run
    std::vector<float> min_score, max_score;  // over visible cells
};

}  // namespace engine
