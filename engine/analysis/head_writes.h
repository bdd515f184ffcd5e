// SPDX-License-Identifier: GPL-3.0-or-later
// What heads, MLPs and the embedding write at a position, by length and by logit attribution; and
// the invariants.
#pragma once
#include <vector>

#include "engine/analysis/head_projections.h"
#include "engine/analysis/residual_replay.h"
#include "engine/values/checks.h"
#include "engine/values/contribution.h"

namespace engine {

// z_h · W_O_hᵀ of every head: z [rows, Hq · D] → [rows, Hq, d_model].
std::vector<float> head_contributions(const Model&, int layer, const float* z, std::int64_t rows,
                                      const kernels::Parallel&);

// Logits of one row: those the run had where they are kept, else from its replayed residual stream.
std::vector<float> row_logits(const RunTrace&, std::int64_t position, ResidualReplay&);

ContributionTable contributions_at(const Model&, const HeadProjections&, const RunTrace&,
                                   const ContributionRequest&, ResidualReplay&,
                                   const kernels::Parallel&);

CheckReport check_layer_of(const Model&, const RunTrace&, Layer, ResidualReplay&,
                           const kernels::Parallel&);

}  // namespace engine
