// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "isas.h"
#include "kernels/pattern.h"
#include "tests/support/dense_oracle.h"
#include "tests/support/paged_trace.h"
#include "tests/support/threads.h"

using kernels::TileArgs;
using kernels::TilePooling;
using support::DenseHead;
using support::Fault;
using support::PagedTrace;
using support::Shape;
using Edges = std::vector<std::int64_t>;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

enum Quantity {
    Scores,
    Pattern,
    Weighted
};  // Weighted: value with weights ≥ 0, attribution with signed ones

Edges steps(std::int64_t begin, std::int64_t end, std::int64_t step) {
    Edges edges;
    for (std::int64_t at = begin; at < end; at += step) edges.push_back(at);
    edges.push_back(end);
    return edges;
}

// The trace of a run with the oracle's lse stored, as attend leaves it.
struct Run {
    PagedTrace trace;
    std::vector<DenseHead> dense;
    std::vector<std::vector<float>> weights;  // a head and src
    std::vector<float> row_weights;           // of dest; odd heads use them
    Run(const Shape& shape, const kernels::ScoreRule& rule, unsigned seed) : trace(shape, seed) {
        trace.fill(0, shape.rows, seed);
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for (int h = 0; h < shape.query_heads; ++h) {
            dense.push_back(support::dense_head(trace.view(), rule, h, shape.rows));
            for (std::int64_t t = 0; t < shape.rows; ++t)
                *trace.view().lse(t, h) = static_cast<float>(dense.back().lse(t));
            weights.emplace_back();
            if (h == 0)
                for (std::int64_t t = 0; t < shape.rows; ++t) row_weights.push_back(normal(random));
            for (std::int64_t t = 0; t < shape.rows; ++t) weights.back().push_back(normal(random));
        }
    }
};

struct Case {
    Edges dest, src;
    Quantity quantity = Pattern;
    TilePooling pooling = TilePooling::Max;
    bool signed_max = false, span_mean = false;
    std::int64_t rows = 0;
    std::int64_t minus_rows = 0;
};

// Pixels by the contract's words. rivals: the extreme on the other side of 0, which rounding may
// prefer where the two are of one magnitude (a row of two cells differs by +x and −x).
std::vector<double> expected_pixels(const Case& c, const kernels::ScoreRule& rule, const Run& run,
                                    const Run* minus, int head, std::vector<double>& rivals) {
    const auto cell = [&](const Run& from, std::int64_t dest, std::int64_t src) {
        const DenseHead& dense = from.dense[static_cast<std::size_t>(head)];
        if (c.quantity == Scores) return dense.score(dest, src);
        const double w = static_cast<double>(
            from.weights[static_cast<std::size_t>(head)][static_cast<std::size_t>(src)]);
        const double row =
            head % 2 ? static_cast<double>(from.row_weights[static_cast<std::size_t>(dest)]) : 1;
        return dense.p(dest, src) * (c.quantity == Weighted ? w * row : 1);
    };
    const std::int64_t rows = minus ? std::min(c.rows, c.minus_rows) : c.rows;
    std::vector<double> out;
    for (std::size_t i = 0; i + 1 < c.dest.size(); ++i)
        for (std::size_t j = 0; j + 1 < c.src.size(); ++j) {
            double largest = -INFINITY, least = INFINITY, magnitude = 0, sum = 0;
            std::int64_t cells = 0;
            const std::int64_t last = std::min(c.dest[i + 1], rows);
            for (std::int64_t dest = c.dest[i]; dest < last; ++dest)
                for (std::int64_t src = c.src[j]; src < c.src[j + 1]; ++src) {
                    if (!support::visible(dest, src, rule.window)) continue;
                    const double x = cell(run, dest, src) - (minus ? cell(*minus, dest, src) : 0);
                    largest = std::max(largest, x);
                    least = std::min(least, x);
                    if (std::abs(x) > std::abs(magnitude)) magnitude = x;
                    sum += x;
                    ++cells;
                }
            const double empty = c.quantity == Scores ? -INFINITY : 0;
            double value = empty;
            if (cells > 0) {
                if (c.pooling == TilePooling::Sum)
                    value = sum;
                else if (c.pooling == TilePooling::Mean)
                    value = sum / static_cast<double>(c.span_mean ? last - c.dest[i] : cells);
                else
                    value = c.signed_max ? magnitude : largest;
            }
            out.push_back(value);
            rivals.push_back(c.signed_max && cells > 0 ? (magnitude == largest ? least : largest)
                                                       : value);
        }
    return out;
}

TileArgs arguments(const Case& c, const std::vector<kernels::TileHead>& heads) {
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

// Largest error of all heads; with `u8` of the bytes against the mapped reference, in steps.
double tile_error(const Case& c, const kernels::ScoreRule& rule, const Run& run, const Run* minus,
                  int threads, TileArgs::Transfer* u8 = nullptr, float low = 0, float high = 1) {
    const kernels::TraceView& view = run.trace.view();
    const auto pixels = (c.dest.size() - 1) * (c.src.size() - 1);
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
    args.low = low;
    args.high = high;
    if (u8) args.transfer = *u8;
    kernels::cpu::tile(args, support::on_threads(threads));
    double worst = 0;
    for (std::size_t h = 0; h < count; ++h) {
        if (!std::isnan(out[h].back()) || bytes[h].back() != 77)
            return 1e301;  // wrote behind the end
        std::vector<double> rivals;
        const auto expected = expected_pixels(c, rule, run, minus, static_cast<int>(h), rivals);
        for (std::size_t i = 0; i < pixels; ++i) {
            double error;
            if (u8) {
                const auto f = [&](double x) {
                    if (*u8 == TileArgs::Transfer::Sqrt) return std::sqrt(std::max(0.0, x));
                    if (*u8 == TileArgs::Transfer::Log)
                        return std::log(std::max(1.17549435e-38, x));
                    return x;
                };
                const double at = (f(expected[i]) - f(static_cast<double>(low))) /
                                  (f(static_cast<double>(high)) - f(static_cast<double>(low)));
                error = std::max(0.0, std::abs(255 * std::clamp(at, 0.0, 1.0) - bytes[h][i]) - 0.5);
            } else {
                const auto value = static_cast<double>(out[h][i]);
                error = value == expected[i] ? 0 : std::abs(value - expected[i]);
                if (std::abs(std::abs(rivals[i]) - std::abs(expected[i])) < 1e-5)
                    error = std::min(error, std::abs(value - rivals[i]));
            }
            worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
        }
    }
    return worst;
}

double tolerance_of(const Run& run) {
    double largest = 0;
    for (const DenseHead& head : run.dense) largest = std::max(largest, head.tolerance());
    return largest;
}

kernels::ScoreRule rule_of(const Shape& shape, float cap = 0, int window = 0) {
    return {1.3f / std::sqrt(static_cast<float>(shape.dim)), cap, window, nullptr};
}

}  // namespace

class TestTileKernel : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void everything_data() {
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("page");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        for (auto isa : available_isas())
            for (int page : {1, 16, 64, 128})
                for (float cap : {0.0f, 3.0f})
                    for (int window : {0, 4, 17})
                        QTest::addRow("%s page=%d cap=%g window=%d", kernels::cpu::isa_name(isa),
                                      page, static_cast<double>(cap), window)
                            << static_cast<int>(isa) << page << cap << window;
    }
    // Every pooling × quantity × axis × difference × rows published, u8 with every transfer.
    void everything() {
        QFETCH(int, isa);
        QFETCH(int, page);
        QFETCH(float, cap);
        QFETCH(int, window);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
        const Shape shape{page, 3, 1, 16, 150};
        const kernels::ScoreRule rule = rule_of(shape, cap, window);
        const Run run(shape, rule, 11), other(shape, rule, 12);
        const double tolerance = tolerance_of(run) + tolerance_of(other);
        const Edges words = {0, 1, 3, 4, 40, 41, 90, 149, 150};
        const std::pair<Edges, Edges> axes[] = {
            {steps(0, 150, 1), steps(0, 150, 1)},  // the whole map
            {steps(0, 150, 7), steps(0, 150, 7)},  // ragged last pixels
            {steps(0, 150, 150), steps(0, 150, 4)},
            {steps(20, 130, 3), steps(50, 61, 2)},   // mostly inside the causal corner
            {steps(149, 150, 1), steps(0, 150, 1)},  // a decode row
            {steps(0, 20, 5), steps(100, 150, 5)},   // nothing visible
            {words, words},
            {steps(0, 150, 2), words}};
        for (const auto& [dest, src] : axes)
            for (Quantity quantity : {Scores, Pattern, Weighted})
                for (int pooling = 0; pooling < 4; ++pooling)
                    for (bool flag : {false, true})
                        for (std::int64_t rows : {150, 77, 0})
                            for (const Run* minus : {static_cast<const Run*>(nullptr), &other}) {
                                Case c{dest, src, quantity, static_cast<TilePooling>(pooling)};
                                c.signed_max = flag && pooling == 1;
                                c.span_mean = flag && pooling == 2;
                                if (flag && !c.signed_max && !c.span_mean) continue;
                                if (c.pooling == TilePooling::None &&
                                    (dest != steps(dest[0], dest.back(), 1) ||
                                     src != steps(src[0], src.back(), 1)))
                                    continue;
                                c.rows = rows;
                                c.minus_rows = 101;
                                // A sum of n cells may be wrong by what n cells may.
                                double allowed = tolerance * (quantity == Pattern ? 1 : 12);
                                if (c.pooling == TilePooling::Sum && quantity == Scores)
                                    allowed *= 150;
                                if (c.pooling == TilePooling::Sum) allowed *= 30;
                                const double error = tile_error(c, rule, run, minus, 3);
                                QVERIFY2(error <= allowed,
                                         QString("error %1 of %2: quantity %3 pooling %4 flag %5 "
                                                 "rows %6 minus %7 "
                                                 "pixels %8x%9")
                                             .arg(error)
                                             .arg(allowed)
                                             .arg(quantity)
                                             .arg(pooling)
                                             .arg(flag)
                                             .arg(rows)
                                             .arg(minus != nullptr)
                                             .arg(dest.size() - 1)
                                             .arg(src.size() - 1)
                                             .toUtf8());
                            }
        for (auto transfer :
             {TileArgs::Transfer::Linear, TileArgs::Transfer::Sqrt, TileArgs::Transfer::Log})
            for (int pooling : {1, 2})
                for (auto [low, high] : {std::pair{0.0f, 1.0f}, {1e-4f, 0.5f}}) {
                    Case c{steps(0, 150, 7), steps(0, 150, 5), Pattern,
                           static_cast<TilePooling>(pooling)};
                    c.rows = 120;
                    const double error = tile_error(c, rule, run, nullptr, 2, &transfer, low, high);
                    QVERIFY2(error <= 0.05, QByteArray::number(error));
                }
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
            const Case c{steps(0, rows, step),
                         steps(0, rows, step),
                         Pattern,
                         TilePooling::Max,
                         false,
                         false,
                         rows};
            const double error = tile_error(c, rule, run, nullptr, 2);
            QVERIFY2(error <= tolerance_of(run), QByteArray::number(error));
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
                    const Case c{steps(0, 700, rows),
                                 steps(0, 700, columns),
                                 Pattern,
                                 pooling,
                                 false,
                                 false,
                                 700};
                    const double error = tile_error(c, rule, run, nullptr, 2);
                    QVERIFY2(error <= tolerance_of(run), QByteArray::number(error));
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
        Case c{spans, spans, Pattern, TilePooling::Mean, false, true, 150};
        const std::vector<kernels::TileHead> heads = {head};
        kernels::cpu::tile(arguments(c, heads), {});
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(std::abs(std::accumulate(out.begin() + static_cast<std::ptrdiff_t>(i * 8),
                                             out.begin() + static_cast<std::ptrdiff_t>(i * 8 + 8),
                                             0.0) -
                             1) < 1e-5);
    }

    void negativeControls_data() {
        QTest::addColumn<int>("fault");
        QTest::addRow("head mod kv instead of head / group")
            << static_cast<int>(Fault::TileInsteadOfRepeat);
        QTest::addRow("cap left out") << static_cast<int>(Fault::NoCap);
        QTest::addRow("window off by one") << static_cast<int>(Fault::WindowOffByOne);
    }
    void negativeControls() {
        QFETCH(int, fault);
        const Shape shape{16, 6, 2, 32, 90};
        const kernels::ScoreRule rule = rule_of(shape, 3, 17);
        const Case c{steps(0, 90, 4), steps(0, 90, 4), Pattern, TilePooling::Max, false, false, 90};
        Run run(shape, rule, 11);
        QVERIFY(tile_error(c, rule, run, nullptr, 2) <= tolerance_of(run));
        for (int h = 0; h < 6; ++h)
            run.dense[static_cast<std::size_t>(h)] =
                support::dense_head(run.trace.view(), rule, h, 90, static_cast<Fault>(fault));
        QVERIFY(tile_error(c, rule, run, nullptr, 2) > 100 * tolerance_of(run));
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
        const Case c{steps(0, 90, 1), steps(0, 90, 1), Pattern, TilePooling::None,
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
        const Case c{steps(0, 40, 1), steps(0, 40, 1), Scores, TilePooling::None, false, false, 40};
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
