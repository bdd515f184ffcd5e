// SPDX-License-Identifier: GPL-3.0-or-later
// Known values of the score's own terms: the soft cap before the softmax, the norm of q and k
// before the rotation.
#include <QTest>
#include <cmath>

#include "kernels/attention.h"
#include "tests/support/paged_trace.h"

class TestScoreCases : public QObject {
    Q_OBJECT

  private slots:
    // Raw scores 80 and 60 under a cap of 50, and without one.
    void softCap_data() {
        QTest::addColumn<float>("cap");
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("lse");
        const double a = 50 * std::tanh(80 / 50.0), b = 50 * std::tanh(60 / 50.0);
        QVERIFY(std::abs(a - 46.0834) < 1e-4);
        QTest::newRow("cap 50") << 50.0f << 0.98788 << a + std::log1p(std::exp(b - a));
        QTest::newRow("none") << 0.0f << 1 / (1 + std::exp(-20.0)) << 80 + std::exp(-20.0);
    }
    void softCap() {
        QFETCH(float, cap);
        QFETCH(double, first);
        QFETCH(double, lse);
        support::PagedTrace trace({.dim = 16, .rows = 2});
        trace.fill(0, 2, 1);
        const kernels::TraceView& view = trace.view();
        // scale 1/√144 at head_dim 16: q · k = 12 · score, in the first dim alone; v tells the
        // keys.
        for (std::int64_t t = 0; t < 2; ++t) {
            std::fill_n(view.q(t, 0), 16, 0.0f);
            std::fill_n(view.k(t, 0), 16, 0.0f);
            std::fill_n(view.v(t, 0), 16, t == 0 ? 1.0f : 0.0f);
            view.q(t, 0)[0] = 12;
            view.k(t, 0)[0] = t == 0 ? 80.0f : 60.0f;
        }
        kernels::AttendArgs args;
        args.trace = view;
        args.rule.scale = static_cast<float>(1 / std::sqrt(144.0));
        args.rule.soft_cap = cap;
        args.begin = 1;
        args.end = 2;
        float z[16];
        args.z_out = z;
        std::vector<float> scratch(static_cast<std::size_t>(kernels::cpu::attend_scratch(args, 1)));
        args.scratch = scratch.data();
        kernels::cpu::attend(args, {});
        QVERIFY2(std::abs(double{z[0]} - first) < 5e-6, QByteArray::number(double{z[0]}));
        QVERIFY(std::abs(double{*view.lse(1, 0)} - lse) < 1e-5);
    }

    // x = [3, 4], weight [1, 4], a turn of 1 rad: norm first gives [−3.3496, 3.1591], rotation
    // first would give [−0.4936, 5.3012].
    void normThenRotation() {
        support::PagedTrace trace({.dim = 2, .rows = 1});
        const float qkv[] = {3, 4, 3, 4, 0, 0}, weight[] = {1, 4};
        const float cosine = std::cos(1.0f), sine = std::sin(1.0f);
        kernels::AppendArgs args;
        args.trace = trace.view();
        args.end = 1;
        args.qkv = qkv;
        args.q_norm = args.k_norm = weight;
        args.cosines = &cosine;
        args.sines = &sine;
        args.rotary_dim = 2;
        kernels::cpu::append(args, {});
        for (const float* turned : {trace.view().q(0, 0), trace.view().k(0, 0)}) {
            QVERIFY2(std::abs(turned[0] + 3.3496f) < 1e-4f, QByteArray::number(double{turned[0]}));
            QVERIFY2(std::abs(turned[1] - 3.1591f) < 1e-4f, QByteArray::number(double{turned[1]}));
        }
    }
};

QTEST_APPLESS_MAIN(TestScoreCases)
#include "tst_score_cases.moc"
