// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "head_table_cases.h"
#include "isas.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

class TestMetricsKernel : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void heads_data() {
        add_metrics_columns();
        for (auto isa : available_isas())
            add_metrics_rows(kernels::cpu::isa_name(isa), static_cast<int>(isa));
    }
    void heads() {
        QFETCH(int, where);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(bool, sink);
        QFETCH(bool, forbid);
        QFETCH(int, begin);
        QFETCH(int, end);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(where));
        const support::Shape shape{page, 4, 2, 32, 200};
        support::PagedTrace trace(shape, 3);
        trace.fill(0, std::max(end, 1), 5);
        const std::vector<float> sinks = {0.5f, 2, -1, 3};
        const std::vector<kernels::EdgeRange> edges = metrics_edges(forbid);
        const kernels::ScoreRule rule{1 / std::sqrt(32.0f),
                                      cap,
                                      window,
                                      sink ? sinks.data() : nullptr,
                                      {edges.data(), static_cast<std::int32_t>(edges.size())}};
        std::vector<kernels::MetricsHead> table(4);
        const auto dense = dense_heads(trace.view(), rule, end);
        for (int h = 0; h < 4; ++h) {
            kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            head.trace = trace.view();
            head.rule = rule;
            head.head = h;
            head.sink_sum = head.induction_sum = 99;  // overwritten
        }
        const std::vector<std::int32_t> tokens = words(end);
        kernels::MetricsArgs args;
        args.heads = table.data();
        args.head_count = 4;
        args.begin = begin;
        args.end = end;
        args.tokens = tokens.data();
        kernels::cpu::metrics(args, support::on_threads(3));
        for (std::size_t h = 0; h < 4; ++h)
            QVERIFY(right_metrics(table[h], dense[h], tokens, begin, end, window));
    }
};

QTEST_APPLESS_MAIN(TestMetricsKernel)
#include "test_metrics_kernel.moc"
