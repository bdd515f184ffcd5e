// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cstring>
#include <map>
#include <random>

#include "isas.h"
#include "kernels/gemv.h"
#include "product_cases.h"
#include "tests/support/threads.h"

using kernels::Weight;
using kernels::WeightType;

namespace {

constexpr WeightType types[] = {WeightType::F32,  WeightType::F16,  WeightType::BF16,
                                WeightType::Q4_0, WeightType::Q4_1, WeightType::Q8_0};
const char* names[] = {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0"};

// binary16 by its definition.
double half(std::uint16_t bits) {
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent == 31) return fraction ? std::nan("") : sign * INFINITY;
    return sign *
           (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <typename T>
T read(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// A weight by the format's definition, in fp64.
double element(const Weight& w, std::int64_t row, std::int64_t column) {
    const std::byte* p = w.data + row * w.row_bytes;
    const std::int64_t block = column / 32, i = column % 32;
    switch (w.type) {
        case WeightType::F32: return static_cast<double>(read<float>(p + column * 4));
        case WeightType::F16: return half(read<std::uint16_t>(p + column * 2));
        case WeightType::BF16: {
            const std::uint32_t bits = std::uint32_t{read<std::uint16_t>(p + column * 2)} << 16;
            return static_cast<double>(read<float>(reinterpret_cast<const std::byte*>(&bits)));
        }
        case WeightType::Q8_0: {
            p += block * 34;
            return half(read<std::uint16_t>(p)) * read<std::int8_t>(p + 2 + i);
        }
        default: {
            const bool has_m = w.type == WeightType::Q4_1;
            p += block * (has_m ? 20 : 18);
            const int byte = read<std::uint8_t>(p + (has_m ? 4 : 2) + i % 16);
            const int nibble = i < 16 ? byte & 15 : byte >> 4;
            const double d = half(read<std::uint16_t>(p));
            return has_m ? d * nibble + half(read<std::uint16_t>(p + 2)) : d * (nibble - 8);
        }
    }
}

// Bytes at an odd address; scales are small halves, all else is random bits of moderate size.
struct Matrix {
    std::vector<std::byte> bytes;
    Weight weight;
    Matrix(WeightType type, std::int64_t rows, std::int64_t columns, unsigned seed) {
        std::mt19937 random(seed);
        const std::int64_t sizes[] = {columns * 4,       columns * 2,       columns * 2,
                                      columns / 32 * 18, columns / 32 * 20, columns / 32 * 34};
        weight = {nullptr, type, rows, columns, sizes[static_cast<int>(type)]};
        bytes.resize(static_cast<std::size_t>(rows * weight.row_bytes + 1));
        for (auto& b : bytes) b = static_cast<std::byte>(random());
        std::byte* p = bytes.data() + 1;
        weight.data = p;
        const auto put_half = [&](std::byte* at) {  // ± 2⁻⁹ … 2⁻⁵, now and then a subnormal
            const bool tiny = random() % 16 == 0;
            const auto bits = static_cast<std::uint16_t>((random() & 0x83ff) |
                                                         (tiny ? 0 : (6 + random() % 4) << 10));
            std::memcpy(at, &bits, 2);
        };
        std::normal_distribution<float> normal;
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                std::byte* row = p + r * weight.row_bytes;
                if (type == WeightType::F32) {
                    const float value = normal(random);
                    std::memcpy(row + c * 4, &value, 4);
                } else if (type == WeightType::F16) {
                    put_half(row + c * 2);
                } else if (type == WeightType::BF16) {
                    const float value = normal(random);
                    std::memcpy(row + c * 2, reinterpret_cast<const std::byte*>(&value) + 2, 2);
                } else if (c % 32 == 0) {
                    std::byte* block = row + c / 32 *
                                                 (type == WeightType::Q4_0   ? 18
                                                  : type == WeightType::Q4_1 ? 20
                                                                             : 34);
                    put_half(block);
                    if (type == WeightType::Q4_1) put_half(block + 2);
                }
            }
    }
};

class Cpu {
  public:
    explicit Cpu(int isa) { kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa)); }
    std::vector<float> product(kernels::Element element, const ProductGiven& given) const {
        std::vector<std::byte> bytes;
        for (const float each : given.weights) append(bytes, element, each);
        const auto size = static_cast<std::int64_t>(bytes.size()) / given.rows;
        const WeightType type = element == kernels::Element::F32   ? WeightType::F32
                                : element == kernels::Element::F16 ? WeightType::F16
                                                                   : WeightType::BF16;
        const Weight weight{bytes.data(), type, given.rows, given.columns, size};
        std::vector<float> y(static_cast<std::size_t>(given.rows));
        if (!given.before.empty()) y = given.before;
        float* to[] = {y.data()};
        const float* biases[] = {given.bias.empty() ? nullptr : given.bias.data()};
        kernels::GemvArgs args{&weight,       biases, to,
                               nullptr,       1,      given.x.data(),
                               given.columns, 1,      !given.before.empty()};
        kernels::cpu::gemv(args, support::on_threads(3));
        return y;
    }

  private:
    // Numbers of few bits, which every type holds: binary16 by what its bits mean.
    static void append(std::vector<std::byte>& to, kernels::Element element, float x) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x, 4);
        std::size_t size = 4;
        if (element != kernels::Element::F32) {
            bits = element == kernels::Element::BF16 ? bits >> 16 : half_of(x);
            size = 2;
        }
        const auto* from = reinterpret_cast<const std::byte*>(&bits);
        to.insert(to.end(), from, from + size);
    }
    static std::uint16_t half_of(float x) {
        static const std::map<double, std::uint16_t> known = [] {
            std::map<double, std::uint16_t> all;
            for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
                all[half(static_cast<std::uint16_t>(bits))] = static_cast<std::uint16_t>(bits);
                if (bits > 0)
                    all[half(static_cast<std::uint16_t>(bits | 0x8000))] =
                        static_cast<std::uint16_t>(bits | 0x8000);
            }
            return all;
        }();
        return known.at(double{x});
    }
};

}  // namespace

class TestGemv : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void plain_data() {
        using kernels::Element;
        add_product_columns();
        for (auto isa : available_isas())
            for (auto [element, name] :
                 {std::pair{Element::F32, "F32"}, {Element::F16, "F16"}, {Element::BF16, "BF16"}})
                add_products(kernels::cpu::isa_name(isa), static_cast<int>(isa), element, name);
    }
    void plain() { test_product<Cpu>(); }

    void product_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("batch");
        for (auto isa : available_isas())
            for (WeightType type : types)
                for (int columns : {32, 96, 576, 45})
                    for (int batch = 1; batch <= 8; ++batch) {
                        if (columns % 32 != 0 && type >= WeightType::Q4_0) continue;
                        QTest::addRow("%s %s columns=%d batch=%d", kernels::cpu::isa_name(isa),
                                      names[static_cast<int>(type)], columns, batch)
                            << static_cast<int>(isa) << static_cast<int>(type) << columns << batch;
                    }
    }
    // Three weights of one input, odd numbers of rows, one bias, with and without accumulation.
    void product() {
        QFETCH(int, isa);
        QFETCH(int, type);
        QFETCH(int, columns);
        QFETCH(int, batch);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        std::vector<Matrix> matrices;
        for (std::int64_t rows : {1, 131, 64})
            matrices.emplace_back(static_cast<WeightType>(type), rows, columns, 7u);
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        const std::int64_t x_stride = columns + 3;
        std::vector<float> x(static_cast<std::size_t>(batch * x_stride), NAN), bias(131);
        for (int i = 0; i < batch; ++i)
            for (int c = 0; c < columns; ++c)
                x[static_cast<std::size_t>(i * x_stride + c)] = normal(random);
        for (float& b : bias) b = normal(random);
        for (bool accumulate : {false, true}) {
            std::vector<std::vector<float>> y;
            std::vector<Weight> weights;
            std::vector<float*> pointers;
            std::vector<std::int64_t> strides;
            for (const Matrix& m : matrices) {
                weights.push_back(m.weight);
                strides.push_back(m.weight.rows + 2);
                y.emplace_back(static_cast<std::size_t>(batch * strides.back()),
                               accumulate ? 3.0f : NAN);
            }
            for (auto& v : y) pointers.push_back(v.data());
            const float* biases[] = {nullptr, bias.data(), nullptr};
            kernels::GemvArgs args{weights.data(), biases,   pointers.data(), strides.data(), 3,
                                   x.data(),       x_stride, batch,           accumulate};
            kernels::cpu::gemv(args, support::on_threads(3));
            for (std::size_t w = 0; w < 3; ++w) {
                double worst = 0, largest = 0;
                for (std::int64_t r = 0; r < weights[w].rows; ++r)
                    for (int i = 0; i < batch; ++i) {
                        double expected =
                            (biases[w] ? static_cast<double>(bias[static_cast<std::size_t>(r)])
                                       : 0) +
                            (accumulate ? 3 : 0);
                        double size = 0;
                        for (std::int64_t c = 0; c < columns; ++c) {
                            const double term =
                                element(weights[w], r, c) *
                                static_cast<double>(x[static_cast<std::size_t>(i * x_stride + c)]);
                            expected += term;
                            size += std::abs(term);
                        }
                        const double error =
                            std::abs(static_cast<double>(
                                         y[w][static_cast<std::size_t>(i * strides[w] + r)]) -
                                     expected);
                        worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
                        largest = std::max(largest, size + std::abs(expected));
                    }
                QVERIFY2(worst <= 1e-6 * largest, QByteArray::number(worst / largest));
            }
        }
    }

    void decodeRows_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("type");
        for (auto isa : available_isas())
            for (WeightType type : types)
                QTest::addRow("%s %s", kernels::cpu::isa_name(isa), names[static_cast<int>(type)])
                    << static_cast<int>(isa) << static_cast<int>(type);
    }
    // Decoding rounds once or twice: never more than an ulp of the larger term.
    void decodeRows() {
        QFETCH(int, isa);
        QFETCH(int, type);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const std::int64_t columns = type < static_cast<int>(WeightType::Q4_0) ? 71 : 96;
        const Matrix m(static_cast<WeightType>(type), 23, columns, 9);
        std::vector<float> to(static_cast<std::size_t>(15 * columns + 1), 55.5f);
        kernels::cpu::decode_rows(m.weight, 4, 19, to.data(), support::on_threads(2));
        QCOMPARE(to.back(), 55.5f);
        for (std::int64_t r = 0; r < 15; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                const double expected = element(m.weight, 4 + r, c);
                const auto value =
                    static_cast<double>(to[static_cast<std::size_t>(r * columns + c)]);
                const double allowed = type < static_cast<int>(WeightType::Q4_0) ? 0 : 2e-7;
                QVERIFY2(std::abs(value - expected) <= allowed,
                         QByteArray::number(value - expected));
            }
    }

    // Every half, infinities and NaN included.
    void everyHalf() {
        for (auto isa : available_isas()) {
            kernels::cpu::force_isa(isa);
            std::vector<std::uint16_t> bits(65536);
            for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
            const Weight w{reinterpret_cast<const std::byte*>(bits.data()), WeightType::F16, 1,
                           65536 - 5, 131072};
            std::vector<float> to(65536);
            kernels::cpu::decode_rows(w, 0, 1, to.data(), {});
            for (std::size_t i = 0; i < 65536 - 5; ++i) {
                const double expected = half(bits[i]);
                QVERIFY(std::isnan(expected) ? std::isnan(to[i])
                                             : static_cast<double>(to[i]) == expected);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestGemv)
#include "test_gemv.moc"
