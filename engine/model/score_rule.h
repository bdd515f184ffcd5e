// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cache/run_trace.h"
#include "engine/model/model.h"
#include "engine/values/ids.h"
#include "kernels/views.h"

namespace engine {

// How the decoder forms a layer's scores, in the kernels' terms; the rebuild must use the very
// same.
// With what the run forbids.
inline kernels::ScoreRule score_rule(const Model& model, const RunTrace& run, Layer layer) {
    const auto at = static_cast<std::size_t>(to_int(layer));
    const AttentionRule& rule = model.config.per_layer[at].attention;
    const std::vector<float>& sinks = model.layers[at].sinks;
    return {rule.scale, rule.soft_cap, rule.window, sinks.empty() ? nullptr : sinks.data(),
            run.forbidden(layer)};
}

}  // namespace engine
