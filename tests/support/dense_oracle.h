// SPDX-License-Identifier: GPL-3.0-or-later
// Attention in fp64 by plain loops over the very same q, k and v: what every kernel and the engine
// are compared with.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/views.h"

namespace support {

// One query head, dest rows [first, rows). Everything is asked for by position.
struct DenseHead {
    std::int64_t first = 0, rows = 0;
    int dim = 0;
    std::vector<double> scores, pattern;  // [rows − first, rows]; masked, forbidden: −inf and 0
    std::vector<double> lses;             // [rows − first]
    std::vector<double> zs;               // [rows − first, dim]
    double largest_score = 0;             // |score| of visible cells

    std::size_t at(std::int64_t dest, std::int64_t column, std::int64_t columns) const {
        return static_cast<std::size_t>((dest - first) * columns + column);
    }
    double score(std::int64_t dest, std::int64_t src) const { return scores[at(dest, src, rows)]; }
    double p(std::int64_t dest, std::int64_t src) const { return pattern[at(dest, src, rows)]; }
    double lse(std::int64_t dest) const { return lses[at(dest, 0, 1)]; }
    double z(std::int64_t dest, int d) const { return zs[at(dest, d, dim)]; }
    // Of the pattern and of a row's sum.
    double tolerance() const { return 1e-5 + 2 * 1.1920929e-7 * largest_score; }
};

// Which parts of the rule are wrong on purpose: a negative control must fail its comparison.
enum class Fault { None, TileInsteadOfRepeat, NoCap, WindowOffByOne, NoSink, NothingForbidden };

inline bool visible(std::int64_t dest, std::int64_t src, std::int64_t window) {
    return src <= dest && (window == 0 || src > dest - window);
}

inline DenseHead dense_head(const kernels::TraceView& trace, const kernels::ScoreRule& rule,
                            int head, std::int64_t rows, Fault fault = Fault::None,
                            std::int64_t first = 0) {
    DenseHead out;
    out.first = first;
    out.rows = rows;
    out.dim = trace.head_dim;
    const double minus_infinity = -std::numeric_limits<double>::infinity();
    const std::int64_t computed = rows - first;
    out.scores.assign(static_cast<std::size_t>(computed * rows), minus_infinity);
    out.pattern.assign(static_cast<std::size_t>(computed * rows), 0);
    out.lses.assign(static_cast<std::size_t>(computed), minus_infinity);
    out.zs.assign(static_cast<std::size_t>(computed * out.dim), 0);
    const int group = trace.query_heads / trace.kv_heads;
    const int kv_head = fault == Fault::TileInsteadOfRepeat ? head % trace.kv_heads : head / group;
    const std::int64_t window = rule.window + (fault == Fault::WindowOffByOne ? 1 : 0);
    for (std::int64_t dest = first; dest < rows; ++dest) {
        double* s = out.scores.data() + (dest - first) * rows;
        double highest = minus_infinity;
        for (std::int64_t src = 0; src <= dest; ++src) {
            if (!visible(dest, src, window)) continue;
            if (fault != Fault::NothingForbidden && rule.forbidden.hold(head, dest, src)) continue;
            double dot = 0;
            for (int d = 0; d < out.dim; ++d)
                dot += static_cast<double>(trace.q(dest, head)[d]) *
                       static_cast<double>(trace.k(src, kv_head)[d]);
            dot *= static_cast<double>(rule.scale);
            const double cap = static_cast<double>(rule.soft_cap);
            s[src] = cap > 0 && fault != Fault::NoCap ? cap * std::tanh(dot / cap) : dot;
            highest = std::max(highest, s[src]);
            out.largest_score = std::max(out.largest_score, std::abs(s[src]));
        }
        const bool sink = rule.sinks != nullptr && fault != Fault::NoSink;
        if (sink) highest = std::max(highest, static_cast<double>(rule.sinks[head]));
        if (highest == minus_infinity) continue;
        double total = sink ? std::exp(static_cast<double>(rule.sinks[head]) - highest) : 0;
        for (std::int64_t src = 0; src <= dest; ++src) total += std::exp(s[src] - highest);
        out.lses[out.at(dest, 0, 1)] = highest + std::log(total);
        for (std::int64_t src = 0; src <= dest; ++src) {
            const double p = std::exp(s[src] - highest) / total;
            out.pattern[out.at(dest, src, rows)] = p;
            if (p == 0) continue;
            for (int d = 0; d < out.dim; ++d)
                out.zs[out.at(dest, d, out.dim)] +=
                    p * static_cast<double>(trace.v(src, kv_head)[d]);
        }
    }
    return out;
}

}  // namespace support
