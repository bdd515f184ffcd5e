// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "app/verbs/bench_figures.h"
#include "engine/trace_reader.h"

namespace app {

// layer_pattern_ms, view_ms, view_to_host_ms, grid_ms, grid_mean_ms, bars_ms of a run of `context`
// tokens. Rebuilding is timed where it happens (on a GPU by its own clock), what arrives on the
// host and the bars as a caller waits for them.
void benchViews(const BenchSubject&, const engine::TraceReader&, engine::RunId,
                std::int64_t context);

}  // namespace app
