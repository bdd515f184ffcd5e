// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda_trace.h"
#include "kernels/cuda/attention.h"

using kernels::Element;

class CudaAppendTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void rows_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<bool>("fp32_in");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("rotary");
        QTest::addColumn<bool>("norm");
        for (Element element : all_elements)
            for (bool fp32_in : {false, true})
                for (int page : {1, 16, 64})
                    for (int dim : {16, 64, 80, 24, 128, 256})
                        for (int rotary : {0, dim / 4 * 2, dim})
                            for (bool norm : {false, true})
                                QTest::addRow("%s fp32_in=%d page=%d dim=%d rotary=%d norm=%d",
                                              element_name(element), fp32_in, page, dim, rotary,
                                              norm)
                                    << static_cast<int>(element) << fp32_in << page << dim << rotary
                                    << norm;
    }
    // Norm weights are uneven, so that rotating first would show. v gets neither norm nor rotation.
    // The first position is read from the device every other time.
    void rows() {
        QFETCH(int, element);
        QFETCH(bool, fp32_in);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, rotary);
        QFETCH(bool, norm);
        const auto type = static_cast<Element>(element), in = fp32_in ? Element::F32 : type;
        const support::Shape shape{page, 6, 2, dim, 100};
        CudaTrace trace(shape, type, 4);
        const std::int64_t begin = 33, end = 97, turned = rotary / 2, columns = (6 + 4) * dim;
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        const auto numbers = [&](std::int64_t n) {
            std::vector<float> v(static_cast<std::size_t>(n));
            for (float& x : v) x = normal(random);
            return v;
        };
        auto qkv = numbers((end - begin) * columns);
        const auto q_norm = numbers(dim), k_norm = numbers(dim);
        const auto cosines = numbers(shape.rows * turned), sines = numbers(shape.rows * turned);
        const DeviceBuffer<std::byte> device_qkv(to_elements(in, qkv));
        const DeviceBuffer<float> device_q_norm(q_norm), device_k_norm(k_norm),
            device_cosines(cosines), device_sines(sines);
        const DeviceBuffer<std::int64_t> device_begin(std::vector<std::int64_t>{begin});
        kernels::cuda::AppendArgs args;
        args.trace = trace.view();
        args.begin = norm ? 7 : begin;
        args.rows = end - begin;
        args.device_begin = norm ? device_begin.data() : nullptr;
        args.qkv = device_qkv.data();
        args.qkv_element = in;
        args.q_norm = norm ? device_q_norm.data() : nullptr;
        args.k_norm = norm ? device_k_norm.data() : nullptr;
        args.norm_eps = 1e-3f;
        args.cosines = rotary ? device_cosines.data() : nullptr;
        args.sines = rotary ? device_sines.data() : nullptr;
        args.rotary_dim = rotary;
        kernels::cuda::append(args, nullptr);
        trace.download();

        const kernels::TraceView& view = trace.host_view();
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
                    for (std::size_t i = 0; i < static_cast<std::size_t>(turned); ++i) {
                        const auto at = static_cast<std::size_t>(t * turned) + i;
                        const auto c = static_cast<double>(cosines[at]),
                                   s = static_cast<double>(sines[at]);
                        const double a = x[i], b = x[i + static_cast<std::size_t>(turned)];
                        x[i] = a * c - b * s;
                        x[i + static_cast<std::size_t>(turned)] = b * c + a * s;
                    }
                const float* stored = is_q   ? view.q(t, head)
                                      : is_k ? view.k(t, head - 6)
                                             : view.v(t, head - 8);
                for (std::size_t d = 0; d < x.size(); ++d) {
                    // The last step is one rounding to the element type.
                    const double rounding = type == Element::F32   ? 0
                                            : type == Element::F16 ? 0x1p-11
                                                                   : 0x1p-8;
                    const double error =
                        std::abs(static_cast<double>(stored[d]) - x[d]) - std::abs(x[d]) * rounding;
                    worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
                }
            }
        QVERIFY2(worst < 1e-5, QByteArray::number(worst));
        QVERIFY(std::isnan(view.k(begin - 1, 0)[0]));
        QVERIFY(std::isnan(view.q(end, 0)[0]));
    }
};

QTEST_APPLESS_MAIN(CudaAppendTest)
#include "cuda_append_test.moc"
