// SPDX-License-Identifier: GPL-3.0-or-later
// What the head table is made of: metrics, contribution norms and attributions, column weights.
#include "cuda_trace.h"
#include "kernels/cuda/contribution.h"
#include "kernels/cuda/pattern.h"
#include "tests/support/dense_oracle.h"

using kernels::Element;

namespace {

std::vector<float> numbers(std::int64_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) x = normal(random);
    return v;
}

// [heads][dim][dim], zero below the diagonal.
std::vector<float> triangles(int heads, int dim) {
    auto r = numbers(std::int64_t{heads} * dim * dim, 8);
    for (int h = 0; h < heads; ++h)
        for (int i = 0; i < dim; ++i)
            for (int j = 0; j < i; ++j) r[static_cast<std::size_t>((h * dim + i) * dim + j)] = 0;
    return r;
}

double norm_of(const float* r, const float* x, int dim) {
    double squares = 0;
    for (int i = 0; i < dim; ++i) {
        double y = 0;
        for (int j = 0; j < dim; ++j)
            y += static_cast<double>(r[i * dim + j]) * static_cast<double>(x[j]);
        squares += y * y;
    }
    return std::sqrt(squares);
}

double dot_of(const float* p, const float* x, int dim, double& size) {
    double dot = 0;
    size = 0;
    for (int j = 0; j < dim; ++j) {
        dot += static_cast<double>(p[j]) * static_cast<double>(x[j]);
        size += std::abs(static_cast<double>(p[j]) * static_cast<double>(x[j]));
    }
    return dot;
}

}  // namespace

class CudaHeadTableTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void metrics_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("page");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        QTest::addColumn<bool>("sink");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        for (Element element : all_elements)
            for (int page : {1, 16, 64})
                for (float cap : {0.0f, 3.0f})
                    for (int window : {0, 4, 17})
                        for (bool sink : {false, true})
                            for (auto [begin, end] : {std::pair{0, 1}, {0, 200}, {63, 145}, {9, 9}})
                                QTest::addRow("%s page=%d cap=%g window=%d sink=%d rows=%d-%d",
                                              element_name(element), page, static_cast<double>(cap),
                                              window, sink, begin, end)
                                    << static_cast<int>(element) << page << cap << window << sink
                                    << begin << end;
    }
    void metrics() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(bool, sink);
        QFETCH(int, begin);
        QFETCH(int, end);
        const int dim = page == 1 ? 32 : 128;  // both paths
        const support::Shape shape{page, 4, 2, dim, 200};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        trace.fill(0, std::max(end, 1), 5);
        const std::vector<float> sinks = {0.5f, 2, -1, 3};
        const kernels::ScoreRule rule{1 / std::sqrt(static_cast<float>(dim)), cap, window,
                                      sink ? sinks.data() : nullptr};
        std::vector<kernels::MetricsHead> table(4);
        std::vector<support::DenseHead> dense;
        for (int h = 0; h < 4; ++h) {
            dense.push_back(support::dense_head(trace.host_view(), rule, h, end));
            for (std::int64_t t = 0; t < end; ++t)
                *trace.host_view().lse(t, h) = static_cast<float>(dense.back().lse(t));
        }
        trace.upload(0, std::max(end, 1));
        for (int h = 0; h < 4; ++h) {
            kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            head.trace = trace.view();
            head.rule = {rule.scale, cap, window, nullptr};  // lse holds what sinks do
            head.head = h;
            head.sink_sum = 99;  // overwritten
        }
        const DeviceBuffer<kernels::MetricsHead> device(table);
        kernels::cuda::MetricsArgs args{device.data(), 4,   trace.element(), dim,
                                        begin,         end, nullptr};
        const DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::metrics_scratch(args)));
        args.scratch = scratch.data();
        kernels::cuda::metrics(args, nullptr);
        table = device.download();
        for (int h = 0; h < 4; ++h) {
            const support::DenseHead& d = dense[static_cast<std::size_t>(h)];
            const kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            double sink_sum = 0, entropy = 0, largest = 0, low = INFINITY, high = -INFINITY;
            for (std::int64_t dest = begin; dest < end; ++dest)
                for (std::int64_t src = 0; src <= dest; ++src) {
                    if (!support::visible(dest, src, window)) continue;
                    const double p = d.p(dest, src), s = d.score(dest, src);
                    if (src == 0) sink_sum += p;
                    if (src > 0) largest = std::max(largest, p);
                    if (p > 0) entropy -= p * std::log(p);
                    low = std::min(low, s);
                    high = std::max(high, s);
                }
            if (begin == end) low = high = 0;
            const double rows = std::max(1, end - begin), allowed = d.tolerance();
            QVERIFY(std::abs(head.sink_sum - sink_sum) <= allowed * rows);
            QVERIFY2(std::abs(head.entropy_sum - entropy) <= 10 * allowed * rows,
                     QByteArray::number(head.entropy_sum - entropy));
            QVERIFY(std::abs(static_cast<double>(head.max_pattern) - largest) <= allowed);
            QVERIFY(std::abs(static_cast<double>(head.min_score) - low) <= allowed);
            QVERIFY(std::abs(static_cast<double>(head.max_score) - high) <= allowed);
        }
    }

    void contributions_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        for (Element element : all_elements)
            for (int page : {1, 16, 64})
                for (int dim : {16, 24, 64, 80, 128, 256})
                    for (auto [begin, end] : {std::pair{0, 1}, {5, 70}, {63, 65}, {7, 7}})
                        QTest::addRow("%s page=%d dim=%d rows=%d-%d", element_name(element), page,
                                      dim, begin, end)
                            << static_cast<int>(element) << page << dim << begin << end;
    }
    void contributions() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, begin);
        QFETCH(int, end);
        CudaTrace trace({page, 6, 2, dim, 70}, static_cast<Element>(element), 2);
        const kernels::TraceView& host = trace.host_view();
        trace.fill(begin, end, 5);
        for (int t = begin; t < end; ++t)
            for (int h = 0; h < 6; ++h) std::copy_n(host.q(t, h), dim, host.z(t, h));
        trace.upload(begin, end);
        const auto r = triangles(6, dim), p = numbers(6 * dim, 9);
        const DeviceBuffer<float> device_r(r), device_p(p);
        const auto n = static_cast<std::size_t>((end - begin) * 6);
        const DeviceBuffer<float> norms(n + 1), dots(n + 1), alone(n + 1);
        const kernels::TraceView view = trace.view();
        kernels::cuda::contributions(
            {view, begin, end, device_r.data(), device_p.data(), norms.data(), dots.data()},
            nullptr);
        const auto norm = norms.download(), dot = dots.download();
        kernels::cuda::contributions(
            {view, begin, end, device_r.data(), nullptr, alone.data(), nullptr}, nullptr);
        auto got = alone.download();
        QVERIFY(std::equal(norm.begin(), norm.end() - 1, got.begin()));
        kernels::cuda::contributions(
            {view, begin, end, nullptr, device_p.data(), nullptr, alone.data()}, nullptr);
        got = alone.download();
        QVERIFY(std::equal(dot.begin(), dot.end() - 1, got.begin()));
        QVERIFY(std::isnan(norm.back()) && std::isnan(dot.back()));
        for (int t = begin; t < end; ++t)
            for (int h = 0; h < 6; ++h) {
                const auto at = static_cast<std::size_t>((t - begin) * 6 + h);
                const double expected = norm_of(r.data() + h * dim * dim, host.z(t, h), dim);
                QVERIFY(std::abs(static_cast<double>(norm[at]) - expected) <= 1e-5 * expected);
                double size = 0;
                const double expected_dot = dot_of(p.data() + h * dim, host.z(t, h), dim, size);
                QVERIFY(std::abs(static_cast<double>(dot[at]) - expected_dot) <= 1e-6 * size);
            }
        for (int head = 0; head < 6; ++head) {
            const DeviceBuffer<float> out(static_cast<std::size_t>(end - begin) + 1);
            kernels::cuda::column_weights(
                {view, head, begin, end, device_r.data() + head * dim * dim, nullptr, out.data()},
                nullptr);
            const auto norm_of_v = out.download();
            kernels::cuda::column_weights(
                {view, head, begin, end, nullptr, device_p.data() + head * dim, out.data()},
                nullptr);
            const auto dot_of_v = out.download();
            QVERIFY(std::isnan(norm_of_v.back()) && std::isnan(dot_of_v.back()));
            for (int t = begin; t < end; ++t) {
                const auto at = static_cast<std::size_t>(t - begin);
                const float* v = host.v(t, head / 3);
                const double expected = norm_of(r.data() + head * dim * dim, v, dim);
                QVERIFY(std::abs(static_cast<double>(norm_of_v[at]) - expected) <= 1e-5 * expected);
                double size = 0;
                const double expected_dot = dot_of(p.data() + head * dim, v, dim, size);
                QVERIFY(std::abs(static_cast<double>(dot_of_v[at]) - expected_dot) <= 1e-6 * size);
            }
        }
    }
};

QTEST_APPLESS_MAIN(CudaHeadTableTest)
#include "cuda_head_table_test.moc"
