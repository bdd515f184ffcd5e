// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "isas.h"
#include "kernels/attention.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

class TestAppend : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void rows_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("rotary");
        QTest::addColumn<bool>("norm");
        for (auto isa : available_isas())
            for (int page : {1, 16, 64})
                for (int dim : {16, 64, 80, 20})
                    for (int rotary : {0, dim / 4 * 2, dim})
                        for (bool norm : {false, true})
                            QTest::addRow("%s page=%d dim=%d rotary=%d norm=%d",
                                          kernels::cpu::isa_name(isa), page, dim, rotary, norm)
                                << static_cast<int>(isa) << page << dim << rotary << norm;
    }
    // Norm weights are uneven, so that rotating first would show. v gets neither norm nor rotation.
    void rows() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, rotary);
        QFETCH(bool, norm);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const support::Shape shape{page, 6, 2, dim, 100};
        support::PagedTrace trace(shape, 4);
        const kernels::TraceView& view = trace.view();
        const std::int64_t begin = 33, end = 97, half = rotary / 2, columns = (6 + 4) * dim;
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        const auto numbers = [&](std::int64_t n) {
            std::vector<float> v(static_cast<std::size_t>(n));
            for (float& x : v) x = normal(random);
            return v;
        };
        const auto qkv = numbers((end - begin) * columns), q_norm = numbers(dim),
                   k_norm = numbers(dim);
        const auto cosines = numbers((end - begin) * half), sines = numbers((end - begin) * half);
        kernels::AppendArgs args;
        args.trace = view;
        args.begin = begin;
        args.end = end;
        args.qkv = qkv.data();
        args.q_norm = norm ? q_norm.data() : nullptr;
        args.k_norm = norm ? k_norm.data() : nullptr;
        args.norm_eps = 1e-3f;
        args.cosines = rotary ? cosines.data() : nullptr;
        args.sines = rotary ? sines.data() : nullptr;
        args.rotary_dim = rotary;
        kernels::cpu::append(args, support::on_threads(3));

        double worst = 0;
        for (std::int64_t t = begin; t < end; ++t)
            for (int head = 0; head < 10; ++head) {
                const bool is_q = head < 6, is_k = !is_q && head < 8;
                std::vector<double> x(static_cast<std::size_t>(dim));
                double squares = 0;
                for (std::size_t d = 0; d < x.size(); ++d) {
                    x[d] = static_cast<double>(
                        qkv[static_cast<std::size_t>((t - begin) * columns + head * dim) + d]);
                    squares += x[d] * x[d];
                }
                if (norm && (is_q || is_k))
                    for (std::size_t d = 0; d < x.size(); ++d)
                        x[d] *= static_cast<double>(is_q ? q_norm[d] : k_norm[d]) /
                                std::sqrt(squares / dim + static_cast<double>(args.norm_eps));
                if (is_q || is_k)
                    for (std::size_t i = 0; i < static_cast<std::size_t>(half); ++i) {
                        const auto at = static_cast<std::size_t>((t - begin) * half) + i;
                        const auto c = static_cast<double>(cosines[at]),
                                   s = static_cast<double>(sines[at]);
                        const double a = x[i], b = x[i + static_cast<std::size_t>(half)];
                        x[i] = a * c - b * s;
                        x[i + static_cast<std::size_t>(half)] = b * c + a * s;
                    }
                const float* stored = is_q   ? view.q(t, head)
                                      : is_k ? view.k(t, head - 6)
                                             : view.v(t, head - 8);
                for (std::size_t d = 0; d < x.size(); ++d) {
                    const double error = std::abs(static_cast<double>(stored[d]) - x[d]);
                    worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
                }
            }
        QVERIFY2(worst < 1e-5, QByteArray::number(worst));
        QVERIFY(std::isnan(view.k(begin - 1, 0)[0]));
        QVERIFY(std::isnan(view.q(end, 0)[0]));
    }
};

QTEST_APPLESS_MAIN(TestAppend)
#include "test_append.moc"
