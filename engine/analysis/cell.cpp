// SPDX-License-Identifier: GPL-3.0-or-later
// One cell in fp64 from the trace's own fp32 q, k, v: what the read-out shows.
#include <algorithm>
#include <cmath>

#include "engine/analysis/tiles.h"
#include "engine/model/score_rule.h"

namespace engine {
namespace {

double score(const kernels::ScoreRule& rule, const float* q, const float* k, int head_dim) {
    double dot = 0;
    for (int i = 0; i < head_dim; ++i) dot += double{q[i]} * k[i];
    const double scaled = dot * rule.scale;
    return rule.soft_cap > 0 ? rule.soft_cap * std::tanh(scaled / rule.soft_cap) : scaled;
}

}  // namespace

Cell exact_cell(const Model& model, const HeadProjections& projections, const RunTrace& run,
                LayerHead at, Position dest_position, Position src_position, const Target& target) {
    check_head(model, at);
    const std::int64_t dest = to_int(dest_position), src = to_int(src_position);
    check_rows(run, {dest, dest + 1});
    Cell cell;
    cell.run = run.id();
    cell.at = at;
    cell.dest = dest_position;
    cell.src = src_position;
    const kernels::TraceView trace = run.view(at.layer);
    const kernels::ScoreRule rule = score_rule(model, at.layer);
    const std::int64_t first =
        rule.window > 0 ? std::max<std::int64_t>(0, dest - rule.window + 1) : 0;
    cell.row_cells = dest - first + 1;
    if (src < first || src > dest) return cell;

    const int head = to_int(at.head), kv_head = head / trace.group(), d = trace.head_dim;
    const float* q = trace.q(dest, head);
    const double own = score(rule, q, trace.k(src, kv_head), d);
    const double p = std::exp(own - *trace.lse(dest, head));
    cell.visible = true;
    cell.score = static_cast<float>(own);
    cell.pattern = static_cast<float>(p);
    cell.rank = 1;
    for (std::int64_t key = first; key <= dest; ++key)
        if (score(rule, q, trace.k(key, kv_head), d) > own) ++cell.rank;

    const float* v = trace.v(src, kv_head);
    const Floats r = projections.r(to_int(at.layer));
    const Floats direction = projections.p(to_int(at.layer), target);
    double squares = 0, dot = 0;
    for (int row = 0; row < d; ++row) {
        const float* factors = r->data() + (static_cast<std::int64_t>(head) * d + row) * d;
        double sum = 0;
        for (int i = 0; i < d; ++i) sum += double{factors[i]} * v[i];
        squares += sum * sum;
        dot += double{(*direction)[static_cast<std::size_t>(head * d + row)]} * v[row];
    }
    cell.value_norm = static_cast<float>(p * std::sqrt(squares));
    cell.attribution = static_cast<float>(p * dot * run.final_scale()[dest]);
    return cell;
}

}  // namespace engine
