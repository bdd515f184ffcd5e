// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles, cells, contributions and metrics agree with each other and with the exact rows that `dump`
// writes: every quantity, pooling and zoom of the same head is the same numbers.
#include <QTest>

#include "tests/support/compare.h"
#include "tests/support/engine_run.h"

using namespace engine;

namespace {

const char* const model = TEST_DATA "/tiny_qwen3";
constexpr std::int64_t length = 45;

std::vector<TokenId> prompt(int seed = 11) {
    std::vector<TokenId> tokens;
    for (std::int64_t i = 0; i < length; ++i)
        tokens.push_back(
            TokenId{static_cast<std::int32_t>((i * 53 + (i < 20 ? 11 : seed)) % 317 + 3)});
    return tokens;
}

TileRequest whole(RunId run, LayerHead head, Quantity quantity) {
    TileRequest request;
    request.run = run;
    request.heads = {head};
    request.dest = request.src = {0, length, 1, {}};
    request.pooling = Pooling::None;
    request.quantity = quantity;
    request.target = TokenId{17};
    request.distractor = TokenId{99};
    return request;
}

std::vector<float> floats(const Tile& tile) {
    const auto span = tile.data.as<float>();
    return {span.begin(), span.end()};
}

std::size_t at(std::int64_t dest, std::int64_t src) {
    return static_cast<std::size_t>(dest * length + src);
}

// Source 0 becomes 0, and the others of its row sum to 1.
void drop_first_source(std::vector<float>& pattern) {
    for (std::int64_t dest = 0; dest < length; ++dest) {
        double rest = 0;
        for (std::int64_t src = 1; src <= dest; ++src) rest += double{pattern[at(dest, src)]};
        for (std::int64_t src = 1; src <= dest; ++src)
            pattern[at(dest, src)] = static_cast<float>(pattern[at(dest, src)] / rest);
        pattern[at(dest, 0)] = 0;
    }
}

}  // namespace

class ViewsTest : public QObject {
    Q_OBJECT
    std::unique_ptr<EngineRun> m_run;

  private Q_SLOTS:
    void initTestCase() {
        m_run = std::make_unique<EngineRun>(EngineRun::open(model, 16), prompt());
    }

    void tilesCellsAndRowsAgree() {
        const auto reader = m_run->engine->reader();
        // A GPU's tiles of another shape may add in another order.
        const float apart = m_run->engine->info().device == "CPU" ? 0 : 1e-5f;
        for (int layer = 0; layer < 3; ++layer) {
            for (int h = 0; h < 4; ++h) {
                const LayerHead head{Layer{layer}, QueryHead{h}};
                const auto scores = floats(reader->tile(whole(m_run->run, head, Quantity::Scores)));
                const auto pattern =
                    floats(reader->tile(whole(m_run->run, head, Quantity::Pattern)));
                const auto value = floats(reader->tile(whole(m_run->run, head, Quantity::Value)));
                const auto attribution =
                    floats(reader->tile(whole(m_run->run, head, Quantity::Attribution)));
                const auto rows = m_run->read("pattern", layer, {0, length});
                QCOMPARE(pattern, std::vector<float>(rows.begin() + h * length * length,
                                                     rows.begin() + (h + 1) * length * length));
                for (const auto& [dest, src] :
                     {std::pair{0, 0}, {16, 3}, {30, 30}, {44, 1}, {44, 44}}) {
                    const Cell cell = reader->cell(m_run->run, head, Position{dest}, Position{src},
                                                   TokenId{17}, TokenId{99});
                    QVERIFY(cell.visible);
                    // Digit for digit what the map draws and a dump holds.
                    QVERIFY(std::abs(cell.score - scores[at(dest, src)]) <=
                            10 * apart * std::max(1.0f, std::abs(cell.score)));
                    QVERIFY(std::abs(cell.pattern - pattern[at(dest, src)]) <= apart);
                    QVERIFY(std::abs(cell.value_norm - value[at(dest, src)]) <=
                            1e-4 * max_abs(value));
                    QVERIFY(std::abs(cell.attribution - attribution[at(dest, src)]) <=
                            1e-4 * max_abs(attribution));
                    std::int64_t rank = 1;
                    for (int s = 0; s <= dest; ++s)
                        rank += scores[at(dest, s)] > scores[at(dest, src)];
                    QCOMPARE(cell.rank, rank);
                    QCOMPARE(cell.row_cells, dest + 1);
                }
                QVERIFY(!reader->cell(m_run->run, head, Position{3}, Position{4}, TokenId{17}, {})
                             .visible);
            }
        }
    }

    // Σ over src of a row's attribution is the head's attribution; Σ over all writes is the logit
    // difference.
    void attributionsAddUp() {
        const auto reader = m_run->engine->reader();
        for (const std::int64_t dest : {std::int64_t{0}, std::int64_t{20}, length - 1}) {
            ContributionRequest request;
            request.run = m_run->run;
            request.position = Position{dest};
            request.target = TokenId{17};
            request.distractor = TokenId{99};
            const ContributionTable table = reader->contributions(request);
            const std::vector<float> logits = m_run->read("logits", -1, {dest, dest + 1});
            QVERIFY(std::abs(table.logit - (logits[17] - logits[99])) < 1e-4 * max_abs(logits));
            QVERIFY2(table.closes < 1e-5, qPrintable(QString::number(table.closes)));
            QVERIFY(table.heads_close < 1e-5);
            for (int layer = 0; layer < 3; ++layer) {
                double heads = 0;
                for (int h = 0; h < 4; ++h) {
                    const auto index = static_cast<std::size_t>(layer * 4 + h);
                    const auto map = floats(reader->tile(
                        whole(m_run->run, {Layer{layer}, QueryHead{h}}, Quantity::Attribution)));
                    double row = 0;
                    for (std::int64_t src = 0; src < length; ++src) row += map[at(dest, src)];
                    QVERIFY(std::abs(row - table.head_attribution[index]) <
                            1e-4 * std::max(1.0, std::abs(row)));
                    heads += table.head_attribution[index];
                }
                QVERIFY(
                    std::abs(heads - table.attention_attribution[static_cast<std::size_t>(layer)]) <
                    1e-4 * std::max(1.0, std::abs(heads)));
            }
            const std::vector<float> dumped = m_run->read("contribution_norm", 2, {dest, dest + 1});
            for (int h = 0; h < 4; ++h)
                QVERIFY(std::abs(dumped[static_cast<std::size_t>(h)] -
                                 table.head_norm[static_cast<std::size_t>(8 + h)]) <
                        1e-4f * dumped[0]);
        }
    }

    void poolingKeepsWhatItSays_data() {
        QTest::addColumn<int>("zoom");
        QTest::addColumn<bool>("renormalized");
        for (const bool renormalized : {false, true})
            for (const int zoom : {1, 2, 4, 7, 45, 64})
                QTest::addRow("%d cells a pixel%s", zoom, renormalized ? ", renormalized" : "")
                    << zoom << renormalized;
    }
    void poolingKeepsWhatItSays() {
        QFETCH(int, zoom);
        QFETCH(bool, renormalized);
        const auto reader = m_run->engine->reader();
        const LayerHead head{Layer{1}, QueryHead{2}};
        auto exact = floats(reader->tile(whole(m_run->run, head, Quantity::Pattern)));
        if (renormalized) drop_first_source(exact);
        for (const Pooling pooling : {Pooling::Max, Pooling::Mean, Pooling::Sum}) {
            TileRequest request = whole(m_run->run, head, Quantity::Pattern);
            request.dest.cells_per_pixel = request.src.cells_per_pixel = zoom;
            request.pooling = pooling;
            request.renormalized = renormalized;
            const Tile tile = reader->tile(request);
            const std::int64_t pixels = request.dest.pixels();
            QCOMPARE(tile.data.shape, (std::vector<std::int64_t>{1, pixels, pixels}));
            for (std::int64_t y = 0; y < pixels; ++y) {
                for (std::int64_t x = 0; x < pixels; ++x) {
                    double sum = 0, most = 0, cells = 0;
                    for (std::int64_t dest = y * zoom;
                         dest < std::min<std::int64_t>(length, (y + 1) * zoom); ++dest)
                        for (std::int64_t src = x * zoom;
                             src < std::min<std::int64_t>(dest + 1, (x + 1) * zoom); ++src) {
                            sum += exact[at(dest, src)];
                            most = std::max(most, double{exact[at(dest, src)]});
                            ++cells;
                        }
                    const double expected = cells == 0                ? 0
                                            : pooling == Pooling::Max ? most
                                            : pooling == Pooling::Sum ? sum
                                                                      : sum / cells;
                    QVERIFY(
                        std::abs(tile.data.as<float>()[static_cast<std::size_t>(y * pixels + x)] -
                                 expected) < 1e-5);
                }
            }
        }
    }

    // A view of some rows and some sources holds what the whole map does there.
    void renormalizedPartsAreThoseOfTheWhole() {
        const auto reader = m_run->engine->reader();
        const LayerHead head{Layer{2}, QueryHead{3}};
        auto exact = floats(reader->tile(whole(m_run->run, head, Quantity::Pattern)));
        drop_first_source(exact);
        TileRequest request = whole(m_run->run, head, Quantity::Pattern);
        request.renormalized = true;
        request.dest = {20, 60, 1, {}};
        request.src = {5, 12, 1, {}};
        const auto part = floats(reader->tile(request));
        for (std::int64_t y = 0; y < 40; ++y)
            for (std::int64_t x = 0; x < 7; ++x)
                QVERIFY(std::abs(part[static_cast<std::size_t>(y * 7 + x)] -
                                 (20 + y < length ? exact[at(20 + y, 5 + x)] : 0.0f)) < 1e-5f);
        request.quantity = Quantity::Attribution;
        QVERIFY_EXCEPTION_THROWN((void)reader->tile(request), Error);
        request = whole(m_run->run, head, Quantity::Pattern);
        request.renormalized = true;
        request.dest = request.src = {0, 1, 1, {}};  // nothing but the first source
        QCOMPARE(floats(reader->tile(request)), std::vector<float>{0});
    }

    // Spans: mean over dest, sum over src, of the exact cells; each row of a pattern's spans still
    // sums to 1. Edges of dest and src need not be the same.
    void spansAreMassOfTheirCells_data() {
        QTest::addColumn<Quantity>("quantity");
        QTest::addColumn<std::vector<std::int64_t>>("dest");
        QTest::addColumn<std::vector<std::int64_t>>("src");
        const std::vector<std::int64_t> fine{0, 1, 5, 16, 17, 40, length},
            coarse{0, 2, 3, 30, length}, part{17, 18, 40};
        for (const auto& [name, quantity] : {std::pair{"pattern", Quantity::Pattern},
                                             {"value", Quantity::Value},
                                             {"attribution", Quantity::Attribution}}) {
            QTest::addRow("%s", name) << quantity << fine << fine;
            QTest::addRow("%s, other sources", name) << quantity << fine << coarse;
            QTest::addRow("%s, in part", name) << quantity << part << coarse;
        }
    }
    void spansAreMassOfTheirCells() {
        QFETCH(Quantity, quantity);
        QFETCH(std::vector<std::int64_t>, dest);
        QFETCH(std::vector<std::int64_t>, src);
        const LayerHead head{Layer{0}, QueryHead{1}};
        const auto reader = m_run->engine->reader();
        TileRequest request = whole(m_run->run, head, quantity);
        std::vector<float> exact = floats(reader->tile(request));
        if (quantity == Quantity::Pattern) {  // as `dump` writes it: [head, dest, src]
            const auto dumped = reader->read(m_run->run, {"pattern", head.layer, {}}, {0, length});
            const auto one = dumped.data.as<float>().subspan(
                static_cast<std::size_t>(to_int(head.head) * length * length),
                static_cast<std::size_t>(length * length));
            exact.assign(one.begin(), one.end());
        }
        request.dest.edges = dest;
        request.src.edges = src;
        request.pooling = Pooling::Mean;
        const std::vector<float> spans = floats(reader->tile(request));
        QCOMPARE(spans.size(), (dest.size() - 1) * (src.size() - 1));
        const double tolerance = 1e-5 * std::max(1.0, max_abs(exact));
        for (std::size_t y = 0; y + 1 < dest.size(); ++y) {
            double row = 0;
            for (std::size_t x = 0; x + 1 < src.size(); ++x) {
                double mass = 0;
                for (std::int64_t d = dest[y]; d < dest[y + 1]; ++d)
                    for (std::int64_t s = src[x]; s < std::min(src[x + 1], d + 1); ++s)
                        mass += double{exact[at(d, s)]};
                mass /= static_cast<double>(dest[y + 1] - dest[y]);
                const double got = spans[y * (src.size() - 1) + x];
                QVERIFY2(std::abs(got - mass) <= tolerance * static_cast<double>(length),
                         qPrintable(QStringLiteral("%1 is not %2").arg(got).arg(mass)));
                row += got;
            }
            if (quantity == Quantity::Pattern) QVERIFY(std::abs(row - 1) < 1e-5);
        }
    }

    void differenceOfTwoRuns() {
        const RunId other = m_run->engine->open_run({prompt(12), {}, 0});
        while (!m_run->engine->prefill_chunk(other, {}).finished()) {
        }
        const auto reader = m_run->engine->reader();
        const LayerHead head{Layer{2}, QueryHead{0}};
        for (const auto& [quantity, renormalized] : {std::pair{Quantity::Pattern, false},
                                                     {Quantity::Pattern, true},
                                                     {Quantity::Value, false},
                                                     {Quantity::Attribution, false}}) {
            TileRequest request = whole(other, head, quantity);
            request.renormalized = renormalized;
            const auto b = floats(reader->tile(request));
            request.run = m_run->run;
            const auto a = floats(reader->tile(request));
            request.minus = other;
            const auto difference = floats(reader->tile(request));
            double most = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                QVERIFY(std::abs(difference[i] - (a[i] - b[i])) <=
                        1e-5 * std::max(1.0, max_abs(a)));
                most = std::max(most, std::abs(double{difference[i]}));
            }
            QVERIFY(most > 1e-3);  // the runs do differ
        }
    }

    void bytesFollowTheColourRange() {
        TileRequest request = whole(m_run->run, {Layer{1}, QueryHead{1}}, Quantity::Pattern);
        const auto exact = floats(m_run->engine->reader()->tile(request));
        request.format = PixelFormat::U8;
        request.range = {0, 1, Transfer::Sqrt};
        const Tile tile = m_run->engine->reader()->tile(request);
        for (std::size_t i = 0; i < exact.size(); ++i)
            QVERIFY(std::abs(int{tile.data.as<std::uint8_t>()[i]} - 255 * std::sqrt(exact[i])) <=
                    0.51);
    }

    void metricsEqualPlainLoops() {
        std::vector<TokenId> tokens;  // some again, some at once
        for (int i = 0; i < length; ++i) tokens.push_back(TokenId{i * i % 13 + 3});
        const EngineRun run(EngineRun::open(model, 16), tokens);
        MetricsRequest request;
        request.run = run.run;
        const HeadTable table = run.engine->reader()->metrics(request);
        for (int layer = 0; layer < 3; ++layer) {
            const auto pattern = run.read("pattern", layer, {0, length}),
                       scores = run.read("scores", layer, {0, length});
            for (int h = 0; h < 4; ++h) {
                double sink = 0, entropy = 0, most = 0, low = INFINITY, high = -INFINITY;
                double mass = 0, distance = 0, previous = 0, duplicate = 0, induction = 0;
                const auto token = [&](std::int64_t i) {
                    return tokens[static_cast<std::size_t>(i)];
                };
                for (std::int64_t dest = 0; dest < length; ++dest) {
                    for (std::int64_t src = 0; src <= dest; ++src) {
                        const auto i =
                            static_cast<std::size_t>(h) * length * length + at(dest, src);
                        const double p = pattern[i];
                        if (src == 0)
                            sink += p;
                        else
                            most = std::max(most, p);
                        if (p > 0) entropy -= p * std::log(p);
                        mass += p;
                        distance += p * static_cast<double>(dest - src);
                        if (src == dest - 1) previous += p;
                        if (src < dest && token(src) == token(dest)) duplicate += p;
                        if (src > 0 && token(src - 1) == token(dest)) induction += p;
                        low = std::min(low, double{scores[i]});
                        high = std::max(high, double{scores[i]});
                    }
                }
                const auto index = static_cast<std::size_t>(layer * 4 + h);
                QVERIFY(std::abs(table.sink[index] - sink / length) < 1e-5);
                QVERIFY(std::abs(table.entropy[index] - entropy / length) < 1e-4);
                QVERIFY(std::abs(table.mass[index] - mass / length) < 1e-5);
                QVERIFY(std::abs(table.distance[index] - distance / length) < 1e-4);
                QVERIFY(duplicate > 0 && induction > 0);
                QVERIFY(std::abs(table.previous_token[index] - previous / mass) < 1e-5);
                QVERIFY(std::abs(table.duplicate_token[index] - duplicate / mass) < 1e-5);
                QVERIFY(std::abs(table.induction[index] - induction / mass) < 1e-5);
                QVERIFY(std::abs(table.max_pattern[index] - most) < 1e-5);
                QVERIFY(std::abs(table.min_score[index] - low) <
                        1e-4 * std::max(1.0, std::abs(low)));
                QVERIFY(std::abs(table.max_score[index] - high) <
                        1e-4 * std::max(1.0, std::abs(high)));
            }
        }
    }

    // Rows that are not published yet are left out, and the tile says up to where it goes.
    void rowsBeyondTheRunAreEmpty() {
        TileRequest request = whole(m_run->run, {Layer{0}, QueryHead{0}}, Quantity::Pattern);
        request.dest.end = request.src.end = 60;
        const Tile tile = m_run->engine->reader()->tile(request);
        QCOMPARE(tile.rows_ready, length);
        for (std::size_t i = 45 * 60; i < 60 * 60; ++i) QCOMPARE(tile.data.as<float>()[i], 0.0f);
    }
};

QTEST_APPLESS_MAIN(ViewsTest)
#include "views_test.moc"
