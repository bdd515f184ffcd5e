// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants on a real run, per layer, over rows spread evenly (the report says how many of how
// many).
#include <cmath>
#include <limits>

#include "engine/analysis/findings.h"
#include "engine/analysis/head_writes.h"
#include "engine/analysis/tiles.h"
#include "engine/model/score_rule.h"

namespace engine {

CheckReport check_layer_of(const Model& model, const RunTrace& run, Layer layer,
                           ResidualReplay& replay, const kernels::Parallel& parallel) {
    const ModelConfig& config = model.config;
    check_layer(config, layer);
    const std::int64_t published = run.rows();
    check_rows(published, {0, published});
    const std::int64_t d = config.head_dim, heads = config.query_heads, d_model = config.d_model;
    const kernels::TraceView trace = run.view(layer);
    const kernels::ScoreRule rule = score_rule(model, run, layer);

    const std::vector<std::int64_t> chosen = rows_to_check(published);
    Findings findings;
    std::vector<float> z(chosen.size() * static_cast<std::size_t>(config.q_columns()));
    float* next_z = z.data();
    for (const std::int64_t dest : chosen) {
        const Rows row{dest, dest + 1};
        const std::vector<float> pattern = exact_rows(model, run, layer, row, false, parallel);
        const std::vector<float> scores = exact_rows(model, run, layer, row, true, parallel);
        for (std::int64_t h = 0; h < heads; ++h) {
            const float* p = pattern.data() + h * (dest + 1);
            double sum = 0;
            std::vector<double> rebuilt(static_cast<std::size_t>(d), 0.0);
            for (std::int64_t src = 0; src <= dest; ++src) {
                const float s = scores[static_cast<std::size_t>(h * (dest + 1) + src)];
                if (std::isinf(s) && s < 0) continue;  // outside the window: p is 0
                findings.score.see(std::abs(s));
                sum += p[src];
                const float* v = trace.v(src, static_cast<std::int32_t>(h) / trace.group());
                for (std::int64_t i = 0; i < d; ++i)
                    rebuilt[static_cast<std::size_t>(i)] += double{p[src]} * v[i];
            }
            if (rule.sinks != nullptr)
                sum += std::exp(double{rule.sinks[h]} -
                                *trace.lse(dest, static_cast<std::int32_t>(h)));
            if (*trace.lse(dest, static_cast<std::int32_t>(h)) ==
                -std::numeric_limits<float>::infinity())
                sum = 1;  // every key forbidden: a row without a pattern
            findings.row_sum.see(std::abs(sum - 1));
            // Where the run edits z, z is not what the pattern gives.
            if (run.edits().change({layer, QueryHead{static_cast<std::int32_t>(h)}}, dest))
                continue;
            const float* kept = trace.z(dest, static_cast<std::int32_t>(h));
            for (std::int64_t i = 0; i < d; ++i)
                findings.z.see(rebuilt[static_cast<std::size_t>(i)], kept[i]);
        }
        gather_z(trace, row, next_z);
        next_z += config.q_columns();
    }

    const Linear& o = model.layers[static_cast<std::size_t>(to_int(layer))].o;
    const auto count = static_cast<std::int64_t>(chosen.size());
    const std::vector<float> parts =
        head_contributions(model, to_int(layer), z.data(), count, parallel);
    std::vector<float> whole(static_cast<std::size_t>(count * d_model));
    PanelScratch panel;
    o.forward(z.data(), count, whole.data(), false, panel, parallel);
    for (std::int64_t row = 0; row < count; ++row) {
        for (std::int64_t i = 0; i < d_model; ++i) {
            double sum = o.bias() != nullptr ? o.bias()[i] : 0.0;
            for (std::int64_t h = 0; h < heads; ++h)
                sum += parts[static_cast<std::size_t>((row * heads + h) * d_model + i)];
            findings.heads.see(sum, whole[static_cast<std::size_t>(row * d_model + i)]);
        }
    }

    // embedding + Σ writes = the residual stream that the logits came from: told by the logits
    // themselves, those the run had against those of the stream computed again.
    const auto kept = run.newest_logits();
    if (to_int(layer) == config.layers - 1 && kept && kept->position < published) {
        const std::vector<float> again = replay.logits_of(run, kept->position);
        for (std::size_t i = 0; i < again.size(); ++i)
            findings.closing.see(again[i], kept->values[i]);
    }
    return findings.report(layer, count, published, DType::F32);
}

}  // namespace engine
