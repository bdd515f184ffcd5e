// SPDX-License-Identifier: GPL-3.0-or-later
// From a TileRequest to the kernel's arguments, and the exact numbers of one cell.
#pragma once
#include <stop_token>

#include "engine/analysis/head_projections.h"
#include "engine/analysis/requests.h"
#include "engine/cache/run_table.h"
#include "engine/values/metrics.h"
#include "engine/values/tile.h"
#include "kernels/parallel.h"

namespace engine {

Tile rebuild_tile(const Model&, const HeadProjections&, const RunTable&, const TileRequest&,
                  std::stop_token, const kernels::Parallel&);

// Scores or patterns of rows × [0, rows.end) of all heads of a layer: [Hq, rows, rows.end].
std::vector<float> exact_rows(const Model&, const RunTrace&, Layer, Rows, bool scores,
                              const kernels::Parallel&);

// The same numbers of one head's row, on the sources `src`: [src].
std::vector<float> exact_row(const Model&, const RunTrace&, LayerHead, std::int64_t dest, Rows src,
                             bool scores, const kernels::Parallel&);

Cell exact_cell(const Model&, const HeadProjections&, const RunTrace&, LayerHead, Position dest,
                Position src, const Target&, const kernels::Parallel&);

HeadTable head_metrics(const Model&, const RunTrace&, const MetricsRequest&, std::stop_token,
                       const kernels::Parallel&);

}  // namespace engine
