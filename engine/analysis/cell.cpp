// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/cell.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/tiles.h"
#include "engine/model/score_rule.h"

namespace engine {

Cell place_cell(RunId run, LayerHead at, Position dest, Position src,
                const kernels::ScoreRule& rule) {
    Cell cell;
    cell.run = run;
    cell.at = at;
    cell.dest = dest;
    cell.src = src;
    const std::int64_t row = to_int(dest), column = to_int(src);
    const auto sees = [&](std::int64_t key) {
        return key >= first_key(rule, row) && key <= row &&
               !rule.forbidden.hold(to_int(at.head), row, key);
    };
    for (std::int64_t key = first_key(rule, row); key <= row; ++key)
        cell.row_cells += sees(key) ? 1 : 0;
    cell.visible = sees(column);
    return cell;
}

std::int64_t first_key(const kernels::ScoreRule& rule, std::int64_t dest) {
    return rule.window > 0 ? std::max<std::int64_t>(0, dest + 1 - rule.window) : 0;
}

void fill_cell(Cell& cell, const CellParts& parts) {
    const auto at = static_cast<std::size_t>(to_int(cell.src) - parts.first);
    const int d = parts.head_dim;
    cell.score = parts.scores[at];
    cell.pattern = parts.pattern[at];
    cell.rank = 1 + std::count_if(parts.scores.begin(), parts.scores.end(),
                                  [&](float other) { return other > cell.score; });

    double squares = 0, dot = 0;
    for (int row = 0; row < d; ++row) {
        double sum = 0;
        for (int i = 0; i < d; ++i) sum += double{parts.r[row * d + i]} * parts.v[i];
        squares += sum * sum;
        dot += double{parts.p[row]} * parts.v[row];
    }
    const double through = double{parts.attention_scale} * parts.left;
    cell.value_norm = static_cast<float>(cell.pattern * std::sqrt(squares) * std::abs(through));
    cell.attribution = static_cast<float>(cell.pattern * dot * through * parts.final_scale);
}

Cell exact_cell(const Model& model, const HeadProjections& projections, const RunTrace& run,
                LayerHead at, Position dest_position, Position src_position, const Target& target,
                const kernels::Parallel& parallel) {
    check_head(model.config, at);
    const std::int64_t dest = to_int(dest_position), src = to_int(src_position);
    check_rows(run.rows(), {dest, dest + 1});
    const kernels::TraceView trace = run.view(at.layer);
    const kernels::ScoreRule rule = score_rule(model, run, at.layer);
    Cell cell = place_cell(run.id(), at, dest_position, src_position, rule);
    if (rule.sinks != nullptr)
        cell.sink = std::exp(rule.sinks[to_int(at.head)] - *trace.lse(dest, to_int(at.head)));
    if (!cell.visible) return cell;

    const int head = to_int(at.head), kv_head = head / trace.group(), d = trace.head_dim;
    const Floats r = projections.r(to_int(at.layer)), p = projections.p(to_int(at.layer), target);
    const Rows keys{first_key(rule, dest), dest + 1};
    const std::vector<float> scores = exact_row(model, run, at, dest, keys, true, parallel),
                             pattern = exact_row(model, run, at, dest, keys, false, parallel);
    CellParts parts;
    parts.head_dim = d;
    parts.first = keys.begin;
    parts.scores = scores;
    parts.pattern = pattern;
    parts.v = trace.v(src, kv_head);
    parts.final_scale = run.final_scale()[dest];
    if (const float* scales = run.attention_scales(at.layer)) parts.attention_scale = scales[dest];
    parts.left = run.edits().left_of(at, dest);
    parts.r = r->data() + std::int64_t{head} * d * d;
    parts.p = p->data() + std::int64_t{head} * d;
    fill_cell(cell, parts);
    return cell;
}

}  // namespace engine
