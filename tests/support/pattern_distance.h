// SPDX-License-Identifier: GPL-3.0-or-later
// How far a checkpoint's patterns are from the golden ones, as it is or with something changed:
// what is left out must show.
#pragma once
#include <functional>

#include "engine/analysis/tiles.h"
#include "engine/families/family.h"
#include "engine/model/decoder.h"
#include "tests/support/golden_run.h"

// The largest distance of any layer. The plan is changed after the file was checked against it.
inline double pattern_distance(
    const Golden& golden, const std::string& path,
    const std::function<void(engine::families::ModelPlan&)>& change = {},
    const std::function<void(engine::formats::StoredTensor&)>& change_weight = {}) {
    using namespace engine;
    formats::Checkpoint checkpoint = formats::open_checkpoint(path);
    families::ModelPlan plan = families::plan_model(checkpoint);
    if (change) change(plan);
    if (change_weight)
        for (auto& [name, tensor] : checkpoint.tensors) change_weight(tensor);
    const auto model = load_model(checkpoint, plan, {}, {});
    const auto layout = std::make_shared<const TraceLayout>(plan.config, 16, true);
    const auto pool = std::make_shared<PagePool>(layout->page_bytes(), 16);
    RunTrace run(RunId{1}, pool, layout, golden.rows);
    run.set_prompt_length(static_cast<std::int64_t>(golden.prompt.size()));
    for (std::int64_t i = 0; i < golden.rows; ++i)
        run.append_token(golden.tokens[static_cast<std::size_t>(i)]);
    run.ensure_pages(golden.rows);
    const Rows rows{0, golden.rows};
    Decoder(model, {}).forward(run, rows, nullptr, {}, {});
    run.publish(golden.rows, nullptr);
    double most = 0;
    for (int layer = 0; layer < plan.config.layers; ++layer)
        most =
            std::max(most, golden.distance("pattern", layer,
                                           exact_rows(*model, run, Layer{layer}, rows, false, {})));
    return most;
}
