// SPDX-License-Identifier: GPL-3.0-or-later
// What the head table is made of, by plain loops in fp64: the one table that the CPU's and the
// device's kernels are held to. Six query heads and two KV heads for writes, four for metrics.
#pragma once
#include <QTest>
#include <random>

#include "kernels/pattern.h"
#include "tests/support/dense_oracle.h"

inline std::vector<float> numbers(std::int64_t n, unsigned seed, float spread = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) x = spread * normal(random);
    return v;
}

// [heads][dim][dim], zero below the diagonal.
inline std::vector<float> triangles(int heads, int dim) {
    auto r = numbers(std::int64_t{heads} * dim * dim, 8);
    for (int h = 0; h < heads; ++h)
        for (int i = 0; i < dim; ++i)
            for (int j = 0; j < i; ++j) r[static_cast<std::size_t>((h * dim + i) * dim + j)] = 0;
    return r;
}

// Of a head's R and p at x: a length within 1e-5 of the oracle's, a dot within 1e-6 of its terms.
inline bool is_length(float length, const float* r, const float* x, int dim) {
    double squares = 0;
    for (int i = 0; i < dim; ++i) {
        double y = 0;
        for (int j = 0; j < dim; ++j)
            y += static_cast<double>(r[i * dim + j]) * static_cast<double>(x[j]);
        squares += y * y;
    }
    const double expected = std::sqrt(squares);
    return std::abs(static_cast<double>(length) - expected) <= 1e-5 * expected;
}
inline bool is_dot(float dot, const float* p, const float* x, int dim) {
    double expected = 0, size = 0;
    for (int j = 0; j < dim; ++j) {
        const double term = static_cast<double>(p[j]) * static_cast<double>(x[j]);
        expected += term;
        size += std::abs(term);
    }
    return std::abs(static_cast<double>(dot) - expected) <= 1e-6 * size;
}

// Whether all numbers of a trace's six heads and rows [begin, end) are right: norm and dot [rows,
// 6] of z, and of v what weights(head) returns, {lengths, dots} of the rows.
template <typename Weights>
bool right_writes(const kernels::TraceView& trace, int begin, int end, const std::vector<float>& r,
                  const std::vector<float>& p, const std::vector<float>& norm,
                  const std::vector<float>& dot, Weights&& weights) {
    const int dim = trace.head_dim;
    bool right = true;
    for (int head = 0; head < 6; ++head) {
        const float *of_r = r.data() + head * dim * dim, *of_p = p.data() + head * dim;
        const auto [lengths, dots] = weights(head);
        for (int t = begin; t < end; ++t) {
            const auto row = static_cast<std::size_t>(t - begin),
                       at = row * 6 + static_cast<std::size_t>(head);
            right = right && is_length(norm[at], of_r, trace.z(t, head), dim) &&
                    is_dot(dot[at], of_p, trace.z(t, head), dim) &&
                    is_length(lengths[row], of_r, trace.v(t, head / 3), dim) &&
                    is_dot(dots[row], of_p, trace.v(t, head / 3), dim);
        }
    }
    return right;
}

// Rows of a table of metrics behind a first column that says where they are measured.
inline void add_metrics_columns() {
    QTest::addColumn<int>("where");
    QTest::addColumn<int>("page");
    QTest::addColumn<float>("cap");
    QTest::addColumn<int>("window");
    QTest::addColumn<bool>("sink");
    QTest::addColumn<bool>("forbid");
    QTest::addColumn<int>("begin");
    QTest::addColumn<int>("end");
}
inline void add_metrics_rows(const char* name, int where) {
    for (int page : {1, 16, 64})
        for (float cap : {0.0f, 3.0f})
            for (int window : {0, 4, 17})
                for (auto [sink, forbid] : {std::pair{false, false}, {true, false}, {true, true}})
                    for (auto [begin, end] : {std::pair{0, 1}, {0, 200}, {63, 145}, {9, 9}})
                        QTest::addRow("%s page=%d cap=%g window=%d sink=%d forbid=%d rows=%d-%d",
                                      name, page, static_cast<double>(cap), window, sink, forbid,
                                      begin, end)
                            << where << page << cap << window << sink << forbid << begin << end;
}
// Of two of the four heads; every row still sees something.
inline std::vector<kernels::EdgeRange> metrics_edges(bool forbid) {
    if (!forbid) return {};
    return {{1, 17, 90, 0, 14}, {1, 100, 150, 96, 99}, {3, 10, 200, 0, 1}};
}

// The oracle of each of a trace's heads, whose lse it stores.
inline std::vector<support::DenseHead> dense_heads(const kernels::TraceView& trace,
                                                   const kernels::ScoreRule& rule, int rows) {
    std::vector<support::DenseHead> dense;
    for (int h = 0; h < trace.query_heads; ++h) {
        dense.push_back(support::dense_head(trace, rule, h, rows));
        for (std::int64_t t = 0; t < rows; ++t)
            *trace.lse(t, h) = static_cast<float>(dense.back().lse(t));
    }
    return dense;
}

// Of a few words, so that most come again, some at once.
inline std::vector<std::int32_t> words(int rows) {
    std::mt19937 random(11);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < rows; ++i)
        tokens.push_back(i > 0 && random() % 5 == 0 ? tokens.back()
                                                    : static_cast<std::int32_t>(random() % 9));
    return tokens;
}

inline bool right_metrics(const kernels::MetricsHead& head, const support::DenseHead& d,
                          const std::vector<std::int32_t>& tokens, int begin, int end, int window) {
    double sink_sum = 0, entropy = 0, largest = 0, low = INFINITY, high = -INFINITY;
    double mass = 0, distance = 0, previous = 0, duplicate = 0, induction = 0;
    const auto same = [&](std::int64_t dest, std::int64_t src) {
        return tokens[static_cast<std::size_t>(dest)] == tokens[static_cast<std::size_t>(src)];
    };
    for (std::int64_t dest = begin; dest < end; ++dest)
        for (std::int64_t src = 0; src <= dest; ++src) {
            if (!support::visible(dest, src, window)) continue;
            const double p = d.p(dest, src), s = d.score(dest, src);
            if (std::isinf(s)) continue;  // forbidden
            if (src == 0) sink_sum += p;
            if (src > 0) largest = std::max(largest, p);
            if (p > 0) entropy -= p * std::log(p);
            mass += p;
            distance += p * static_cast<double>(dest - src);
            if (src == dest - 1) previous += p;
            if (src < dest && same(dest, src)) duplicate += p;
            if (src > 0 && same(dest, src - 1)) induction += p;
            low = std::min(low, s);
            high = std::max(high, s);
        }
    if (begin == end) low = high = 0;
    const double rows = std::max(1, end - begin), allowed = d.tolerance();
    const auto near = [&](double sum, double expected, double longest) {
        return std::abs(sum - expected) <= allowed * rows * longest;
    };
    return near(head.sink_sum, sink_sum, 1) && near(head.mass_sum, mass, 1) &&
           near(head.distance_sum, distance, end) && near(head.previous_sum, previous, 1) &&
           near(head.duplicate_sum, duplicate, 1) && near(head.induction_sum, induction, 1) &&
           std::abs(head.entropy_sum - entropy) <= 10 * allowed * rows &&
           std::abs(static_cast<double>(head.max_pattern) - largest) <= allowed &&
           std::abs(static_cast<double>(head.min_score) - low) <= allowed &&
           std::abs(static_cast<double>(head.max_score) - high) <= allowed;
}
