// SPDX-License-Identifier: GPL-3.0-or-later
// What every reader does alike, whatever it computes on: a request held against the model and the
// run, in the kernels' terms, and kernels' numbers as tables.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/values/contribution.h"
#include "engine/values/ids.h"
#include "engine/values/metrics.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "kernels/pattern.h"

namespace engine {

struct Target {
    TokenId token{};
    std::optional<TokenId> distractor;
    auto operator<=>(const Target&) const = default;
};

// Throw Error(BadRequest) naming what the model or the run does not have.
void check_layer(const ModelConfig&, Layer);
void check_head(const ModelConfig&, LayerHead);
void check_rows(std::int64_t published, Rows);
void check_target(const ModelConfig&, const Target&);

// A tile request as the kernels take it.
struct TilePlan {
    std::vector<std::int64_t> dest, src;  // edges
    bool raw = false;                     // scores
    bool weighted = false;                // a column weight a head: value and attribution
    bool attribution = false;             // and the frozen norm's scale a row
    bool renormalized = false;            // source 0 out of the pattern, each row over its rest
    bool signed_max = false, span_mean = false;
    kernels::TilePooling pooling = kernels::TilePooling::None;
    kernels::TileArgs::Transfer transfer = kernels::TileArgs::Transfer::Linear;

    std::int64_t dest_pixels() const { return static_cast<std::int64_t>(dest.size()) - 1; }
    std::int64_t src_pixels() const { return static_cast<std::int64_t>(src.size()) - 1; }
    std::int64_t pixels() const { return dest_pixels() * src_pixels(); }  // of a head
    Rows sources() const { return {src.front(), src.back()}; }
};
TilePlan plan_tile(const ModelConfig&, const TileRequest&);

// How a pattern without source 0 is asked of the kernels: this weight a column, [sources], and a
// weight a row that follows from Σ p over sources from 1 on, [rows]: 0 where that is nothing.
std::vector<float> columns_without_first(Rows sources);
void invert_row_sums(std::span<float> sums);

// The rows that a head table is asked over; throws as check_rows().
Rows metrics_rows(std::int64_t published, const MetricsRequest&);
HeadTable head_table(const ModelConfig&, const MetricsRequest&, Rows,
                     std::span<const kernels::MetricsHead>);  // [L, H]

// A table that is complete but for the parts' lengths and attributions; the target is the row's top
// token where none is asked for. Throws as check_target().
ContributionTable contribution_table(const ModelConfig&, const ContributionRequest&,
                                     std::span<const float> logits);
// When these are in: what is left between their sum and the logit.
void close_contributions(ContributionTable&, std::span<const float> logits);

// The k most probable tokens after `logits`.
TopTokens top_tokens(RunId, Position, std::span<const float> logits, int k,
                     const tokenizer::Tokenizer&);

}  // namespace engine
