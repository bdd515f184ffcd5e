// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

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

        std::vector<float> normed(n);
        const auto bias = numbers(width, 1, 6);
        kernels::cpu::layer_norm(x.data(), w.data(), bias.data(), 1e-5f, normed.data(), rows,
                                 columns, threads);
        for (std::size_t t = 0; t < n; t += width) {
            double mean = 0, squares = 0;
            for (std::size_t c = 0; c < width; ++c) mean += static_cast<double>(x[t + c]) / columns;
            for (std::size_t c = 0; c < width; ++c)
                squares += std::pow(static_cast<double>(x[t + c]) - mean, 2);
            const double factor = 1 / std::sqrt(squares / columns + static_cast<double>(1e-5f));
            for (std::size_t c = 0; c < width; ++c) {
                const double scaled = (static_cast<double>(x[t + c]) - mean) * factor;
                const double expected =
                    scaled * static_cast<double>(w[c]) + static_cast<double>(bias[c]);
                QVERIFY(std::abs(static_cast<double>(normed[t + c]) - expected) <
                        2e-5 * (1 + std::abs(expected)));
            }
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

    void gelu_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<bool>("gated");
        for (auto isa : available_isas())
            for (bool gated : {true, false})
                QTest::addRow("%s %s", kernels::cpu::isa_name(isa), gated ? "gated" : "alone")
                    << static_cast<int>(isa) << gated;
    }
    void gelu() {
        QFETCH(int, isa);
        QFETCH(bool, gated);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        std::vector<float> x{-INFINITY, INFINITY, -1e30f, 1e30f, 0.0f};
        for (float a = -12; a <= 12; a += 0.0078125f) x.push_back(a);
        const auto columns = static_cast<std::int64_t>(x.size());
        const std::vector<float> up = numbers(x.size(), 1, 8);
        const float* other = gated ? up.data() : nullptr;
        std::vector<float> tanh(x.size()), erf(x.size());
        kernels::cpu::gelu_tanh_mul(x.data(), other, columns, tanh.data(), 1, columns, {});
        kernels::cpu::gelu_mul(x.data(), other, columns, erf.data(), 1, columns, {});
        for (std::size_t i = 5; i < x.size(); ++i) {
            const auto a = static_cast<double>(x[i]);
            const double times = gated ? static_cast<double>(up[i]) : 1;
            const double slope = std::sqrt(2 / std::acos(-1.0));
            const double by_tanh =
                a / 2 * (1 + std::tanh(slope * (a + 0.044715 * a * a * a))) * times;
            const double by_erf = a / 2 * (1 + std::erf(a / std::sqrt(2.0))) * times;
            const double room = 3e-7 * (1 + std::abs(a * times));
            QVERIFY2(std::abs(static_cast<double>(tanh[i]) - by_tanh) < room,
                     QByteArray::number(a));
            QVERIFY2(std::abs(static_cast<double>(erf[i]) - by_erf) < room, QByteArray::number(a));
        }
        if (gated) return;
        for (const std::vector<float>& y : {tanh, erf}) {
            QVERIFY(y[2] == 0 && y[4] == 0);
            QCOMPARE(y[1], INFINITY);
            QCOMPARE(y[3], 1e30f);
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
