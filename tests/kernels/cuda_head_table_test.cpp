// SPDX-License-Identifier: GPL-3.0-or-later
// What the head table is made of: metrics, contribution norms and attributions, column weights.
#include "cuda_trace.h"
#include "head_table_cases.h"
#include "kernels/cuda/contribution.h"
#include "kernels/cuda/pattern.h"

using kernels::Element;

class CudaHeadTableTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void metrics_data() {
        add_metrics_columns();
        for (Element element : all_elements)
            add_metrics_rows(element_name(element), static_cast<int>(element));
    }
    void metrics() {
        QFETCH(int, where);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(bool, sink);
        QFETCH(bool, forbid);
        QFETCH(int, begin);
        QFETCH(int, end);
        const int dim = page == 1 ? 32 : 128;  // both paths
        const support::Shape shape{page, 4, 2, dim, 200};
        CudaTrace trace(shape, static_cast<Element>(where), 3);
        trace.fill(0, std::max(end, 1), 5);
        const std::vector<float> sinks = {0.5f, 2, -1, 3};
        const std::vector<kernels::EdgeRange> edges = metrics_edges(forbid);
        const DeviceBuffer<kernels::EdgeRange> device_edges(edges);
        const auto edge_count = static_cast<std::int32_t>(edges.size());
        const kernels::ScoreRule rule{1 / std::sqrt(static_cast<float>(dim)),
                                      cap,
                                      window,
                                      sink ? sinks.data() : nullptr,
                                      {edges.data(), edge_count}};
        std::vector<kernels::MetricsHead> table(4);
        const auto dense = dense_heads(trace.host_view(), rule, end);
        trace.upload(0, std::max(end, 1));
        for (int h = 0; h < 4; ++h) {
            kernels::MetricsHead& head = table[static_cast<std::size_t>(h)];
            head.trace = trace.view();
            // lse holds what sinks do
            head.rule = {rule.scale, cap, window, nullptr, {device_edges.data(), edge_count}};
            head.head = h;
            head.sink_sum = head.induction_sum = 99;  // overwritten
        }
        const DeviceBuffer<kernels::MetricsHead> device(table);
        const std::vector<std::int32_t> tokens = words(end);
        const DeviceBuffer<std::int32_t> ids(tokens);
        kernels::cuda::MetricsArgs args;
        args.heads = device.data();
        args.head_count = 4;
        args.element = trace.element();
        args.head_dim = dim;
        args.forbids = forbid;
        args.begin = begin;
        args.end = end;
        args.tokens = ids.data();
        const DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::metrics_scratch(args)));
        args.scratch = scratch.data();
        kernels::cuda::metrics(args, nullptr);
        table = device.download();
        for (std::size_t h = 0; h < 4; ++h)
            QVERIFY(right_metrics(table[h], dense[h], tokens, begin, end, window));
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
                    for (auto [begin, end] :
                         {std::pair{0, 1}, {5, 70}, {63, 65}, {7, 7}, {3, 460}}) {
                        const bool both = element == Element::BF16 && (dim == 64 || dim == 128);
                        if (end > 70 && !both) continue;  // long ones have a path of their own
                        QTest::addRow("%s page=%d dim=%d rows=%d-%d", element_name(element), page,
                                      dim, begin, end)
                            << static_cast<int>(element) << page << dim << begin << end;
                    }
    }
    void contributions() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, begin);
        QFETCH(int, end);
        CudaTrace trace({page, 6, 2, dim, 460}, static_cast<Element>(element), 2);
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
        QVERIFY(right_writes(host, begin, end, r, p, norm, dot, [&](int head) {
            const DeviceBuffer<float> lengths(static_cast<std::size_t>(end - begin) + 1),
                products(static_cast<std::size_t>(end - begin) + 1);
            kernels::cuda::column_weights(
                {view, head, begin, end, device_r.data() + head * dim * dim, nullptr,
                 lengths.data()},
                nullptr);
            kernels::cuda::column_weights(
                {view, head, begin, end, nullptr, device_p.data() + head * dim, products.data()},
                nullptr);
            auto of_v = std::pair{lengths.download(), products.download()};
            if (!std::isnan(of_v.first.back()) || !std::isnan(of_v.second.back()))
                of_v.first[0] = NAN;  // wrote behind the end
            return of_v;
        }));
    }
};

QTEST_APPLESS_MAIN(CudaHeadTableTest)
#include "cuda_head_table_test.moc"
