// SPDX-License-Identifier: GPL-3.0-or-later
// Block types against gguf-py (tests/data/formats/make_blocks.py), 8-bit floats against their
// definition, and the kernels that decode and multiply them against both.
#include <QTest>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "engine/formats/checkpoint.h"
#include "engine/formats/gguf_quants.h"
#include "kernels/cpu/isa.h"
#include "kernels/gemv.h"

using namespace engine::formats;
using kernels::Weight;
using kernels::WeightType;

namespace {

const Checkpoint& blocks() {
    static const Checkpoint file = open_checkpoint(TEST_DATA "/formats/blocks.gguf");
    return file;
}

std::vector<float> floats_of(const StoredTensor& tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor.rows() * tensor.columns()));
    decode(tensor.storage, tensor.data, values.data(), static_cast<std::int64_t>(values.size()));
    return values;
}

// Storage and WeightType list the same types in the same order.
Weight weight_of(const StoredTensor& tensor) {
    return {tensor.data, static_cast<WeightType>(tensor.storage), tensor.rows(), tensor.columns(),
            static_cast<std::int64_t>(tensor.row_bytes())};
}

// sign · 2^(e−7) · (1 + m/8), or sign · 2⁻⁶ · m/8; and with 2 bits of m and a bias of 15.
double e4m3_by_definition(int bits) {
    const double sign = bits & 0x80 ? -1 : 1;
    const int e = bits >> 3 & 15, m = bits & 7;
    if (e == 15 && m == 7) return std::nan("");
    return sign * (e == 0 ? std::ldexp(m, -9) : std::ldexp(8 + m, e - 10));
}
double e5m2_by_definition(int bits) {
    const double sign = bits & 0x80 ? -1 : 1;
    const int e = bits >> 2 & 31, m = bits & 3;
    if (e == 31) return m == 0 ? sign * INFINITY : std::nan("");
    return sign * (e == 0 ? std::ldexp(m, -16) : std::ldexp(4 + m, e - 17));
}

std::vector<kernels::cpu::Isa> isas() {
    std::vector<kernels::cpu::Isa> found;
    for (const auto isa :
         {kernels::cpu::Isa::Portable, kernels::cpu::Isa::Avx2, kernels::cpu::Isa::Avx512})
        if (kernels::cpu::isa_available(isa)) found.push_back(isa);
    return found;
}

}  // namespace

class TestBlockTypes : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(isas().back()); }

    void types_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K",
                                 "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"})
            QTest::newRow(name) << QString(name);
    }
    void types() {
        QFETCH(QString, name);
        const StoredTensor& tensor = blocks().at(name.toStdString());
        QCOMPARE(QString(name_of(tensor.storage)), name);
        const std::vector<float> expected =
            floats_of(blocks().at(name.toStdString() + ".expected"));
        const std::vector<float> decoded = floats_of(tensor);
        QCOMPARE(decoded.size(), std::size_t{1024});
        for (std::size_t i = 0; i < decoded.size(); ++i)
            QVERIFY2(decoded[i] == expected[i],
                     qPrintable(QString("element %1: %2 instead of %3")
                                    .arg(i)
                                    .arg(static_cast<double>(decoded[i]))
                                    .arg(static_cast<double>(expected[i]))));
    }

    // Rows decoded by the kernels, and products with 1, 3 and 8 rows of x, by every build.
    void kernels_data() { types_data(); }
    void kernels() {
        QFETCH(QString, name);
        const StoredTensor& tensor = blocks().at(name.toStdString());
        const std::vector<float> expected =
            floats_of(blocks().at(name.toStdString() + ".expected"));
        const Weight weight = weight_of(tensor);
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        std::vector<float> x(8 * 512);
        for (float& value : x) value = normal(random);
        for (const auto isa : isas()) {
            kernels::cpu::force_isa(isa);
            std::vector<float> decoded(1024);
            kernels::cpu::decode_rows(weight, 0, 2, decoded.data(), {});
            for (std::size_t i = 0; i < decoded.size(); ++i)  // a fused multiplication rounds once
                QVERIFY(std::abs(decoded[i] - expected[i]) <=
                        1e-6f * std::max(0.5f, std::abs(expected[i])));
            for (const int batch : {1, 3, 8}) {
                std::vector<float> y(static_cast<std::size_t>(batch) * 2, NAN);
                float* const out = y.data();
                const std::int64_t stride = 2;
                kernels::cpu::gemv({&weight, nullptr, &out, &stride, 1, x.data(), 512, batch}, {});
                for (std::size_t i = 0; i < y.size(); ++i) {
                    double sum = 0, size = 0;
                    for (std::size_t c = 0; c < 512; ++c) {
                        const double term = static_cast<double>(expected[i % 2 * 512 + c]) *
                                            static_cast<double>(x[i / 2 * 512 + c]);
                        sum += term;
                        size += std::abs(term);
                    }
                    QVERIFY(std::abs(static_cast<double>(y[i]) - sum) <= 1e-6 * size);
                }
            }
        }
    }

    // Safetensors' MXFP4 beside GGUF's: the nibbles in another order, the powers of two elsewhere,
    // every second row of a matrix.
    void powersOfTwoApart() {
        constexpr std::size_t rows = 3, blocks = 40;  // more than a stretch
        std::mt19937 random(6);
        std::vector<std::byte> together, apart, exponents;
        for (std::size_t block = 0; block < 2 * rows * blocks; ++block) {
            const int e = block < 6 ? std::array{0, 1, 2, 127, 254, 255}[block]
                                    : 100 + static_cast<int>(random() % 50);
            exponents.push_back(static_cast<std::byte>(e));
            int nibbles[32];
            for (int& nibble : nibbles) nibble = static_cast<int>(random() % 16);
            together.push_back(static_cast<std::byte>(e));
            for (int i = 0; i < 16; ++i) {
                together.push_back(static_cast<std::byte>(nibbles[i] | nibbles[i + 16] << 4));
                apart.push_back(static_cast<std::byte>(nibbles[2 * i] | nibbles[2 * i + 1] << 4));
            }
        }
        std::vector<float> expected(2 * rows * blocks * 32);
        decode(Storage::MXFP4, together.data(), expected.data(),
               static_cast<std::int64_t>(expected.size()));
        Weight weight{apart.data(), WeightType::MXFP4_PAIRS, rows, blocks * 32, 2 * blocks * 16};
        weight.exponents = exponents.data();
        weight.exponent_row_bytes = 2 * blocks;
        const std::vector<float> x(blocks * 32, 1.0f);
        for (const auto isa : isas()) {
            kernels::cpu::force_isa(isa);
            std::vector<float> decoded(rows * blocks * 32), y(rows);
            kernels::cpu::decode_rows(weight, 0, rows, decoded.data(), {});
            for (std::size_t i = 0; i < decoded.size(); ++i)
                QCOMPARE(decoded[i], expected[i + i / (blocks * 32) * blocks * 32]);
            float* const out = y.data();
            kernels::cpu::gemv({&weight, nullptr, &out, nullptr, 1, x.data(), blocks * 32}, {});
            double sum = 0, size = 0;
            for (std::size_t i = 2 * blocks * 32; i < 3 * blocks * 32; ++i) {
                sum += static_cast<double>(expected[i]);
                size += std::abs(static_cast<double>(expected[i]));
            }
            QVERIFY(std::abs(static_cast<double>(y[1]) - sum) <= 1e-6 * size);
        }
    }

    void everyByteOfTheSmallFloats() {
        std::vector<std::byte> bytes;
        for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::byte>(i));
        std::vector<float> e4m3(256), e5m2(256);
        decode(Storage::F8_E4M3, bytes.data(), e4m3.data(), 256);
        decode(Storage::F8_E5M2, bytes.data(), e5m2.data(), 256);
        const auto same = [](float value, double expected) {
            return std::isnan(expected) ? std::isnan(value)
                                        : static_cast<double>(value) == expected &&
                                              std::signbit(value) == std::signbit(expected);
        };
        for (std::size_t i = 0; i < 256; ++i) {
            QVERIFY2(same(e4m3[i], e4m3_by_definition(static_cast<int>(i))), QByteArray::number(i));
            QVERIFY2(same(e5m2[i], e5m2_by_definition(static_cast<int>(i))), QByteArray::number(i));
        }
    }

    // An F64 tensor is rounded once to fp32, wherever it is decoded: ties to even, what is too
    // large to infinity, what is small to a subnormal or to a zero of its sign.
    void doubles_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<float>("expected");
        const auto row = [](const char* name, double value, float expected) {
            QTest::newRow(name) << value << expected;
        };
        row("exact", -1.5, -1.5f);
        row("a third", 1 / 3.0, 0x1.555556p-2f);
        row("a tie to even below", 0x1.000001p0, 1.0f);
        row("a tie to even above", 0x1.000003p0, 0x1.000004p0f);
        row("beside a tie", 0x1.0000010000001p0, 0x1.000002p0f);
        row("largest", 0x1.fffffep127, 0x1.fffffep127f);
        row("too large", 1e300, INFINITY);
        row("subnormal", 0x1.8p-149, 0x1p-148f);
        row("too small", -1e-300, -0.0f);
        row("infinite", -INFINITY, -INFINITY);
        row("no number", std::nan(""), std::nanf(""));
    }
    void doubles() {
        QFETCH(double, value);
        QFETCH(float, expected);
        const auto same = [&](float decoded) {
            return std::isnan(expected)
                       ? std::isnan(decoded)
                       : decoded == expected && std::signbit(decoded) == std::signbit(expected);
        };
        // A whole vector of it and a rest, in two rows that start at no boundary of 8 bytes.
        constexpr std::int64_t columns = 19;
        std::vector<std::byte> bytes(1 + 2 * columns * 8);
        for (std::size_t i = 1; i < bytes.size(); i += 8) std::memcpy(&bytes[i], &value, 8);
        std::vector<float> decoded(2 * columns);
        decode(Storage::F64, bytes.data() + 1, decoded.data(), 2 * columns);
        for (const float one : decoded) QVERIFY2(same(one), QByteArray::number(double{one}));
        const Weight weight{bytes.data() + 1, WeightType::F64, 2, columns, columns * 8};
        const std::vector<float> x(columns, 1.0f);
        for (const auto isa : isas()) {
            kernels::cpu::force_isa(isa);
            std::fill(decoded.begin(), decoded.end(), 7.0f);
            kernels::cpu::decode_rows(weight, 0, 2, decoded.data(), {});
            for (const float one : decoded) QVERIFY2(same(one), QByteArray::number(double{one}));
            float y[2] = {7, 7};
            float* const out = y;
            kernels::cpu::gemv({&weight, nullptr, &out, nullptr, 1, x.data(), columns}, {});
            const double sum = static_cast<double>(expected) * columns;
            if (!std::isfinite(sum) || std::abs(sum) > 3e38) continue;
            QVERIFY(std::abs(static_cast<double>(y[1]) - sum) <= 1e-6 * std::abs(sum));
        }
    }

    // A factor for each rectangle of 3 × 5 weights, the last of each row and column cut short.
    void factorsOfRectangles() {
        constexpr std::int64_t rows = 7, columns = 1033;
        std::mt19937 random(4);
        std::vector<std::byte> bytes(rows * columns);
        for (auto& b : bytes) b = static_cast<std::byte>(random() % 120);
        std::vector<float> scales(3 * 207);
        for (float& s : scales) s = 0.5f + static_cast<float>(random() % 1000) / 500;
        Weight weight{bytes.data(), WeightType::F8_E4M3, rows, columns,
                      columns,      scales.data(),       3,    5};
        std::vector<float> x(columns, 1.0f);
        for (const auto isa : isas()) {
            kernels::cpu::force_isa(isa);
            std::vector<float> decoded(rows * columns), y(rows);
            kernels::cpu::decode_rows(weight, 0, rows, decoded.data(), {});
            float* const out = y.data();
            kernels::cpu::gemv({&weight, nullptr, &out, nullptr, 1, x.data(), columns}, {});
            for (std::size_t r = 0; r < rows; ++r) {
                double sum = 0, size = 0;
                for (std::size_t c = 0; c < columns; ++c) {
                    const auto bits = std::to_integer<int>(bytes[r * columns + c]);
                    const double expected =
                        e4m3_by_definition(bits) * static_cast<double>(scales[r / 3 * 207 + c / 5]);
                    QVERIFY(std::abs(static_cast<double>(decoded[r * columns + c]) - expected) <=
                            1e-6 * std::abs(expected));
                    sum += expected;
                    size += std::abs(expected);
                }
                QVERIFY(std::abs(static_cast<double>(y[r]) - sum) <= 1e-6 * size);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestBlockTypes)
#include "tst_block_types.moc"
