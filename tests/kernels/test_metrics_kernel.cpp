// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "isas.h"
#include "kernels/pattern.h"
#include "tests/support/dense_oracle.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

class TestMetricsKernel : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void heads_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("page");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        QTest::addColumn<bool>("sink");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        for (auto isa : available_isas())
            for (int page : {1, 16, 64})
                for (float cap : {0.0f, 3.0f})
                    for (int window : {0, 4, 17})
                        for (bool sink : {false, true})
                            for (auto [begin, end] : {std::pair{0, 1}, {0, 200}, {63, 145}, {9, 9}})
                                QTest::addRow("%s page=%d cap=%g window=%d sink=%d rows=%d-%d",
                                              kernels::cpu::isa_name(isa), page,
                                              static_cast<double>(cap), window, sink, begin, end)
                                    << static_cast<int>(isa) << page << cap << window << sink
                                    << begin << end;
    }
    void heads() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(bool, sink);
        QFETCH(int, begin);
        QFETCH(int, end);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const support::Shape shape{page, 4, 2, 32, 200};
        support::PagedTrace trace(shape, 3);
        trace.fill(0, std::max(end, 1), 5);
        const std::vector<float> sinks = {0.5f, 2, -1, 3};
        const kernels::ScoreRule rule{1 / std::sqrt(32.0f), cap, window,
                                      sink ? sinks.data() : nullptr};
        std::vector<kernels::MetricsHead> table(4);
        std::vector<support::DenseHead> dense;
        for (int h = 0; h < 4; ++h) {
            dense.push_back(support::dense_head(trace.view(), rule, h, end));
            for (std::int64_t t = 0; t < end; ++t)
                *trace.view().lse(t, h) = static_cast<float>(dense.back().lse(t));
            kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            head.trace = trace.view();
            head.rule = rule;
            head.head = h;
            head.sink_sum = 99;  // overwritten
        }
        kernels::cpu::metrics(table.data(), 4, begin, end, nullptr, support::on_threads(3));
        for (int h = 0; h < 4; ++h) {
            const support::DenseHead& d = dense[static_cast<std::size_t>(h)];
            const kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            double sink_sum = 0, entropy = 0, largest = 0, low = INFINITY, high = -INFINITY;
            for (std::int64_t dest = begin; dest < end; ++dest)
                for (std::int64_t src = 0; src <= dest; ++src) {
                    if (!support::visible(dest, src, window)) continue;
                    const double p = d.p(dest, src), s = d.score(dest, src);
                    if (src == 0) sink_sum += p;
                    if (src > 0) largest = std::max(largest, p);
                    if (p > 0) entropy -= p * std::log(p);
                    low = std::min(low, s);
                    high = std::max(high, s);
                }
            if (begin == end) low = high = 0;
            const double rows = std::max(1, end - begin), allowed = d.tolerance();
            QVERIFY(std::abs(head.sink_sum - sink_sum) <= allowed * rows);
            QVERIFY2(std::abs(head.entropy_sum - entropy) <= 10 * allowed * rows,
                     QByteArray::number(head.entropy_sum - entropy));
            QVERIFY(std::abs(static_cast<double>(head.max_pattern) - largest) <= allowed);
            QVERIFY(std::abs(static_cast<double>(head.min_score) - low) <= allowed);
            QVERIFY(std::abs(static_cast<double>(head.max_score) - high) <= allowed);
        }
    }
};

QTEST_APPLESS_MAIN(TestMetricsKernel)
#include "test_metrics_kernel.moc"
