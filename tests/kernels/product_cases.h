// SPDX-License-Identifier: GPL-3.0-or-later
// y = W x by plain loops in fp64, with and without a bias and what was there before: the one table
// that the CPU's gemv and the device's product are held to. A Backend is made of (where), being
// what its test's first column says, and has
//   product(element, given)   y [rows] of the fp32 x, W's numbers stored as the element
#pragma once
#include <QTest>
#include <cmath>
#include <random>

#include "kernels/views.h"

struct ProductGiven {
    std::int64_t rows = 0, columns = 0;
    std::vector<float> weights;  // [rows, columns]: of so few bits that every type holds them
    std::vector<float> x, bias, before;  // bias and before are empty for none
};

inline void add_product_columns() {
    for (const char* column : {"where", "element", "rows", "columns"})
        QTest::addColumn<int>(column);
    QTest::addColumn<bool>("biased");
    QTest::addColumn<bool>("adds");
}
inline void add_products(const char* name, int where, kernels::Element element,
                         const char* element_name) {
    for (auto [rows, columns] :
         {std::pair{1, 8}, {37, 72}, {131, 96}, {301, 576}, {5, 2048}, {1003, 4096}, {33, 12288}})
        for (bool biased : {false, true})
            for (bool adds : {false, true})
                QTest::addRow("%s %s %dx%d bias=%d add=%d", name, element_name, rows, columns,
                              biased, adds)
                    << where << static_cast<int>(element) << rows << columns << biased << adds;
}
template <typename Backend>
void test_product() {
    QFETCH(int, where);
    QFETCH(int, element);
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(bool, biased);
    QFETCH(bool, adds);
    std::mt19937 random(17);
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> sixty_fourths(-127, 127);
    const auto numbers = [&](std::int64_t count) {
        std::vector<float> all(static_cast<std::size_t>(count));
        for (float& each : all) each = normal(random);
        return all;
    };
    ProductGiven given{rows, columns, {}, numbers(columns), {}, {}};
    given.weights.resize(static_cast<std::size_t>(std::int64_t{rows} * columns));
    for (float& each : given.weights) each = static_cast<float>(sixty_fourths(random)) / 64;
    if (biased) given.bias = numbers(rows);
    if (adds) given.before = numbers(rows);
    const std::vector<float> y =
        Backend(where).product(static_cast<kernels::Element>(element), given);
    QCOMPARE(y.size(), static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < y.size(); ++row) {
        double expected = 0, size = 0;
        const auto add = [&](double term) {
            expected += term;
            size += std::abs(term);
        };
        if (biased) add(double{given.bias[row]});
        if (adds) add(double{given.before[row]});
        for (std::size_t i = 0; i < given.x.size(); ++i)
            add(double{given.weights[row * given.x.size() + i]} * double{given.x[i]});
        const double error = std::abs(double{y[row]} - expected);
        QVERIFY2(error <= 1e-6 * size, QByteArray::number(error / size) + " in row " +
                                           QByteArray::number(static_cast<qulonglong>(row)));
    }
}
