// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of z or v become the lanes of a panel; the rows of R_h are the "keys": y = R_h z for a panel
// at once, of which only the sum of squares is kept. R is upper triangular, so a tile of rows
// starts at its first column.
#include "kernels/contribution.h"

#include "kernels/cpu/panel.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

constexpr int most_dim = 1024;  // views.h

template <int Vectors>
void panel_norms(const float* r, int dim, const float* panel, float* norms) {
    constexpr int width = panel_width<Vectors>, rows_a_block = 48;
    f32v squares[Vectors] = {};
    float st[rows_a_block * width];
    const float* rows[rows_a_block];
    for (int first = 0; first < dim; first += tile_rows<Vectors>) {
        const int count = least(tile_rows<Vectors>, dim - first);
        for (int i = 0; i < count; ++i)
            rows[i] = r + static_cast<std::int64_t>(first + i) * dim + first;
        score_panel<Vectors>(rows, count, panel + static_cast<std::int64_t>(first) * width,
                             dim - first, st);
        for (int i = 0; i < count; ++i)
            for (int v = 0; v < Vectors; ++v) {
                const f32v y = load(st + i * width + v * lanes);
                squares[v] += y * y;
            }
    }
    for (int i = 0; i < width; ++i) norms[i] = __builtin_sqrtf(squares[i / lanes][i % lanes]);
}

// Up to `width` rows of one head. norm, dot: `stride` apart, each may be null.
template <int Vectors>
void panel_forms(const float* const* rows, int count, int dim, const float* r, const float* p,
                 float* norm, float* dot, std::int64_t stride) {
    constexpr int width = panel_width<Vectors>;
    float panel[most_dim * width], result[width];
    pack_panel<Vectors>(rows, count, dim, 1.0f, panel);
    if (norm != nullptr) {
        panel_norms<Vectors>(r, dim, panel, result);
        for (int i = 0; i < count; ++i) norm[i * stride] = result[i];
    }
    if (dot != nullptr) {
        score_panel<Vectors>(&p, 1, panel, dim, result);
        for (int i = 0; i < count; ++i) dot[i * stride] = result[i];
    }
}

void forms(const float* const* rows, int count, int dim, const float* r, const float* p,
           float* norm, float* dot, std::int64_t stride) {
    if (count <= lanes)
        panel_forms<1>(rows, count, dim, r, p, norm, dot, stride);
    else
        panel_forms<2>(rows, count, dim, r, p, norm, dot, stride);
}

}  // namespace

void contributions(const ContributionArgs& args, const Parallel& parallel) {
    const TraceView& trace = args.trace;
    const std::int64_t heads = trace.query_heads, dim = trace.head_dim;
    const std::int64_t panels = divide_up(args.end - args.begin, 2 * lanes);
    parallel.for_each(panels * heads, [&](std::int64_t task) {
        const std::int32_t head =
            static_cast<std::int32_t>(task / panels);  // R_h stays in the cache
        const std::int64_t begin = args.begin + task % panels * 2 * lanes,
                           end = least(args.end, begin + 2 * lanes);
        const float* rows[2 * lanes];
        row_pointers(trace, trace.z_offset, head, begin, end, rows);
        const std::int64_t at = (begin - args.begin) * heads + head;
        forms(rows, static_cast<int>(end - begin), trace.head_dim,
              args.r ? args.r + head * dim * dim : nullptr, args.p ? args.p + head * dim : nullptr,
              args.r ? args.norm + at : nullptr, args.p ? args.dot + at : nullptr, heads);
    });
}

void column_weights(const ColumnWeightArgs& args, const Parallel& parallel) {
    const TraceView& trace = args.trace;
    const std::int32_t kv_head = args.head / (trace.query_heads / trace.kv_heads);
    const std::int64_t panels = divide_up(args.end - args.begin, 2 * lanes);
    parallel.for_each(panels, [&](std::int64_t panel) {
        const std::int64_t begin = args.begin + panel * 2 * lanes,
                           end = least(args.end, begin + 2 * lanes);
        const float* rows[2 * lanes];
        row_pointers(trace, trace.v_offset, kv_head, begin, end, rows);
        float* out = args.out + (begin - args.begin);
        forms(rows, static_cast<int>(end - begin), trace.head_dim, args.r, args.p,
              args.r ? out : nullptr, args.r ? nullptr : out, 1);
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
