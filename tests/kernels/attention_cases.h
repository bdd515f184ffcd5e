// SPDX-License-Identifier: GPL-3.0-or-later
// Attention against the dense oracle: the one table that the CPU's and the device's kernels are
// held to. A Backend is made of (where, Shape), where being what its tests' first column says, and
// has
//   host_view()                      fp32, the numbers that the kernels got and gave
//   fill(begin, end, seed, spread)   as support::PagedTrace's
//   attend(rule, begin, end)         the dense z [end − begin, Hq, D] as fp32; rule.sinks on the
//   host z_allowed(), least_z()           of z, relative to its row's largest; what counts as
//   nothing
#pragma once
#include <QTest>
#include <cmath>

#include "tests/support/dense_oracle.h"
#include "tests/support/paged_trace.h"

struct AttentionErrors {
    double z = 0, lse = 0, row_sum = 0, dense_z = 0, scores = 0;
    double tolerance = 0, z_allowed = 0;
    bool fine() const {
        return z <= z_allowed && lse <= tolerance && row_sum <= tolerance && dense_z == 0 &&
               scores <= tolerance;
    }
    QByteArray text() const {
        return "z " + QByteArray::number(z) + " lse " + QByteArray::number(lse) + " row sum " +
               QByteArray::number(row_sum) + " dense z " + QByteArray::number(dense_z) +
               " scores " + QByteArray::number(scores) + " of " + QByteArray::number(tolerance);
    }
};

// NaN anywhere counts as infinitely wrong.
inline void worst(double& so_far, double error) {
    so_far = error <= so_far ? so_far : std::isnan(error) ? 1e300 : error;
}

// z relative to its row's largest; lse; the sum of exp(score − lse) against the oracle's; the dense
// z [rows − begin, Hq, D] against the pages; scores of the last row [Hq, rows], or empty.
template <typename Backend>
AttentionErrors attention_errors(const Backend& backend, const kernels::ScoreRule& rule,
                                 std::int64_t begin, std::int64_t rows,
                                 const std::vector<float>& z_out,
                                 const std::vector<float>& scores = {},
                                 support::Fault fault = support::Fault::None) {
    const kernels::TraceView& view = backend.host_view();
    AttentionErrors errors;
    errors.z_allowed = backend.z_allowed();
    for (int head = 0; head < view.query_heads; ++head) {
        const support::DenseHead dense = support::dense_head(view, rule, head, rows, fault, begin);
        errors.tolerance = std::max(errors.tolerance, dense.tolerance());
        for (std::int64_t t = begin; t < rows; ++t) {
            double largest = 0, error = 0;
            for (int d = 0; d < view.head_dim; ++d) {
                const double expected = dense.z(t, d);
                const float stored = view.z(t, head)[d];
                largest = std::max(largest, std::abs(expected));
                worst(error, std::abs(static_cast<double>(stored) - expected));
                const float out = z_out[static_cast<std::size_t>(
                    ((t - begin) * view.query_heads + head) * view.head_dim + d)];
                worst(errors.dense_z, std::abs(static_cast<double>(stored - out)));
            }
            if (error <= backend.least_z()) error = 0;
            worst(errors.z, largest > 0 ? error / largest : error);
            const double lse = dense.lse(t);
            const auto stored = static_cast<double>(*view.lse(t, head));
            if (std::isinf(lse)) {
                worst(errors.lse, stored == lse ? 0 : 1);
                continue;
            }
            worst(errors.lse, std::abs(stored - lse));
            double sum = 0, expected_sum = 0;
            for (std::int64_t src = 0; src <= t; ++src) {
                sum += std::exp(dense.score(t, src) - stored);
                expected_sum += dense.p(t, src);
            }
            worst(errors.row_sum, std::abs(sum - expected_sum));
        }
        if (scores.empty()) continue;
        for (std::int64_t src = 0; src < rows; ++src) {
            const float score = scores[static_cast<std::size_t>(head * rows + src)];
            const double expected = dense.score(rows - 1, src);
            if (std::isinf(expected))  // what is masked was not written
                worst(errors.scores, std::isnan(score) ? 0 : 1);
            else
                worst(errors.scores, std::abs(static_cast<double>(score) - expected));
        }
    }
    return errors;
}

inline kernels::ScoreRule rule_of(const support::Shape& shape, float cap = 0, int window = 0,
                                  const float* sinks = nullptr) {
    return {1 / std::sqrt(static_cast<float>(shape.dim)), cap, window, sinks};
}

// False after a failure of the running test.
inline bool within(const AttentionErrors& errors) {
    return QTest::qVerify(errors.fine(), "errors.fine()", errors.text(), __FILE__, __LINE__);
}

// dims: another that is no whole number of vectors; wide_group: one wider than a strip or tile.
inline void add_shapes(const char* name, int where, int odd_dim, int wide_group) {
    const auto add = [&](int page, int kv, int group, int dim, int rows) {
        QTest::addRow("%s page=%d heads=%dx%d dim=%d rows=%d", name, page, kv, group, dim, rows)
            << where << page << kv * group << group << dim << rows;
    };
    for (int page : {1, 16, 64, 128})
        for (int rows : {1, page - 1, page, page + 1, 2 * page - 1, 2 * page, 2 * page + 1})
            if (rows > 0) add(page, 2, 3, 64, rows);
    for (int group : {1, 2, 3, 4, 8})
        for (int dim : {16, 64, 80, 96, 128, 256}) add(16, 2, group, dim, 75);
    add(16, 1, 1, odd_dim, 50);
    add(64, 3, 3, 64, 300);  // several strips a thread
    add(64, 1, 5, 8, 200);
    add(64, 1, wide_group, 16, 9);
}
inline void add_shape_columns() {
    for (const char* column : {"where", "page", "heads", "group", "dim", "rows"})
        QTest::addColumn<int>(column);
}
struct ShapeRow {
    int where;
    support::Shape shape;
};
inline ShapeRow shape_row() {
    QFETCH(int, where);
    QFETCH(int, page);
    QFETCH(int, heads);
    QFETCH(int, group);
    QFETCH(int, dim);
    QFETCH(int, rows);
    return {where, {page, heads, heads / group, dim, rows}};
}
template <typename Backend>
void test_shape() {
    const ShapeRow row = shape_row();
    Backend backend(row.where, row.shape);
    backend.fill(0, row.shape.rows, 5, 2);
    const kernels::ScoreRule rule = rule_of(row.shape);
    const auto z = backend.attend(rule, 0, row.shape.rows);
    (void)within(attention_errors(backend, rule, 0, row.shape.rows, z));
}

inline void add_rule_columns() {
    QTest::addColumn<int>("where");
    QTest::addColumn<float>("cap");
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("sink");  // 0 none, 1 plain numbers, 2 one of −inf, 3 huge
}
inline void add_rules(const char* name, int where) {
    for (float cap : {0.0f, 5.0f, 50.0f})
        for (int window : {0, 1, 4, 17, 1000})
            for (int sink : {0, 1, 2, 3})
                QTest::addRow("%s cap=%g window=%d sink=%d", name, static_cast<double>(cap), window,
                              sink)
                    << where << cap << window << sink;
}
// also(backend, rule): what else a backend does with the same rows.
template <typename Backend, typename Also>
void test_rule(Also&& also) {
    QFETCH(int, where);
    QFETCH(float, cap);
    QFETCH(int, window);
    QFETCH(int, sink);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const support::Shape shape{16, 6, 2, 32, 131};
    Backend backend(where, shape);
    backend.fill(0, shape.rows, 5, 4);
    const std::vector<float> sinks = {
        0.5f, -3, 4, 1, sink == 2 ? -infinity : 2, sink == 3 ? 60.0f : 0};
    const kernels::ScoreRule rule = rule_of(shape, cap, window, sink == 0 ? nullptr : sinks.data());
    const auto z = backend.attend(rule, 0, shape.rows);
    if (within(attention_errors(backend, rule, 0, shape.rows, z))) also(backend, rule);
}

// Keys that a run forbids, of some heads and rows: some rows then see nothing, or sinks alone.
inline void add_forbidden_columns() {
    QTest::addColumn<int>("where");
    QTest::addColumn<float>("cap");
    QTest::addColumn<int>("window");
    QTest::addColumn<bool>("sink");
    QTest::addColumn<int>("dim");
}
inline void add_forbidden(const char* name, int where) {
    for (float cap : {0.0f, 5.0f})
        for (int window : {0, 17})
            for (bool sink : {false, true})
                for (int dim : {32, 80, 256})
                    QTest::addRow("%s cap=%g window=%d sink=%d dim=%d", name,
                                  static_cast<double>(cap), window, sink, dim)
                        << where << cap << window << sink << dim;
}
template <typename Backend>
void test_forbidden() {
    QFETCH(int, where);
    QFETCH(float, cap);
    QFETCH(int, window);
    QFETCH(bool, sink);
    QFETCH(int, dim);
    const support::Shape shape{16, 6, 2, dim, 131};
    Backend backend(where, shape);
    backend.fill(0, shape.rows, 5, 4);
    const std::vector<float> sinks = {0.5f, -3, 4, 1, 2, 0};
    const std::vector<kernels::EdgeRange> edges = {
        {1, 10, 90, 0, 14}, {1, 64, 131, 60, 70}, {4, 0, 8, 0, 8}, {5, 100, 101, 3, 101}};
    kernels::ScoreRule rule = rule_of(shape, cap, window, sink ? sinks.data() : nullptr);
    rule.forbidden = {edges.data(), static_cast<std::int32_t>(edges.size())};
    const auto z = backend.attend(rule, 0, shape.rows);
    if (!within(attention_errors(backend, rule, 0, shape.rows, z))) return;
    QVERIFY(!attention_errors(backend, rule, 0, shape.rows, z, {}, support::Fault::NothingForbidden)
                 .fine());
}

// The comparison must see a wrong rule.
inline void add_faults() {
    using support::Fault;
    QTest::addColumn<int>("fault");
    QTest::addRow("head mod kv instead of head / group")
        << static_cast<int>(Fault::TileInsteadOfRepeat);
    QTest::addRow("cap left out") << static_cast<int>(Fault::NoCap);
    QTest::addRow("window off by one") << static_cast<int>(Fault::WindowOffByOne);
    QTest::addRow("sink left out") << static_cast<int>(Fault::NoSink);
}
template <typename Backend>
void test_fault(int where) {
    QFETCH(int, fault);
    const support::Shape shape{16, 6, 2, 64, 70};
    Backend backend(where, shape);
    backend.fill(0, shape.rows, 5, 4);
    const std::vector<float> sinks(6, 0.5f);
    const kernels::ScoreRule rule = rule_of(shape, 5, 17, sinks.data());
    const auto z = backend.attend(rule, 0, shape.rows);
    QVERIFY(attention_errors(backend, rule, 0, shape.rows, z).fine());
    QVERIFY(
        !attention_errors(backend, rule, 0, shape.rows, z, {}, static_cast<support::Fault>(fault))
             .fine());
}

inline void add_chunk_columns() {
    for (const char* column : {"where", "page", "chunk", "window"}) QTest::addColumn<int>(column);
}
inline void add_chunks(const char* name, int where) {
    for (int page : {1, 16, 64})
        for (int chunk : {1, 7, 16, 61, 130})
            for (int window : {0, 9})
                QTest::addRow("%s page=%d chunk=%d window=%d", name, page, chunk, window)
                    << where << page << chunk << window;
}
// Rows arrive in chunks (1 is decoding across page edges); what is not yet written is NaN.
template <typename Backend>
void test_chunks() {
    QFETCH(int, where);
    QFETCH(int, page);
    QFETCH(int, chunk);
    QFETCH(int, window);
    const support::Shape shape{page, 6, 2, 64, 150};
    Backend backend(where, shape);
    const kernels::ScoreRule rule = rule_of(shape, 0, window);
    std::vector<float> z;
    for (std::int64_t begin = 0; begin < shape.rows; begin += chunk) {
        const std::int64_t end = std::min<std::int64_t>(shape.rows, begin + chunk);
        backend.fill(begin, end, 5, 2);
        const auto part = backend.attend(rule, begin, end);
        z.insert(z.end(), part.begin(), part.end());
    }
    (void)within(attention_errors(backend, rule, 0, shape.rows, z));
}

// Scores of some 160: where fp32 without the maximum's subtraction would overflow.
template <typename Backend>
bool large_scores_fit(int where) {
    const support::Shape shape{16, 2, 1, 64, 90};
    Backend backend(where, shape);
    backend.fill(0, shape.rows, 5, 50);
    const kernels::ScoreRule rule = rule_of(shape);
    const auto z = backend.attend(rule, 0, shape.rows);
    AttentionErrors errors = attention_errors(backend, rule, 0, shape.rows, z);
    // An error of the score is an error of z.
    errors.z_allowed = std::max(errors.z_allowed, errors.tolerance);
    return QTest::qVerify(errors.tolerance > 4e-5, "large scores", "", __FILE__, __LINE__) &&
           within(errors);
}
