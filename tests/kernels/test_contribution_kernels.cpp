// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "head_table_cases.h"
#include "isas.h"
#include "kernels/contribution.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

class TestContributionKernels : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void forms_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        for (auto isa : available_isas())
            for (int page : {1, 16, 64})
                for (int dim : {16, 20, 64, 80, 128})
                    for (auto [begin, end] : {std::pair{0, 1}, {5, 70}, {63, 65}, {7, 7}})
                        QTest::addRow("%s page=%d dim=%d rows=%d-%d", kernels::cpu::isa_name(isa),
                                      page, dim, begin, end)
                            << static_cast<int>(isa) << page << dim << begin << end;
    }
    void forms() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, begin);
        QFETCH(int, end);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        support::PagedTrace trace({page, 6, 2, dim, 70}, 2);
        const kernels::TraceView& view = trace.view();
        trace.fill(begin, end, 5);
        for (int t = begin; t < end; ++t)
            for (int h = 0; h < 6; ++h) std::copy_n(view.q(t, h), dim, view.z(t, h));
        const auto r = triangles(6, dim), p = numbers(6 * dim, 9);
        const auto n = static_cast<std::size_t>((end - begin) * 6);
        std::vector<float> norm(n + 1, -1), dot(n + 1, -1);
        kernels::ContributionArgs args{view,     begin,       end,       r.data(),
                                       p.data(), norm.data(), dot.data()};
        const auto threads = support::on_threads(3);
        kernels::cpu::contributions(args, threads);
        std::vector<float> norm_alone(n + 1, -1), dot_alone(n + 1, -1);
        kernels::cpu::contributions(
            {view, begin, end, r.data(), nullptr, norm_alone.data(), nullptr}, threads);
        kernels::cpu::contributions(
            {view, begin, end, nullptr, p.data(), nullptr, dot_alone.data()}, threads);
        QCOMPARE(norm_alone, norm);
        QCOMPARE(dot_alone, dot);
        QCOMPARE(norm.back(), -1.0f);
        QCOMPARE(dot.back(), -1.0f);
        QVERIFY(right_writes(view, begin, end, r, p, norm, dot, [&](int head) {
            std::vector<float> norms(static_cast<std::size_t>(end - begin) + 1, -1), dots = norms;
            kernels::ColumnWeightArgs weights{
                view, head, begin, end, r.data() + head * dim * dim, nullptr, norms.data()};
            kernels::cpu::column_weights(weights, threads);
            weights = {view, head, begin, end, nullptr, p.data() + head * dim, dots.data()};
            kernels::cpu::column_weights(weights, threads);
            if (norms.back() != -1 || dots.back() != -1) norms[0] = NAN;  // wrote behind the end
            return std::pair{norms, dots};
        }));
    }
};

QTEST_APPLESS_MAIN(TestContributionKernels)
#include "test_contribution_kernels.moc"
