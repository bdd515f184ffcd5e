// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <random>

#include "isas.h"
#include "kernels/elementwise.h"
#include "tests/support/threads.h"

namespace {

std::vector<float> numbers(std::size_t n, float spread = 1, unsigned seed = 3) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> v(n);
    for (float& x : v) x = normal(random);
    return v;
}

double relative(float value, double expected) {
    return std::abs(static_cast<double>(value) - expected) / std::max(1e-30, std::abs(expected));
}

}  // namespace

class TestElementwise : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void shapes_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (auto isa : available_isas())
            for (auto [rows, columns] :
                 {std::pair{1, 1}, {1, 576}, {3, 7}, {200, 577}, {1, 100003}})
                QTest::addRow("%s %dx%d", kernels::cpu::isa_name(isa), rows, columns)
                    << static_cast<int>(isa) << rows << columns;
    }
    void shapes() {
        QFETCH(int, isa);
        QFETCH(int, rows);
        QFETCH(int, columns);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        const auto width = static_cast<std::size_t>(columns);
        const auto threads = support::on_threads(3);
        const auto x = numbers(n), w = numbers(width, 1, 4), other = numbers(n, 3, 5);

        auto y = x;  // in place
        kernels::cpu::rms_norm(y.data(), w.data(), 1e-5f, y.data(), rows, columns, threads);
        for (std::size_t t = 0; t < n; t += width) {
            double squares = 0;
            for (std::size_t c = 0; c < width; ++c)
                squares += std::pow(static_cast<double>(x[t + c]), 2);
            const double factor = 1 / std::sqrt(squares / columns + static_cast<double>(1e-5f));
            for (std::size_t c = 0; c < width; ++c)
                QVERIFY(relative(y[t + c], static_cast<double>(x[t + c]) * factor *
                                               static_cast<double>(w[c])) < 2e-6);
        }

        auto sum = x;
        kernels::cpu::add(sum.data(), other.data(), static_cast<std::int64_t>(n), threads);
        for (std::size_t i = 0; i < n; ++i) QCOMPARE(sum[i], x[i] + other[i]);

        // gate and up side by side in one wider row, and y in place of the packed gate.
        std::vector<float> fused(2 * n), gate = other;
        for (std::size_t t = 0; t < n / width; ++t)
            for (std::size_t c = 0; c < width; ++c) {
                fused[t * 2 * width + c] = other[t * width + c];
                fused[t * 2 * width + width + c] = x[t * width + c];
            }
        std::vector<float> apart(n);
        kernels::cpu::silu_mul(fused.data(), fused.data() + width, 2 * columns, apart.data(), rows,
                               columns, threads);
        kernels::cpu::silu_mul(gate.data(), x.data(), columns, gate.data(), rows, columns, threads);
        kernels::cpu::silu_mul(fused.data(), fused.data() + width, 2 * columns, fused.data(), rows,
                               columns, threads);
        for (std::size_t i = 0; i < n; ++i) {
            const auto a = static_cast<double>(other[i]);
            const double expected = a / (1 + std::exp(-a)) * static_cast<double>(x[i]);
            QVERIFY(relative(apart[i], expected) < 1e-6);
            QCOMPARE(gate[i], apart[i]);
            QCOMPARE(fused[i], apart[i]);
        }
    }

    // exp shows through silu: every magnitude, the ends included.
    void siluRange() {
        for (auto isa : available_isas()) {
            kernels::cpu::force_isa(isa);
            std::vector<float> gate;
            for (float a = -100; a <= 100; a += 0.01171875f) gate.push_back(a);
            gate.insert(gate.end(), {-INFINITY, INFINITY, NAN, -1e30f, 1e30f, 0.0f, -0.0f});
            const std::vector<float> one(gate.size(), 1.0f);
            std::vector<float> y(gate.size());
            kernels::cpu::silu_mul(gate.data(), one.data(), static_cast<std::int64_t>(gate.size()),
                                   y.data(), 1, static_cast<std::int64_t>(gate.size()), {});
            for (std::size_t i = 0; i < gate.size() - 7; ++i) {
                const auto a = static_cast<double>(gate[i]);
                const double expected = a / (1 + std::exp(-a));
                const double error = std::abs(static_cast<double>(y[i]) - expected);
                QVERIFY2(error <= 3 * 1.2e-7 * std::abs(expected) + 2e-36, QByteArray::number(a));
            }
            const float* last = y.data() + y.size() - 7;
            QCOMPARE(last[1], INFINITY);
            QVERIFY(std::isnan(last[2]));
            QVERIFY(last[3] == 0 && last[5] == 0 && last[6] == 0);
            QCOMPARE(last[4], 1e30f);
        }
    }
};

QTEST_APPLESS_MAIN(TestElementwise)
#include "test_elementwise.moc"
