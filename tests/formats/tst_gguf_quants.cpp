// SPDX-License-Identifier: GPL-3.0-or-later
// One hand-made block a type, with its values worked out on paper, and half precision against its
// definition.
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/formats/gguf_quants.h"
#include "tests/support/hostile_files.h"

using namespace engine::formats;
using support::little;

namespace {

// binary16 by its definition: sign · 2^(e−15) · (1 + m/1024), or sign · 2⁻¹⁴ · m/1024.
double half_by_definition(unsigned bits) {
    const double sign = bits & 0x8000u ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10) & 31;
    const double mantissa = bits & 1023u;
    if (exponent == 31)
        return mantissa > 0 ? std::numeric_limits<double>::quiet_NaN()
                            : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(1 + mantissa / 1024, exponent - 15);
}

QByteArray half(std::uint16_t bits) {
    return little(bits);
}

// Nibbles of which element i has the value i in the low half and 15 − i in the high half.
QByteArray counting_nibbles() {
    QByteArray out;
    for (int i = 0; i < 16; ++i) out += static_cast<char>(i | (15 - i) << 4);
    return out;
}

std::vector<float> counting(float scale, float offset) {
    std::vector<float> out(32);
    for (int i = 0; i < 16; ++i) {
        out[static_cast<std::size_t>(i)] = scale * static_cast<float>(i) + offset;
        out[static_cast<std::size_t>(i + 16)] = scale * static_cast<float>(15 - i) + offset;
    }
    return out;
}

}  // namespace

class TestGgufQuants : public QObject {
    Q_OBJECT
  private slots:
    void blocks_data() {
        QTest::addColumn<int>("storage");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<std::vector<float>>("expected");
        const auto row = [](const char* name, Storage storage, const QByteArray& bytes,
                            std::vector<float> expected) {
            QTest::newRow(name) << static_cast<int>(storage) << bytes << std::move(expected);
        };
        row("F32", Storage::F32, support::floats({1.5f, -2}), {1.5f, -2});
        row("F16: 1, -2, 65504, 2^-24", Storage::F16,
            half(0x3C00) + half(0xC000) + half(0x7BFF) + half(1), {1, -2, 65504, 0x1p-24f});
        row("BF16: 1, -2, 3.140625", Storage::BF16, half(0x3F80) + half(0xC000) + half(0x4049),
            {1, -2, 3.140625f});
        row("Q4_0: d 0.5", Storage::Q4_0, half(0x3800) + counting_nibbles(), counting(0.5f, -4));
        row("Q4_1: d 2, m -3", Storage::Q4_1, half(0x4000) + half(0xC200) + counting_nibbles(),
            counting(2, -3));
        QByteArray q8 = half(0x3400);  // 0.25
        std::vector<float> expected;
        for (int i = 0; i < 32; ++i) {
            const int value = i == 0 ? -128 : i == 1 ? 127 : i * 3 - 40;
            q8 += static_cast<char>(value);
            expected.push_back(0.25f * static_cast<float>(value));
        }
        row("Q8_0: d 0.25", Storage::Q8_0, q8, expected);
        std::vector<float> twice = counting(0.5f, -4);
        const std::vector<float> second = counting(-1, 8);
        twice.insert(twice.end(), second.begin(), second.end());
        row("Q4_0: two blocks", Storage::Q4_0,
            half(0x3800) + counting_nibbles() + half(0xBC00) + counting_nibbles(), twice);
    }
    void blocks() {
        QFETCH(int, storage);
        QFETCH(QByteArray, bytes);
        QFETCH(std::vector<float>, expected);
        const auto type = static_cast<Storage>(storage);
        const auto count = static_cast<std::int64_t>(expected.size());
        QCOMPARE(count / block_elements(type) * block_bytes(type), std::int64_t{bytes.size()});
        // Shifted by one byte: tensors of a safetensors file may lie anywhere.
        const QByteArray shifted = "x" + bytes;
        std::vector<float> decoded(expected.size(), -7);
        decode(type, reinterpret_cast<const std::byte*>(shifted.constData()) + 1, decoded.data(),
               count);
        QCOMPARE(decoded, expected);
    }

    void everyHalf() {
        for (unsigned bits = 0; bits < 65536; ++bits) {
            const float value = half_to_float(static_cast<std::uint16_t>(bits));
            const double expected = half_by_definition(bits);
            if (std::isnan(expected)) {
                QVERIFY(std::isnan(value));
                QVERIFY(std::isnan(half_to_float(float_to_half(value))));
                continue;
            }
            QCOMPARE(static_cast<double>(value), expected);
            QCOMPARE(std::signbit(value), bits >= 0x8000u);
            QCOMPARE(unsigned{float_to_half(value)}, bits);
        }
    }

    // Between two neighbours: the nearer one, the even one from the middle.
    void roundsToNearestEven() {
        for (unsigned bits = 0; bits < 0x7BFFu; ++bits) {
            const double low = half_by_definition(bits), high = half_by_definition(bits + 1);
            const auto middle = static_cast<float>((low + high) / 2);  // exact in fp32
            QCOMPARE(unsigned{float_to_half(middle)}, bits % 2 == 0 ? bits : bits + 1);
            QCOMPARE(unsigned{float_to_half(std::nextafter(middle, 0.0f))}, bits);
            QCOMPARE(unsigned{float_to_half(std::nextafter(middle, 1e9f))}, bits + 1);
            QCOMPARE(unsigned{float_to_half(-middle)} & 0x7FFFu, bits % 2 == 0 ? bits : bits + 1);
        }
    }

    void overflow() {
        QCOMPARE(unsigned{float_to_half(65519.996f)}, 0x7BFFu);
        QCOMPARE(unsigned{float_to_half(65520.0f)}, 0x7C00u);
        QCOMPARE(unsigned{float_to_half(-1e30f)}, 0xFC00u);
        QCOMPARE(unsigned{float_to_half(std::numeric_limits<float>::infinity())}, 0x7C00u);
        QCOMPARE(unsigned{float_to_half(1e-30f)}, 0u);
        QCOMPARE(unsigned{float_to_half(-1e-30f)}, 0x8000u);
    }
};

QTEST_APPLESS_MAIN(TestGgufQuants)
#include "tst_gguf_quants.moc"
