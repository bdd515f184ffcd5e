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

// All vectors are [L, H]: index layer · query_heads + head. "Mean" is over the rows `dest`, and a
// row's cells are the visible ones.
//
// The last three are TransformerLens' detect_head with its defaults: error_measure "mul",
// exclude_bos and exclude_current_token false. With Δ the 0/1 detection pattern,
//     score = Σ p · Δ / Σ p        over all rows, the first included, and all sources
// so the share of the head's attention that lies where Δ is 1, of 0 to 1. The run's own tokens are
// taken, with the BOS that they have; TransformerLens puts one before every text.
struct HeadTable {
    RequestId id{};
    RunId run{};
    Rows dest;
    int layers = 0, query_heads = 0;
    std::vector<float> sink;     // mean of p on source 0
    std::vector<float> entropy;  // mean of −Σ p ln p, nat
    std::vector<float>
        max_pattern;  // largest p with src > 0 (the "head" range), 0 for a one-token run
    std::vector<float> min_score, max_score;  // over visible cells
    std::vector<float> mass;                  // mean of Σ p: 1, less what learned sinks take
    std::vector<float> distance;              // mean of Σ p · (dest − src), tokens
    std::vector<float> previous_token;        // Δ: src = dest − 1
    std::vector<float> duplicate_token;  // Δ: src < dest, and src holds the same token as dest
    std::vector<float> induction;  // Δ: src ≤ dest, and src − 1 holds the same token as dest
};

}  // namespace engine
