// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda_tile_cases.h"
#include "kernels/cuda/paths.h"

using kernels::Element;
using kernels::TilePooling;
using support::Fault;
using support::Shape;

class CudaTileTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }
    void cleanup() { kernels::cuda::force_portable(false); }

    void everything_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("page");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        for (Element element : all_elements)
            for (int page : {1, 16, 64, 128})
                for (float cap : {0.0f, 3.0f})
                    for (int window : {0, 4, 17, 100}) {
                        if (element != Element::BF16 && (page != 16 || window == 4)) continue;
                        for (int dim : {16, 64, 128}) {  // both paths
                            if (dim != 16 && (element != Element::BF16 || page == 1)) continue;
                            QTest::addRow("%s dim=%d page=%d cap=%g window=%d",
                                          element_name(element), dim, page,
                                          static_cast<double>(cap), window)
                                << static_cast<int>(element) << dim << page << cap << window;
                        }
                    }
    }
    // Every pooling × quantity × axis × difference × rows published, u8 with every transfer.
    void everything() {
        QFETCH(int, element);
        QFETCH(int, dim);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        const Shape shape{page, 3, 1, dim, 150};
        const kernels::ScoreRule rule = rule_of(shape, cap, window);
        const TileRun run(shape, rule, static_cast<Element>(element), 11),
            other(shape, rule, static_cast<Element>(element), 12);
        const double tolerance = run.tolerance() + other.tolerance();
        every_tile_case([&](const TileCase& c, bool minus, double factor) {
            const double error = tile_error(c, rule, run, minus ? &other : nullptr),
                         allowed = tolerance * factor;
            QVERIFY2(error <= allowed, described(c, error, allowed, minus));
        });
        every_byte_case([&](const TileCase& c, const Bytes& bytes) {
            const double error = tile_error(c, rule, run, nullptr, &bytes);
            QVERIFY2(error <= 0.05, QByteArray::number(error));
        });
    }

    // The same where the run, but not the one that is subtracted, forbids keys.
    void forbidden_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("dim");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        for (Element element : all_elements)
            for (int dim : {16, 128})
                for (float cap : {0.0f, 3.0f})
                    for (int window : {0, 17})
                        QTest::addRow("%s dim=%d cap=%g window=%d", element_name(element), dim,
                                      static_cast<double>(cap), window)
                            << static_cast<int>(element) << dim << cap << window;
    }
    void forbidden() {
        QFETCH(int, element);
        QFETCH(int, dim);
        QFETCH(float, cap);
        QFETCH(int, window);
        const Shape shape{64, 3, 1, dim, 150};
        const kernels::ScoreRule plain = rule_of(shape, cap, window), rule = with_forbidden(plain);
        const TileRun run(shape, rule, static_cast<Element>(element), 11),
            other(shape, plain, static_cast<Element>(element), 12);
        const double tolerance = run.tolerance() + other.tolerance();
        every_tile_case([&](const TileCase& c, bool minus, double factor) {
            if (subtracts_infinities(c, minus)) return;
            const double error = tile_error(c, rule, run, minus ? &other : nullptr),
                         allowed = tolerance * factor;
            QVERIFY2(error <= allowed, described(c, error, allowed, minus));
        });
    }

    void shapes_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("rows");
        for (Element element : all_elements)
            for (int group : {1, 2, 4, 8})
                for (int dim : {16, 24, 64, 80, 96, 128, 256})
                    for (int rows : {1, 63, 64, 65, 200})
                        QTest::addRow("%s group=%d dim=%d rows=%d", element_name(element), group,
                                      dim, rows)
                            << static_cast<int>(element) << group << dim << rows;
    }
    void shapes() {
        QFETCH(int, element);
        QFETCH(int, group);
        QFETCH(int, dim);
        QFETCH(int, rows);
        const Shape shape{16, 2 * group, 2, dim, rows};
        const kernels::ScoreRule rule = rule_of(shape);
        const TileRun run(shape, rule, static_cast<Element>(element), 11);
        for (std::int64_t step : {1, 4}) {
            TileCase c{steps(0, rows, step), steps(0, rows, step)};
            c.rows = rows;
            for (bool portable : {false, true}) {
                kernels::cuda::force_portable(portable);
                const double error = tile_error(c, rule, run, nullptr);
                QVERIFY2(error <= run.tolerance(), QByteArray::number(error));
            }
        }
    }

    // More pixels than an item holds, in both directions; pixels of many strips.
    void manyPixels() {
        const Shape shape{64, 1, 1, 128, 1100};
        const kernels::ScoreRule rule = rule_of(shape);
        const TileRun run(shape, rule, Element::BF16, 11);
        for (auto pooling : {TilePooling::None, TilePooling::Max, TilePooling::Mean})
            for (bool signed_max : {false, true})
                for (auto [rows, columns] :
                     {std::pair{1, 1}, {1, 350}, {350, 1}, {300, 300}, {8, 8}}) {
                    if (pooling == TilePooling::None && rows * columns > 1) continue;
                    if (signed_max && pooling != TilePooling::Max) continue;
                    TileCase c{steps(0, 1100, rows), steps(0, 1100, columns), Pattern, pooling};
                    c.signed_max = signed_max;
                    c.rows = 1100;
                    const double error = tile_error(c, rule, run, nullptr);
                    QVERIFY2(error <= run.tolerance(), QByteArray::number(error));
                }
    }

    void wideStrips_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("page");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        for (Element element : {Element::BF16, Element::F16})
            for (int dim : {64, 128})
                for (int page : {16, 64, 128})
                    for (float cap : {0.0f, 3.0f})
                        for (int window : {0, 100, 300}) {
                            if (cap > 0 && (page != 64 || element == Element::F16)) continue;
                            QTest::addRow("%s dim=%d page=%d cap=%g window=%d",
                                          element_name(element), dim, page,
                                          static_cast<double>(cap), window)
                                << static_cast<int>(element) << dim << page << cap << window;
                        }
    }
    // Pixels of whole eights of cells: strips of 128 rows and key tiles of 128, ragged at either
    // end, pixels within a tile and over several, rows that are not published.
    void wideStrips() {
        QFETCH(int, element);
        QFETCH(int, dim);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        const Shape shape{page, 4, 2, dim, 700};
        const kernels::ScoreRule rule = rule_of(shape, cap, window);
        const TileRun run(shape, rule, static_cast<Element>(element), 11);
        const std::pair<Edges, Edges> axes[] = {
            {steps(0, 700, 8), steps(0, 700, 8)},     {steps(0, 700, 16), steps(0, 700, 32)},
            {steps(0, 700, 64), steps(0, 700, 24)},   {steps(0, 700, 264), steps(0, 700, 128)},
            {steps(0, 700, 512), steps(0, 700, 512)}, {steps(0, 700, 700), steps(0, 700, 8)},
            {steps(20, 621, 8), steps(50, 411, 40)},  {steps(320, 384, 64), steps(64, 699, 8)},
            {steps(0, 72, 8), steps(200, 400, 8)}};
        for (const auto& [dest, src] : axes)
            for (auto pooling : {TilePooling::Max, TilePooling::Mean, TilePooling::Sum})
                for (auto quantity : {Pattern, Scores})
                    for (std::int64_t rows : {700, 333, 0}) {
                        TileCase c{dest, src, quantity, pooling};
                        c.rows = rows;
                        c.span_mean = pooling == TilePooling::Mean && rows == 333;
                        double allowed = run.tolerance();
                        if (pooling == TilePooling::Sum) allowed *= quantity == Scores ? 3e4 : 30;
                        if (quantity == Scores) allowed *= 12;
                        const double error = tile_error(c, rule, run, nullptr);
                        QVERIFY2(error <= allowed, described(c, error, allowed, false));
                    }
        TileCase c{steps(0, 700, 16), steps(0, 700, 8)};
        c.rows = 690;
        const Bytes bytes{kernels::TileArgs::Transfer::Sqrt, 0, 1};
        const double error = tile_error(c, rule, run, nullptr, &bytes);
        QVERIFY2(error <= 0.05, QByteArray::number(error));
    }

    void negativeControls_data() { add_tile_faults(); }
    void negativeControls() {
        QFETCH(int, fault);
        const Shape shape{16, 6, 2, 32, 90};
        const kernels::ScoreRule rule = rule_of(shape, 3, 17);
        TileCase c{steps(0, 90, 4), steps(0, 90, 4)};
        c.rows = 90;
        TileRun run(shape, rule, Element::BF16, 11);
        QVERIFY(tile_error(c, rule, run, nullptr) <= run.tolerance());
        for (int h = 0; h < 6; ++h)
            run.dense[static_cast<std::size_t>(h)] =
                support::dense_head(run.trace.host_view(), rule, h, 90, static_cast<Fault>(fault));
        QVERIFY(tile_error(c, rule, run, nullptr) > 100 * run.tolerance());
    }

    // Equal ends of a range, and what no number stands for.
    void bytesOfOddRanges() {
        const Shape shape{16, 1, 1, 16, 40};
        const kernels::ScoreRule rule = rule_of(shape);
        const TileRun run(shape, rule, Element::BF16, 11);
        TileCase c{steps(0, 40, 1), steps(0, 40, 1), Scores, TilePooling::None};
        c.rows = 40;
        const Bytes bytes{kernels::TileArgs::Transfer::Linear, 0, 0};
        const auto out = device_tile<std::uint8_t>(c, rule, run, nullptr, &bytes);
        for (std::int64_t dest = 0; dest < 40; ++dest)
            for (std::int64_t src = 0; src < 40; ++src) {
                const bool above = run.dense[0].score(dest, src) > 0;
                QCOMPARE(int{out[static_cast<std::size_t>(dest * 40 + src)]}, above ? 255 : 0);
            }
    }
};

QTEST_APPLESS_MAIN(CudaTileTest)
#include "cuda_tile_test.moc"
