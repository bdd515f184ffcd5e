// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda_trace.h"
#include "kernels/cuda/product.h"
#include "product_cases.h"

using kernels::Element;
using kernels::cuda::Finish;

namespace {

std::vector<float> numbers(std::int64_t n, unsigned seed, float spread = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) x = spread * normal(random);
    return v;
}

double rounding(Element element) {
    return element == Element::F32 ? 0x1p-24 : element == Element::F16 ? 0x1p-11 : 0x1p-8;
}

class Cuda {
  public:
    explicit Cuda(int) {}
    std::vector<float> product(Element element, const ProductGiven& given) const {
        std::vector<float> rounded = given.weights;
        const DeviceBuffer<std::byte> weights(to_elements(element, rounded));
        if (rounded != given.weights) qFatal("weights that the type does not hold");
        const DeviceBuffer<float> x(given.x), bias(given.bias);
        const DeviceBuffer<float> y(given.before.empty()
                                        ? std::vector<float>(static_cast<std::size_t>(given.rows))
                                        : given.before);
        kernels::cuda::ProductArgs args;
        args.weights = weights.data();
        args.element = element;
        args.rows = given.rows;
        args.columns = given.columns;
        args.x = x.data();
        args.bias = given.bias.empty() ? nullptr : bias.data();
        args.finish = given.before.empty() ? Finish::Store : Finish::Add;
        args.y = y.data();
        args.x_element = args.y_element = Element::F32;
        kernels::cuda::product(args, nullptr);
        return y.download();
    }
};

}  // namespace

class CudaProductTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void plain_data() {
        add_product_columns();
        for (Element element : all_elements)
            add_products("cuda", 0, element, element_name(element));
    }
    void plain() { test_product<Cuda>(); }

    // With the norm before it and what follows it fused.
    void finishes_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<bool>("fp32_x");
        QTest::addColumn<bool>("norm");
        QTest::addColumn<int>("finish");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        for (Element element : all_elements)
            for (bool fp32_x : {false, true})
                for (bool norm : {false, true})
                    for (int finish : {0, 1, 2})
                        for (auto [rows, columns] : {std::pair{1, 8},
                                                     {37, 72},
                                                     {301, 576},
                                                     {5, 2048},
                                                     {1003, 4096},
                                                     {17000, 2056},
                                                     {700, 4104},
                                                     {33, 12288},
                                                     {7, 16384}})
                            QTest::addRow("%s fp32_x=%d norm=%d finish=%d %dx%d",
                                          element_name(element), fp32_x, norm, finish, rows,
                                          columns)
                                << static_cast<int>(element) << fp32_x << norm << finish << rows
                                << columns;
    }
    void finishes() {
        QFETCH(int, element);
        QFETCH(bool, fp32_x);
        QFETCH(bool, norm);
        QFETCH(int, finish);
        QFETCH(int, rows);
        QFETCH(int, columns);
        const auto type = static_cast<Element>(element), x_type = fp32_x ? Element::F32 : type;
        const auto how = static_cast<Finish>(finish);
        const bool pairs = how == Finish::SiluMul, with_bias = !pairs && rows % 2;
        const auto n = static_cast<std::size_t>(rows);
        // A small set of rows repeated: the oracle's sums are then few, and every row is read.
        const std::int64_t distinct = std::min(pairs ? 2 * rows : rows, 97);
        auto set = numbers(distinct * columns, 1, 1 / std::sqrt(static_cast<float>(columns)));
        const auto set_bytes = to_elements(type, set);
        const std::size_t row_bytes = static_cast<std::size_t>(columns) * size_of(type);
        std::vector<std::byte> bytes((pairs ? 2 * n : n) * row_bytes);
        for (std::size_t row = 0; row * row_bytes < bytes.size(); ++row)
            std::copy_n(
                set_bytes.begin() + static_cast<std::ptrdiff_t>(
                                        row % static_cast<std::size_t>(distinct) * row_bytes),
                row_bytes, bytes.begin() + static_cast<std::ptrdiff_t>(row * row_bytes));
        auto x = numbers(columns, 2), before = numbers(rows, 3);
        const auto weight = numbers(columns, 4), bias = numbers(rows, 5);
        const DeviceBuffer<std::byte> device_weights(bytes), device_x(to_elements(x_type, x)),
            y(to_elements(x_type, before));
        const DeviceBuffer<float> device_norm(weight), device_bias(bias);
        const DeviceBuffer<std::uint64_t> best(1, 0);
        kernels::cuda::ProductArgs args;
        args.weights = device_weights.data();
        args.element = type;
        args.rows = rows;
        args.columns = columns;
        args.x = device_x.data();
        args.x_element = x_type;
        args.norm = norm ? device_norm.data() : nullptr;
        args.norm_eps = 1e-5f;
        args.bias = with_bias ? device_bias.data() : nullptr;
        args.finish = how;
        args.y = y.data();
        args.y_element = x_type;
        args.best = how == Finish::Store ? best.data() : nullptr;
        kernels::cuda::product(args, nullptr);

        std::vector<double> input(x.begin(), x.end());
        if (norm) {
            double squares = 0;
            for (double v : input) squares += v * v;
            for (std::size_t i = 0; i < input.size(); ++i)
                input[i] *= static_cast<double>(weight[i]) /
                            std::sqrt(squares / columns + static_cast<double>(args.norm_eps));
        }
        std::vector<double> sums(static_cast<std::size_t>(distinct), 0);
        for (std::size_t row = 0; row < sums.size(); ++row)
            for (std::size_t i = 0; i < input.size(); ++i)
                sums[row] += static_cast<double>(set[row * static_cast<std::size_t>(columns) + i]) *
                             input[i];
        const auto product = [&](std::size_t row) { return sums[row % sums.size()]; };
        const auto out = y.download();
        double highest = -1e300;
        for (std::size_t row = 0; row < n; ++row) {
            double expected = product(row) + (with_bias ? static_cast<double>(bias[row]) : 0);
            if (how == Finish::Add) expected += static_cast<double>(before[row]);
            if (pairs) expected = expected / (1 + std::exp(-expected)) * product(row + n);
            const auto got =
                static_cast<double>(load_element(x_type, out.data() + row * size_of(x_type)));
            const double error = std::abs(got - expected) - std::abs(expected) * rounding(x_type);
            QVERIFY2(error <= 2e-5, QByteArray::number(error) + " in row " +
                                        QByteArray::number(static_cast<qulonglong>(row)));
            highest = std::max(highest, expected);
        }
        if (how != Finish::Store) return;
        const auto row =
            static_cast<std::size_t>(0xffffffffu - static_cast<std::uint32_t>(best.download()[0]));
        QVERIFY(row < n);
        const double found = product(row) + (with_bias ? static_cast<double>(bias[row]) : 0);
        QVERIFY(highest - found <= 2e-5);
        if (!with_bias) QVERIFY(row < sums.size());  // equal rows: the lowest wins
    }

    // Dependent launches overlap; what one writes the next must see, whatever is in a cache. The
    // token is fed back on the device.
    void chainInGraph() {
        const std::int64_t columns = 512, vocabulary = 3001;
        auto a = numbers(columns * columns, 1, 0.05f), b = numbers(columns * columns, 2, 0.05f),
             head = numbers(vocabulary * columns, 3), embedding = numbers(vocabulary * columns, 4);
        const DeviceBuffer<std::byte> da(to_elements(Element::BF16, a)),
            db(to_elements(Element::BF16, b)), dh(to_elements(Element::BF16, head)),
            de(to_elements(Element::BF16, embedding));
        const DeviceBuffer<float> x(512, 0), y(512), logits(static_cast<std::size_t>(vocabulary));
        DeviceBuffer<std::uint64_t> best(1, 0);
        DeviceBuffer<std::int64_t> position(std::vector<std::int64_t>{-1});
        const DeviceBuffer<std::int32_t> tokens(40);
        best.upload({0xffffffffu - 7});
        cudaStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        using kernels::cuda::check;
        check(cudaStreamCreate(&stream), "stream");
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        kernels::cuda::NextTokenArgs next;
        next.best = best.data();
        next.position = position.data();
        next.tokens = tokens.data();
        next.embedding = de.data();
        next.columns = columns;
        next.x = x.data();
        next.x_element = Element::F32;
        kernels::cuda::next_token(next, stream);
        kernels::cuda::ProductArgs args;
        args.rows = args.columns = columns;
        args.x_element = args.y_element = Element::F32;
        for (int layer = 0; layer < 6; ++layer) {
            args.weights = da.data();
            args.x = x.data();
            args.y = y.data();
            args.finish = Finish::Store;
            kernels::cuda::product(args, stream);
            args.weights = db.data();
            args.x = y.data();
            args.y = x.data();
            args.finish = Finish::Add;
            kernels::cuda::product(args, stream);
        }
        args.weights = dh.data();
        args.rows = vocabulary;
        args.x = x.data();
        args.y = logits.data();
        args.finish = Finish::Store;
        args.best = best.data();
        kernels::cuda::product(args, stream);
        check(cudaStreamEndCapture(stream, &graph), "end of capture");
        check(cudaGraphInstantiate(&ready, graph, 0), "instantiate");
        for (int i = 0; i < 40; ++i) check(cudaGraphLaunch(ready, stream), "launch");
        check(cudaStreamSynchronize(stream), "wait");
        const auto got = tokens.download();
        QCOMPARE(position.download()[0], 39);
        QCOMPARE(got[0], 7);
        const auto multiply = [&](const std::vector<float>& w, const std::vector<double>& v) {
            std::vector<double> out(w.size() / v.size());
            for (std::size_t r = 0; r < out.size(); ++r)
                for (std::size_t i = 0; i < v.size(); ++i)
                    out[r] += static_cast<double>(w[r * v.size() + i]) * v[i];
            return out;
        };
        for (std::size_t step = 0; step + 1 < got.size(); ++step) {
            const float* row = embedding.data() + got[step] * columns;
            std::vector<double> v(row, row + columns);
            for (int layer = 0; layer < 6; ++layer) {
                const auto more = multiply(b, multiply(a, v));
                for (std::size_t i = 0; i < v.size(); ++i) v[i] += more[i];
            }
            const auto scores = multiply(head, v);
            const double highest = *std::max_element(scores.begin(), scores.end());
            const double chosen = scores[static_cast<std::size_t>(got[step + 1])];
            QVERIFY2(highest - chosen <= 1e-4 * std::abs(highest), QByteArray::number(highest));
        }
        check(cudaGraphExecDestroy(ready), "destroy");
        check(cudaGraphDestroy(graph), "destroy");
        check(cudaStreamDestroy(stream), "destroy");
    }
};

QTEST_APPLESS_MAIN(CudaProductTest)
#include "cuda_product_test.moc"
