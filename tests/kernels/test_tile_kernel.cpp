// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "isas.h"
#include "tests/support/threads.h"
#include "tile_cases.h"

using kernels::TileArgs;
using kernels::TilePooling;
using support::Fault;
using support::PagedTrace;
using support::Shape;

namespace {

struct Run : TileNumbers {
    PagedTrace trace;
    Run(const Shape& shape, const kernels::ScoreRule& rule, unsigned seed) : trace(shape, seed) {
        trace.fill(0, shape.rows, seed);
        fill(trace.view(), rule, shape.rows, seed);
    }
};

TileArgs arguments(const TileCase& c, const std::vector<kernels::TileHead>& heads) {
    TileArgs args;
    args.heads = heads.data();
    args.head_count = static_cast<std::int64_t>(heads.size());
    args.dest = {c.dest.data(), static_cast<std::int64_t>(c.dest.size()) - 1};
    args.src = {c.src.data(), static_cast<std::int64_t>(c.src.size()) - 1};
    args.raw = c.quantity == Scores;
    args.pooling = c.pooling;
    args.signed_max = c.signed_max;
    args.span_mean = c.span_mean;
    return args;
}

// Largest error of all heads; of an 8-bit tile in steps.
double tile_error(const std::vector<ExpectedPixels>& expected, const TileCase& c,
                  const kernels::ScoreRule& rule, const Run& run, const Run* minus, int threads,
                  const Bytes* u8 = nullptr) {
    const kernels::TraceView& view = run.trace.view();
    const std::size_t pixels = c.pixels();
    const auto count = static_cast<std::size_t>(view.query_heads);
    std::vector<std::vector<float>> out(count, std::vector<float>(pixels + 1, NAN));
    std::vector<std::vector<std::uint8_t>> bytes(count, std::vector<std::uint8_t>(pixels + 1, 77));
    std::vector<kernels::TileHead> heads(count);
    const auto first = c.src.front();
    for (std::size_t h = 0; h < count; ++h) {
        heads[h].trace = view;
        heads[h].rule = rule;
        heads[h].head = static_cast<std::int32_t>(h);
        heads[h].rows = c.rows;
        heads[h].column_weight = c.quantity == Weighted ? run.weights[h].data() + first : nullptr;
        heads[h].minus_trace = minus ? &minus->trace.view() : nullptr;
        heads[h].minus_rows = c.minus_rows;
        heads[h].minus_column_weight =
            minus && c.quantity == Weighted ? minus->weights[h].data() + first : nullptr;
        if (c.quantity == Weighted && h % 2) {
            heads[h].row_weight = run.row_weights.data();
            heads[h].minus_row_weight = minus ? minus->row_weights.data() : nullptr;
        }
        if (u8)
            heads[h].out_u8 = bytes[h].data();
        else
            heads[h].out = out[h].data();
    }
    TileArgs args = arguments(c, heads);
    if (u8) {
        args.low = u8->low;
        args.high = u8->high;
        args.transfer = u8->transfer;
    }
    kernels::cpu::tile(args, support::on_threads(threads));
    for (std::size_t h = 0; h < count; ++h)
        if (!std::isnan(out[h].back()) || bytes[h].back() != 77)
            return 1e301;  // wrote behind the end
    return worst_error(expected, u8, [&](std::size_t h, std::size_t i) {
        return u8 ? bytes[h][i] : static_cast<double>(out[h][i]);
    });
}
double tile_error(const TileCase& c, const kernels::ScoreRule& rule, const Run& run,
                  const Run* minus, int threads) {
    return tile_error(expected_heads(c, rule, run, minus), c, rule, run, minus, threads);
}

// Two runs of the same numbers in pages of each size, so that all are held to one oracle, which
// costs more than they do.
struct PagedRuns {
    int page;
    Run run, other;
};
std::vector<PagedRuns> in_all_pages(const kernels::ScoreRule& rule,
                                    const kernels::ScoreRule& other_rule) {
    std::vector<PagedRuns> all;
    for (int page : {1, 16, 64, 128}) {
        const Shape shape{page, 3, 1, 16, 150};
        all.push_back({page, Run(shape, rule, 11), Run(shape, other_rule, 12)});
    }
    return all;
}

// check(run, other, where) on every instruction set and page size.
template <typename Check>
void everywhere(const std::vector<PagedRuns>& all, Check&& check) {
    for (const auto isa : available_isas()) {
        kernels::cpu::force_isa(isa);
        for (const auto& [page, run, other] : all)
            check(run, other,
                  QByteArray(kernels::cpu::isa_name(isa)) + " page=" + QByteArray::number(page) +
                      ' ');
    }
}

}  // namespace

class TestTileKernel : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void everything_data() {
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        for (float cap : {0.0f, 3.0f})
            for (int window : {0, 4, 17})
                QTest::addRow("cap=%g window=%d", static_cast<double>(cap), window)
                    << cap << window;
    }
    // Every pooling × quantity × axis × difference × rows published, u8 with every transfer, on
    // every instruction set and page size.
    void everything() {
        QFETCH(float, cap);
        QFETCH(int, window);
        const kernels::ScoreRule rule = rule_of({64, 3, 1, 16, 150}, cap, window);
        const auto all = in_all_pages(rule, rule);
        const auto& [page, first, second] = all.front();
        const double tolerance = first.tolerance() + second.tolerance();
        every_tile_case([&](const TileCase& c, bool minus, double factor) {
            const auto expected = expected_heads(c, rule, first, minus ? &second : nullptr);
            everywhere(all, [&](const Run& run, const Run& other, const QByteArray& where) {
                const double error =
                                 tile_error(expected, c, rule, run, minus ? &other : nullptr, 3),
                             allowed = tolerance * factor;
                QVERIFY2(error <= allowed, where + described(c, error, allowed, minus));
            });
        });
        every_byte_case([&](const TileCase& c, const Bytes& bytes) {
            const auto expected = expected_heads(c, rule, first, nullptr);
            everywhere(all, [&](const Run& run, const Run&, const QByteArray& where) {
                const double error = tile_error(expected, c, rule, run, nullptr, 2, &bytes);
                QVERIFY2(error <= 0.05, where + QByteArray::number(error));
            });
        });
    }

    // The same where the run, but not the one that is subtracted, forbids keys.
    void forbidden_data() { everything_data(); }
    void forbidden() {
        QFETCH(float, cap);
        QFETCH(int, window);
        const kernels::ScoreRule plain = rule_of({64, 3, 1, 16, 150}, cap, window),
                                 rule = with_forbidden(plain);
        const auto all = in_all_pages(rule, plain);
        const auto& [page, first, second] = all.front();
        const double tolerance = first.tolerance() + second.tolerance();
        every_tile_case([&](const TileCase& c, bool minus, double factor) {
            if (subtracts_infinities(c, minus)) return;
            const auto expected = expected_heads(c, rule, first, minus ? &second : nullptr);
            everywhere(all, [&](const Run& run, const Run& other, const QByteArray& where) {
                const double error =
                                 tile_error(expected, c, rule, run, minus ? &other : nullptr, 3),
                             allowed = tolerance * factor;
                QVERIFY2(error <= allowed, where + described(c, error, allowed, minus));
            });
        });
    }

    void shapes_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("dim");
        QTest::addColumn<int>("rows");
        for (auto isa : available_isas())
            for (int group : {1, 2, 3, 4, 8})
                for (int dim : {16, 20, 64, 80, 96, 128, 256})
                    for (int rows : {1, 15, 16, 17, 200})
                        QTest::addRow("%s group=%d dim=%d rows=%d", kernels::cpu::isa_name(isa),
                                      group, dim, rows)
                            << static_cast<int>(isa) << group << dim << rows;
    }
    void shapes() {
        QFETCH(int, isa);
        QFETCH(int, group);
        QFETCH(int, dim);
        QFETCH(int, rows);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{16, 2 * group, 2, dim, rows};
        const kernels::ScoreRule rule = rule_of(shape);
        const Run run(shape, rule, 11);
        for (std::int64_t step : {1, 4}) {
            const TileCase c{steps(0, rows, step),
                             steps(0, rows, step),
                             Pattern,
                             TilePooling::Max,
                             false,
                             false,
                             rows};
            const double error = tile_error(c, rule, run, nullptr, 2);
            QVERIFY2(error <= run.tolerance(), QByteArray::number(error));
        }
    }

    // More pixels than a task or a chunk holds, in both directions.
    void manyPixels() {
        for (auto isa : available_isas()) {
            kernels::cpu::force_isa(isa);
            const Shape shape{64, 1, 1, 16, 700};
            const kernels::ScoreRule rule = rule_of(shape);
            const Run run(shape, rule, 11);
            for (auto pooling : {TilePooling::None, TilePooling::Max, TilePooling::Mean})
                for (auto [rows, columns] : {std::pair{1, 1}, {1, 350}, {350, 1}, {300, 300}}) {
                    if (pooling == TilePooling::None && rows * columns > 1) continue;
                    const TileCase c{steps(0, 700, rows),
                                     steps(0, 700, columns),
                                     Pattern,
                                     pooling,
                                     false,
                                     false,
                                     700};
                    const double error = tile_error(c, rule, run, nullptr, 2);
                    QVERIFY2(error <= run.tolerance(), QByteArray::number(error));
                }
        }
    }

    // A row of spans sums to 1.
    void spanRowsSumToOne() {
        const Shape shape{16, 3, 1, 32, 150};
        const kernels::ScoreRule rule = rule_of(shape);
        const Run run(shape, rule, 11);
        const Edges spans = {0, 1, 3, 4, 40, 41, 90, 149, 150};
        std::vector<float> out(64);
        kernels::TileHead head;
        head.trace = run.trace.view();
        head.rule = rule;
        head.head = 2;
        head.rows = 150;
        head.out = out.data();
        TileCase c{spans, spans, Pattern, TilePooling::Mean, false, true, 150};
        const std::vector<kernels::TileHead> heads = {head};
        kernels::cpu::tile(arguments(c, heads), {});
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(std::abs(std::accumulate(out.begin() + static_cast<std::ptrdiff_t>(i * 8),
                                             out.begin() + static_cast<std::ptrdiff_t>(i * 8 + 8),
                                             0.0) -
                             1) < 1e-5);
    }

    void negativeControls_data() { add_tile_faults(); }
    void negativeControls() {
        QFETCH(int, fault);
        const Shape shape{16, 6, 2, 32, 90};
        const kernels::ScoreRule rule = rule_of(shape, 3, 17);
        const TileCase c{steps(0, 90, 4), steps(0, 90, 4), Pattern, TilePooling::Max,
                         false,           false,           90};
        Run run(shape, rule, 11);
        QVERIFY(tile_error(c, rule, run, nullptr, 2) <= run.tolerance());
        for (int h = 0; h < 6; ++h)
            run.dense[static_cast<std::size_t>(h)] =
                support::dense_head(run.trace.view(), rule, h, 90, static_cast<Fault>(fault));
        QVERIFY(tile_error(c, rule, run, nullptr, 2) > 100 * run.tolerance());
    }

    void stops() {
        const Shape shape{16, 1, 1, 16, 90};
        const kernels::ScoreRule rule = rule_of(shape);
        const Run run(shape, rule, 11);
        std::vector<float> out(90 * 90, 5);
        kernels::TileHead head;
        head.trace = run.trace.view();
        head.rule = rule;
        head.rows = 90;
        head.out = out.data();
        const std::vector<kernels::TileHead> heads = {head};
        const TileCase c{steps(0, 90, 1), steps(0, 90, 1), Pattern, TilePooling::None,
                         false,           false,           90};
        TileArgs args = arguments(c, heads);
        const bool stop = true;
        args.stop = &stop;
        kernels::cpu::tile(args, support::on_threads(2));
        QVERIFY(std::all_of(out.begin(), out.end(), [](float x) { return x == 5; }));
    }

    // Equal ends of a range, and what no number stands for.
    void bytesOfOddRanges() {
        const Shape shape{16, 1, 1, 16, 40};
        const kernels::ScoreRule rule = rule_of(shape);
        const Run run(shape, rule, 11);
        std::vector<std::uint8_t> out(1600);
        kernels::TileHead head;
        head.trace = run.trace.view();
        head.rule = rule;
        head.rows = 40;
        head.out_u8 = out.data();
        const std::vector<kernels::TileHead> heads = {head};
        const TileCase c{steps(0, 40, 1), steps(0, 40, 1), Scores, TilePooling::None,
                         false,           false,           40};
        TileArgs args = arguments(c, heads);
        args.low = args.high = 0;
        kernels::cpu::tile(args, {});
        for (std::int64_t dest = 0; dest < 40; ++dest)
            for (std::int64_t src = 0; src < 40; ++src) {
                const bool above = run.dense[0].score(dest, src) > 0;
                QCOMPARE(int{out[static_cast<std::size_t>(dest * 40 + src)]}, above ? 255 : 0);
            }
    }
};

QTEST_APPLESS_MAIN(TestTileKernel)
#include "test_tile_kernel.moc"
