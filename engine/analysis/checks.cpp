// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants on a real run, per layer, over rows spread evenly (the report says how many of how
// many).
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/analysis/head_writes.h"
#include "engine/analysis/tiles.h"

namespace engine {
namespace {

constexpr std::int64_t most_rows = 16;

std::vector<std::int64_t> spread(std::int64_t rows) {
    const std::int64_t count = std::min(rows, most_rows);
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < count; ++i)
        chosen.push_back(count == 1 ? rows - 1 : i * (rows - 1) / (count - 1));
    return chosen;
}

// A comparison with NaN must not pass for a small error.
float error(double value) {
    return std::isnan(value) ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
}

struct Largest {
    double value = 0;
    void see(double x) {
        if (std::isnan(x) || x > value) value = x;
    }
};

}  // namespace

CheckReport check_layer_of(const Model& model, const RunTrace& run, Layer layer,
                           ResidualReplay& replay, const kernels::Parallel& parallel) {
    check_layer(model, layer);
    const std::int64_t published = run.rows();
    check_rows(run, {0, published});
    const ModelConfig& config = model.config;
    const std::int64_t d = config.head_dim, heads = config.query_heads, d_model = config.d_model;
    const kernels::TraceView trace = run.view(layer);
    CheckReport report;
    report.layer = layer;
    report.rows = published;

    const std::vector<std::int64_t> chosen = spread(published);
    report.rows_checked = static_cast<std::int64_t>(chosen.size());
    Largest row_sum, score, z_apart, z_most;
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
                score.see(std::abs(s));
                sum += p[src];
                const float* v = trace.v(src, static_cast<std::int32_t>(h) / trace.group());
                for (std::int64_t i = 0; i < d; ++i)
                    rebuilt[static_cast<std::size_t>(i)] += double{p[src]} * v[i];
            }
            row_sum.see(std::abs(sum - 1));
            const float* kept = trace.z(dest, static_cast<std::int32_t>(h));
            for (std::int64_t i = 0; i < d; ++i) {
                z_apart.see(std::abs(rebuilt[static_cast<std::size_t>(i)] - kept[i]));
                z_most.see(std::abs(kept[i]));
            }
        }
        gather_z(trace, row, next_z);
        next_z += config.q_columns();
    }

    Largest heads_apart, heads_most;
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
            const double out = whole[static_cast<std::size_t>(row * d_model + i)];
            heads_apart.see(std::abs(sum - out));
            heads_most.see(std::abs(out));
        }
    }
    report.row_sum_error = error(row_sum.value);
    report.row_sum_tolerance =
        static_cast<float>(1e-5 + 2 * std::numeric_limits<float>::epsilon() * score.value);
    report.z_error = error(z_most.value > 0 ? z_apart.value / z_most.value : z_apart.value);
    report.heads_error =
        error(heads_most.value > 0 ? heads_apart.value / heads_most.value : heads_apart.value);

    // embedding + Σ writes = the residual stream that the logits came from: told by the logits
    // themselves, those the run had against those of the stream computed again.
    const auto kept = run.newest_logits();
    if (to_int(layer) == config.layers - 1 && kept && kept->position < published) {
        const std::vector<float> again = replay.logits_of(run, kept->position);
        Largest apart, most;
        for (std::size_t i = 0; i < again.size(); ++i) {
            apart.see(std::abs(double{again[i]} - kept->values[i]));
            most.see(std::abs(kept->values[i]));
        }
        report.closes_error = error(most.value > 0 ? apart.value / most.value : apart.value);
    }
    return report;
}

}  // namespace engine
