// SPDX-License-Identifier: GPL-3.0-or-later
// Factors of output projections, directions through them, and the small steps of reading a trace
// back.
#include "cuda_trace.h"
#include "head_table_cases.h"
#include "kernels/cuda/contribution.h"
#include "kernels/cuda/projections.h"
#include "kernels/cuda/writes.h"

using kernels::Element;
using kernels::cuda::OutputProjection;

namespace {

double relative(const std::vector<double>& expected, const std::vector<float>& got) {
    double apart = 0, most = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error = std::abs(expected[i] - static_cast<double>(got[i]));
        apart = error <= apart ? apart : std::isnan(error) ? 1e300 : error;
        most = std::max(most, std::abs(expected[i]));
    }
    return most > 0 ? apart / most : apart;
}

}  // namespace

class CudaProjectionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void projections_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("model");
        for (Element element : all_elements)
            for (auto [heads, dim, model] :
                 {std::tuple{4, 16, 64},
                  {3, 64, 576},
                  {2, 80, 200},
                  {8, 128, 1024},
                  {2, 256, 300},
                  {4, 32, 24}})  // the last writes fewer dims than a head has
                QTest::addRow("%s heads=%d dim=%d model=%d", element_name(element), heads, dim,
                              model)
                    << static_cast<int>(element) << heads << dim << model;
    }
    // ‖R z‖ = ‖W_O_h z‖ for z of all sizes, R upper triangular; (W_O_h z) · u = z · p for eight u.
    void projections() {
        QFETCH(int, element);
        QFETCH(int, heads);
        QFETCH(int, dim);
        QFETCH(int, model);
        const auto type = static_cast<Element>(element);
        const std::int64_t columns = std::int64_t{heads} * dim;
        auto w = numbers(model * columns, 3, 0.05f);
        const DeviceBuffer<std::byte> weights(to_elements(type, w));
        const OutputProjection projection{weights.data(), type, model, heads, dim};
        const DeviceBuffer<float> device_r(static_cast<std::size_t>(columns * dim) + 1);
        {
            const DeviceBuffer<std::byte> scratch(
                static_cast<std::size_t>(kernels::cuda::triangle_scratch(projection)));
            kernels::cuda::triangles(projection, device_r.data(), scratch.data(), nullptr);
        }
        const auto r = device_r.download();
        QVERIFY(std::isnan(r.back()));
        const auto z = numbers(columns, 5);
        const int directions = kernels::cuda::most_directions;
        const auto u = numbers(std::int64_t{directions} * model, 7);
        for (int h = 0; h < heads; ++h) {
            std::vector<double> write(static_cast<std::size_t>(model));
            for (int i = 0; i < model; ++i)
                for (int d = 0; d < dim; ++d)
                    write[static_cast<std::size_t>(i)] +=
                        static_cast<double>(
                            w[static_cast<std::size_t>(i * columns + h * dim + d)]) *
                        static_cast<double>(z[static_cast<std::size_t>(h * dim + d)]);
            double squares = 0, turned = 0;
            for (double x : write) squares += x * x;
            for (int i = 0; i < dim; ++i) {
                double y = 0;
                for (int j = 0; j < dim; ++j) {
                    const float x = r[static_cast<std::size_t>((h * dim + i) * dim + j)];
                    if (j < i) QCOMPARE(x, 0.0f);
                    y += static_cast<double>(x) *
                         static_cast<double>(z[static_cast<std::size_t>(h * dim + j)]);
                }
                turned += y * y;
            }
            QVERIFY2(std::abs(std::sqrt(turned) - std::sqrt(squares)) <= 1e-5 * std::sqrt(squares),
                     QByteArray::number(std::sqrt(turned / squares) - 1));
        }
        for (int count : {1, 3, directions}) {
            const DeviceBuffer<float> device_u(u),
                device_p(static_cast<std::size_t>(count * columns) + 1);
            const DeviceBuffer<std::byte> scratch(
                static_cast<std::size_t>(kernels::cuda::turned_scratch(projection, count)));
            kernels::cuda::turned_products(projection, device_u.data(), count, device_p.data(),
                                           scratch.data(), nullptr);
            const auto p = device_p.download();
            QVERIFY(std::isnan(p.back()));
            std::vector<double> expected(static_cast<std::size_t>(count * columns));
            for (int n = 0; n < count; ++n)
                for (std::int64_t c = 0; c < columns; ++c)
                    for (int i = 0; i < model; ++i)
                        expected[static_cast<std::size_t>(n * columns + c)] +=
                            static_cast<double>(w[static_cast<std::size_t>(i * columns + c)]) *
                            static_cast<double>(u[static_cast<std::size_t>(n * model + i)]);
            QVERIFY2(relative(expected, p) <= 2e-6, QByteArray::number(relative(expected, p)));
            // The same of a list of layers.
            OutputProjection twice = projection;
            const DeviceBuffer<const void*> list(
                std::vector<const void*>{weights.data(), weights.data()});
            twice.weights = nullptr;
            twice.all_weights = list.data();
            twice.layers = 2;
            const DeviceBuffer<float> both(static_cast<std::size_t>(2 * count * columns));
            const DeviceBuffer<std::byte> more(
                static_cast<std::size_t>(kernels::cuda::turned_scratch(twice, count)));
            kernels::cuda::turned_products(twice, device_u.data(), count, both.data(), more.data(),
                                           nullptr);
            const auto of_both = both.download();
            for (std::size_t i = 0; i < of_both.size(); ++i)
                QCOMPARE(of_both[i], p[i % (p.size() - 1)]);
        }
        // A direction of the unembedding, whose rows are W's here.
        const auto norm = numbers(columns, 9);
        const DeviceBuffer<float> device_norm(norm), out(static_cast<std::size_t>(columns));
        for (int minus : {-1, 2}) {
            kernels::cuda::direction(weights.data(), type, columns, 5, minus, device_norm.data(),
                                     out.data(), nullptr);
            const auto got = out.download();
            for (std::size_t i = 0; i < got.size(); ++i) {
                const float other =
                    minus < 0 ? 0 : w[static_cast<std::size_t>(minus * columns) + i];
                QCOMPARE(got[i], (w[static_cast<std::size_t>(5 * columns) + i] - other) * norm[i]);
            }
        }
        // Writes of heads, summed and compared.
        const int rows = 19;
        const auto zs = numbers(rows * columns, 11);
        const DeviceBuffer<float> device_z(zs),
            parts(static_cast<std::size_t>(rows * heads * model) + 1);
        kernels::cuda::head_writes(
            {weights.data(), type, model, heads, dim, device_z.data(), rows, parts.data()},
            nullptr);
        const auto writes = parts.download();
        QVERIFY(std::isnan(writes.back()));
        std::vector<double> expected(writes.size() - 1);
        std::vector<float> whole(static_cast<std::size_t>(rows * model)), bias = numbers(model, 13);
        for (int t = 0; t < rows; ++t)
            for (int i = 0; i < model; ++i) {
                double total = static_cast<double>(bias[static_cast<std::size_t>(i)]);
                for (int h = 0; h < heads; ++h) {
                    double sum = 0;
                    for (int d = 0; d < dim; ++d)
                        sum += static_cast<double>(
                                   w[static_cast<std::size_t>(i * columns + h * dim + d)]) *
                               static_cast<double>(
                                   zs[static_cast<std::size_t>(t * columns + h * dim + d)]);
                    expected[static_cast<std::size_t>((t * heads + h) * model + i)] = sum;
                    total += sum;
                }
                whole[static_cast<std::size_t>(t * model + i)] = static_cast<float>(total);
            }
        QVERIFY2(relative(expected, writes) <= 2e-6,
                 QByteArray::number(relative(expected, writes)));
        whole[3] += 0.25f;
        const DeviceBuffer<float> device_whole(whole), device_bias(bias);
        const DeviceBuffer<float> found(std::vector<float>{0, 0});
        kernels::cuda::compare_sums(parts.data(), device_bias.data(), device_whole.data(), rows,
                                    heads, model, found.data(), nullptr);
        const auto sums = found.download();
        float most = 0;
        for (float x : whole) most = std::max(most, std::abs(x));
        QCOMPARE(sums[1], most);
        QVERIFY2(std::abs(sums[0] - 0.25f) < 1e-4f, QByteArray::number(sums[0]));
    }

    void rows_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("window");
        for (Element element : all_elements)
            for (int page : {1, 16, 64})
                for (int dim : {16, 80, 128, 256})
                    for (int window : {0, 9})
                        QTest::addRow("%s page=%d dim=%d window=%d", element_name(element), page,
                                      dim, window)
                            << static_cast<int>(element) << page << dim << window;
    }
    // Rows as they lie, lse, lengths and dots, and one row's invariants against the dense oracle.
    void rows() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, dim);
        QFETCH(int, window);
        const auto type = static_cast<Element>(element);
        const std::int64_t length = 90, dest = 77;
        CudaTrace trace({page, 4, 2, dim, length}, type, 3);
        trace.fill(0, dest + 1, 5);  // behind it lies what is not a number
        const kernels::TraceView& host = trace.host_view();
        const kernels::ScoreRule rule{1 / std::sqrt(static_cast<float>(dim)), 0, window, nullptr};
        for (int h = 0; h < 4; ++h) {
            const auto dense = support::dense_head(host, rule, h, dest + 1);
            for (std::int64_t t = 0; t <= dest; ++t) {
                *host.lse(t, h) = static_cast<float>(dense.lse(t));
                for (int d = 0; d < dim; ++d) host.z(t, h)[d] = static_cast<float>(dense.z(t, d));
            }
        }
        trace.upload(0, dest + 1);
        const kernels::TraceView view = trace.view();
        const std::int64_t begin = 13, end = 66, count = end - begin;
        const DeviceBuffer<float> out(static_cast<std::size_t>(count * 2 * dim) + 1);
        kernels::cuda::gather_floats(view, view.k_offset, 0, 2, begin, end, out.data(), nullptr);
        auto got = out.download();
        QVERIFY(std::isnan(got.back()));
        for (std::int64_t t = begin; t < end; ++t)
            for (int h = 0; h < 2; ++h)
                for (int d = 0; d < dim; ++d)
                    QCOMPARE(got[static_cast<std::size_t>(((t - begin) * 2 + h) * dim + d)],
                             host.k(t, h)[d]);
        kernels::cuda::gather_floats(view, view.z_offset, 3, 1, begin, end, out.data(), nullptr);
        got = out.download();
        for (std::int64_t t = begin; t < end; ++t)
            for (int d = 0; d < dim; ++d)
                QCOMPARE(got[static_cast<std::size_t>((t - begin) * dim + d)], host.z(t, 3)[d]);
        kernels::cuda::gather_lse(view, begin, end, out.data(), nullptr);
        got = out.download();
        for (std::int64_t t = begin; t < end; ++t)
            QCOMPARE(got[static_cast<std::size_t>(2 * count + t - begin)], *host.lse(t, 2));

        std::vector<float> scores, pattern;
        double largest = 0;
        for (int h = 0; h < 4; ++h) {
            const auto dense = support::dense_head(host, rule, h, dest + 1);
            largest = std::max(largest, dense.largest_score);
            for (std::int64_t src = 0; src <= dest; ++src) {
                scores.push_back(static_cast<float>(dense.score(dest, src)));
                pattern.push_back(static_cast<float>(dense.p(dest, src)));
            }
        }
        for (const bool spoilt : {false, true}) {
            if (spoilt) pattern[static_cast<std::size_t>(dest)] += 0.5f;  // of head 0
            const DeviceBuffer<float> device_scores(scores), device_pattern(pattern), found(17);
            kernels::cuda::check_row(view, dest, nullptr, device_scores.data(),
                                     device_pattern.data(), found.data(), nullptr);
            const auto numbers_of = found.download();
            QVERIFY(std::isnan(numbers_of.back()));
            for (std::size_t h = 0; h < 4; ++h) {
                const bool off = spoilt && h == 0;
                QVERIFY(off == (numbers_of[4 * h] > 0.4f));
                if (!off) QVERIFY(numbers_of[4 * h] <= 1e-5f);
                QVERIFY(static_cast<double>(numbers_of[4 * h + 1]) <= largest * 1.000001);
                const double z_error =
                    static_cast<double>(numbers_of[4 * h + 2] / numbers_of[4 * h + 3]);
                QVERIFY2(off == (z_error > z_tolerance(type)), QByteArray::number(z_error));
            }
        }

        const auto x = numbers(3 * dim, 21), u = numbers(dim, 22);
        const DeviceBuffer<float> device_x(x), device_u(u), pairs(7);
        kernels::cuda::lengths_and_dots(device_x.data(), device_u.data(), 3, dim, pairs.data(),
                                        nullptr);
        got = pairs.download();
        for (std::size_t n = 0; n < 3; ++n) {
            double squares = 0, dot = 0;
            for (std::size_t i = 0; i < u.size(); ++i) {
                const auto value = static_cast<double>(x[n * u.size() + i]);
                squares += value * value;
                dot += value * static_cast<double>(u[i]);
            }
            QVERIFY(std::abs(std::sqrt(squares) - static_cast<double>(got[2 * n])) < 1e-5);
            QVERIFY(std::abs(dot - static_cast<double>(got[2 * n + 1])) < 1e-5);
        }
    }

    // Several layers in one launch are each layer alone.
    void layers() {
        const int dim = 64;
        CudaTrace first({16, 4, 2, dim, 70}, Element::BF16, 3),
            second({16, 4, 2, dim, 70}, Element::BF16, 9);
        for (CudaTrace* trace : {&first, &second}) {
            trace->fill(0, 70, trace == &first ? 5 : 6);
            for (std::int64_t t = 0; t < 70; ++t)
                for (int h = 0; h < 4; ++h)
                    std::copy_n(trace->host_view().q(t, h), dim, trace->host_view().z(t, h));
            trace->upload(0, 70);
        }
        const DeviceBuffer<float> r(numbers(2 * 4 * dim * dim, 8)), p(numbers(2 * 4 * dim, 9));
        const DeviceBuffer<kernels::TraceView> views(
            std::vector<kernels::TraceView>{first.view(), second.view()});
        for (auto [begin, end] : {std::pair{0, 70}, {33, 34}}) {
            const auto n = static_cast<std::size_t>((end - begin) * 4);
            const DeviceBuffer<float> norm(2 * n), dot(2 * n), one_norm(n), one_dot(n);
            kernels::cuda::ContributionLayers all;
            all.traces = views.data();
            all.first = first.view();
            all.layers = 2;
            all.begin = begin;
            all.end = end;
            all.r = r.data();
            all.p = p.data();
            all.norm = norm.data();
            all.dot = dot.data();
            kernels::cuda::contributions(all, nullptr);
            const auto norms = norm.download(), dots = dot.download();
            for (std::size_t layer = 0; layer < 2; ++layer) {
                kernels::cuda::contributions(
                    {layer == 0 ? first.view() : second.view(), begin, end,
                     r.data() + layer * 4 * dim * dim, p.data() + layer * 4 * dim, one_norm.data(),
                     one_dot.data()},
                    nullptr);
                const auto alone = one_norm.download(), alone_dot = one_dot.download();
                for (std::size_t i = 0; i < n; ++i) {
                    QVERIFY(std::abs(norms[layer * n + i] - alone[i]) <= 1e-5f * alone[i]);
                    QVERIFY(std::abs(dots[layer * n + i] - alone_dot[i]) <= 1e-4f);
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(CudaProjectionTest)
#include "cuda_projection_test.moc"
