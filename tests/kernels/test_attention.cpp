// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "isas.h"
#include "kernels/attention.h"
#include "tests/support/dense_oracle.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

using support::Fault;
using support::PagedTrace;
using support::Shape;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Rows [begin, end) with scratch of exactly the asked size, poisoned, and a guard behind it.
std::vector<float> attend(const kernels::TraceView& view, const kernels::ScoreRule& rule,
                          std::int64_t begin, std::int64_t end, int threads) {
    kernels::AttendArgs args;
    args.trace = view;
    args.rule = rule;
    args.begin = begin;
    args.end = end;
    const float nan = std::numeric_limits<float>::quiet_NaN(), guard = 1234.5f;
    std::vector<float> z(static_cast<std::size_t>((end - begin) * view.query_heads * view.head_dim),
                         nan);
    const auto floats = static_cast<std::size_t>(kernels::cpu::attend_scratch(args, threads));
    std::vector<float> scratch(floats + 16, nan);
    std::fill(scratch.begin() + static_cast<std::ptrdiff_t>(floats), scratch.end(), guard);
    args.z_out = z.data();
    args.scratch = scratch.data();
    kernels::cpu::attend(args, support::on_threads(threads));
    for (std::size_t i = floats; i < scratch.size(); ++i)
        if (scratch[i] != guard) qFatal("attend wrote behind its scratch");
    return z;
}

struct Errors {
    double z = 0, lse = 0, row_sum = 0, dense_z = 0;
    double tolerance = 0;
    bool fine() const {
        return z <= 1e-5 && lse <= tolerance && row_sum <= tolerance && dense_z == 0;
    }
    QByteArray text() const {
        return QByteArray::number(z) + " " + QByteArray::number(lse) + " " +
               QByteArray::number(row_sum) + " " + QByteArray::number(dense_z);
    }
};

// NaN anywhere counts as infinitely wrong.
void worst(double& so_far, double error) {
    so_far = error <= so_far ? so_far : std::isnan(error) ? 1e300 : error;
}

// z relative to its row's largest; lse; the sum of exp(score − lse) against the oracle's; z_out
// against the pages.
Errors compare(const kernels::TraceView& view, const kernels::ScoreRule& rule, std::int64_t begin,
               std::int64_t rows, const std::vector<float>& z_out, Fault fault = Fault::None) {
    Errors errors;
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
    }
    return errors;
}

kernels::ScoreRule rule_of(const Shape& shape, float cap = 0, int window = 0,
                           const float* sinks = nullptr) {
    return {1 / std::sqrt(static_cast<float>(shape.dim)), cap, window, sinks};
}

void shape_columns() {
    QTest::addColumn<int>("isa");
    QTest::addColumn<int>("page");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("rows");
}

}  // namespace

class TestAttention : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void prefill_data() {
        shape_columns();
        for (auto isa : available_isas()) {
            const auto add = [&](int page, int kv, int group, int dim, int rows) {
                QTest::addRow("%s page=%d heads=%dx%d dim=%d rows=%d", kernels::cpu::isa_name(isa),
                              page, kv, group, dim, rows)
                    << static_cast<int>(isa) << page << kv * group << group << dim << rows;
            };
            for (int page : {1, 16, 64, 128})
                for (int rows : {1, page - 1, page, page + 1, 2 * page - 1, 2 * page, 2 * page + 1})
                    if (rows > 0) add(page, 2, 3, 64, rows);
            for (int group : {1, 2, 3, 4, 8})
                for (int dim : {16, 64, 80, 96, 128, 256}) add(16, 2, group, dim, 75);
            add(16, 1, 1, 20, 50);   // a dim that is no whole number of vectors
            add(64, 3, 3, 64, 300);  // several strips a thread
            add(64, 1, 5, 8, 200);
            add(64, 1, 200, 16, 9);  // a group wider than a strip
        }
    }
    void prefill() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(int, heads);
        QFETCH(int, group);
        QFETCH(int, dim);
        QFETCH(int, rows);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{page, heads, heads / group, dim, rows};
        PagedTrace trace(shape, 3);
        trace.fill(0, rows, 5);
        const kernels::ScoreRule rule = rule_of(shape);
        const auto z = attend(trace.view(), rule, 0, rows, 3);
        const Errors errors = compare(trace.view(), rule, 0, rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    void rules_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("sink");  // 0 none, 1 plain numbers, 2 one of −inf, 3 huge
        for (auto isa : available_isas())
            for (float cap : {0.0f, 5.0f, 50.0f})
                for (int window : {0, 1, 4, 17, 1000})
                    for (int sink : {0, 1, 2, 3})
                        QTest::addRow("%s cap=%g window=%d sink=%d", kernels::cpu::isa_name(isa),
                                      static_cast<double>(cap), window, sink)
                            << static_cast<int>(isa) << cap << window << sink;
    }
    void rules() {
        QFETCH(int, isa);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(int, sink);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{16, 6, 2, 32, 131};
        PagedTrace trace(shape, 3);
        trace.fill(0, shape.rows, 5, 4);
        std::vector<float> sinks = {
            0.5f, -3, 4, 1, sink == 2 ? -infinity : 2, sink == 3 ? 60.0f : 0};
        const kernels::ScoreRule rule =
            rule_of(shape, cap, window, sink == 0 ? nullptr : sinks.data());
        const auto z = attend(trace.view(), rule, 0, shape.rows, 2);
        const Errors errors = compare(trace.view(), rule, 0, shape.rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    // The comparison must see a wrong rule.
    void negativeControls_data() {
        QTest::addColumn<int>("fault");
        QTest::addRow("head mod kv instead of head / group")
            << static_cast<int>(Fault::TileInsteadOfRepeat);
        QTest::addRow("cap left out") << static_cast<int>(Fault::NoCap);
        QTest::addRow("window off by one") << static_cast<int>(Fault::WindowOffByOne);
        QTest::addRow("sink left out") << static_cast<int>(Fault::NoSink);
    }
    void negativeControls() {
        QFETCH(int, fault);
        const Shape shape{16, 6, 2, 64, 70};
        PagedTrace trace(shape, 3);
        trace.fill(0, shape.rows, 5, 4);
        const std::vector<float> sinks(6, 0.5f);
        const kernels::ScoreRule rule = rule_of(shape, 5, 17, sinks.data());
        const auto z = attend(trace.view(), rule, 0, shape.rows, 2);
        QVERIFY(compare(trace.view(), rule, 0, shape.rows, z).fine());
        QVERIFY(!compare(trace.view(), rule, 0, shape.rows, z, static_cast<Fault>(fault)).fine());
    }

    void chunks_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("chunk");
        QTest::addColumn<int>("window");
        for (auto isa : available_isas())
            for (int page : {1, 16, 64})
                for (int chunk : {1, 7, 16, 61, 130})
                    for (int window : {0, 9})
                        QTest::addRow("%s page=%d chunk=%d window=%d", kernels::cpu::isa_name(isa),
                                      page, chunk, window)
                            << static_cast<int>(isa) << page << chunk << window;
    }
    // Rows arrive in chunks (1 is decoding across page edges); what is not yet written is NaN.
    void chunks() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(int, chunk);
        QFETCH(int, window);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{page, 6, 2, 64, 150};
        PagedTrace trace(shape, 3);
        const kernels::ScoreRule rule = rule_of(shape, 0, window);
        std::vector<float> z;
        for (std::int64_t begin = 0; begin < shape.rows; begin += chunk) {
            const std::int64_t end = std::min<std::int64_t>(shape.rows, begin + chunk);
            trace.fill(begin, end, 5);
            const auto part = attend(trace.view(), rule, begin, end, 2);
            z.insert(z.end(), part.begin(), part.end());
        }
        const Errors errors = compare(trace.view(), rule, 0, shape.rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    void split_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("last");  // rows of the step
        QTest::addColumn<int>("window");
        for (auto isa : available_isas())
            for (int threads : {1, 2, 5, 16})
                for (int group : {1, 3, 8})
                    for (int last : {1, 2, 5})
                        for (int window : {0, 600})
                            QTest::addRow("%s threads=%d group=%d rows=%d window=%d",
                                          kernels::cpu::isa_name(isa), threads, group, last, window)
                                << static_cast<int>(isa) << threads << group << last << window;
    }
    // Keys split over threads, with sinks added once and not per split.
    void split() {
        QFETCH(int, isa);
        QFETCH(int, threads);
        QFETCH(int, group);
        QFETCH(int, last);
        QFETCH(int, window);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{64, group, 1, 32, 1301};
        PagedTrace trace(shape, 3);
        trace.fill(0, shape.rows, 5);
        const std::vector<float> sinks(static_cast<std::size_t>(group), 1.5f);
        const kernels::ScoreRule rule = rule_of(shape, 0, window, sinks.data());
        const auto z = attend(trace.view(), rule, shape.rows - last, shape.rows, threads);
        const Errors errors = compare(trace.view(), rule, shape.rows - last, shape.rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    // Scores of some 160: where fp32 without the maximum's subtraction would overflow.
    void largeScores() {
        for (auto isa : available_isas()) {
            kernels::cpu::force_isa(isa);
            const Shape shape{16, 2, 1, 64, 90};
            PagedTrace trace(shape, 3);
            trace.fill(0, shape.rows, 5, 50);
            const kernels::ScoreRule rule = rule_of(shape);
            const auto z = attend(trace.view(), rule, 0, shape.rows, 2);
            Errors errors = compare(trace.view(), rule, 0, shape.rows, z);
            errors.z *= 1e-5 / errors.tolerance;  // an error of the score is an error of z
            QVERIFY(errors.tolerance > 4e-5);
            QVERIFY2(errors.fine(), errors.text());
        }
    }
};

QTEST_APPLESS_MAIN(TestAttention)
#include "test_attention.moc"
