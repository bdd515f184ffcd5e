// SPDX-License-Identifier: GPL-3.0-or-later
// How far heads moved from one run to another, on patterns given by formulas and against plain
// loops; and pins, which belong to a model.
#include <QTest>
#include <cmath>

#include "app/session/pins.h"
#include "app/threads/compare_jobs.h"

using engine::Rows;
using engine::RunId;

namespace {

constexpr int kLayers = 3, kHeads = 2;

// p of a cell: rows from `same` on differ between the runs.
double cellOf(RunId run, int layer, int head, std::int64_t dest, std::int64_t src,
              std::int64_t same) {
    const double shift = run == RunId(2) && dest >= same ? 0.3 * (layer + 1) : 0;
    return (1 + std::sin(shift + 0.7 * double(dest) + 1.3 * double(src) + head)) / (dest + 1.0) / 2;
}

class Patterns final : public engine::TraceReader {
  public:
    Patterns(std::int64_t a, std::int64_t b, std::int64_t same) : m_a(a), m_b(b), m_same(same) {}

    std::int64_t rows(RunId run) const override { return run == RunId(1) ? m_a : m_b; }
    engine::Tile tile(const engine::TileRequest& request, std::stop_token) const override {
        largestTile = std::max(
            largestTile, request.dest.pixels() * request.src.pixels() * std::ssize(request.heads));
        std::vector<float> values;
        for (const engine::LayerHead at : request.heads)
            for (std::int64_t dest = request.dest.begin; dest < request.dest.end; ++dest)
                for (std::int64_t src = request.src.begin; src < request.src.end; ++src) {
                    const auto p = [&](RunId run) {
                        return cellOf(run, to_int(at.layer), to_int(at.head), dest, src, m_same);
                    };
                    values.push_back(
                        src > dest ? 0.0F
                                   : static_cast<float>(p(request.run) -
                                                        (request.minus ? p(*request.minus) : 0.0)));
                }
        return {request, rows(request.run),
                engine::make_payload(
                    engine::DType::F32,
                    {std::ssize(request.heads), request.dest.pixels(), request.src.pixels()},
                    std::move(values)),
                0};
    }
    engine::NamedTensor read(RunId run, const engine::TensorName& name, Rows part) const override {
        std::vector<float> lse;
        for (int head = 0; head < kHeads; ++head)
            for (std::int64_t row = part.begin; row < part.end; ++row)
                // What differs shows in the last layer only.
                lse.push_back(
                    static_cast<float>(row + head) +
                    (run == RunId(2) && row >= m_same && *name.layer == engine::Layer(kLayers - 1)
                         ? 0.5F
                         : 0.0F));
        return {name.full(),
                engine::make_payload(engine::DType::F32, {kHeads, part.count()}, std::move(lse))};
    }
    engine::Cell cell(RunId, engine::LayerHead, engine::Position, engine::Position, engine::TokenId,
                      std::optional<engine::TokenId>) const override {
        return {};
    }
    engine::HeadTable metrics(const engine::MetricsRequest&, std::stop_token) const override {
        return {};
    }
    engine::ContributionTable contributions(const engine::ContributionRequest&) const override {
        return {};
    }
    engine::TopTokens logits(RunId, engine::Position, int) const override { return {}; }
    engine::CheckReport checks(RunId, engine::Layer) const override { return {}; }

    mutable std::int64_t largestTile = 0;

  private:
    std::int64_t m_a, m_b, m_same;
};

}  // namespace

class CompareJobsTest : public QObject {
    Q_OBJECT
  private slots:
    void changesAreTheSums_data();
    void changesAreTheSums();
    void stopsWhenAsked();
    void tilesComeOneByOne();
    void alignedMapsHoldTheCellsOfBoth_data();
    void alignedMapsHoldTheCellsOfBoth();
    void alignedChangesAreTheSums();
    void pinsBelongToAModel();
};

void CompareJobsTest::changesAreTheSums_data() {
    QTest::addColumn<int>("a");
    QTest::addColumn<int>("b");
    QTest::addColumn<int>("same");
    QTest::addColumn<double>("secondsPerCell");  // slow: a row a slice
    QTest::addRow("fork of one more token") << 14 << 15 << 14 << 5e-9;
    QTest::addRow("longer fork") << 20 << 33 << 12 << 5e-9;
    QTest::addRow("shorter fork, slow") << 40 << 21 << 9 << 1e-3;
    QTest::addRow("differ from the first row") << 8 << 8 << 0 << 1e-4;
    QTest::addRow("the same") << 17 << 17 << 17 << 5e-9;
    QTest::addRow("one token") << 1 << 1 << 0 << 5e-9;
    QTest::addRow("300 rows") << 300 << 300 << 100 << 5e-8;
}

void CompareJobsTest::changesAreTheSums() {
    QFETCH(int, a);
    QFETCH(int, b);
    QFETCH(int, same);
    QFETCH(double, secondsPerCell);
    const Patterns reader(a, b, same);
    app::SliceBudget budget;
    for (int i = 0; i < 60; ++i) budget.measured(1e6, 1e6 * secondsPerCell);
    app::ChangesJob job({{}, RunId(1), RunId(2), kLayers, kHeads});
    std::vector<ui::ChangeTable> sent;
    int slices = 0;
    double largest = 0;  // of the slices, in cells of both runs
    do {
        largest = std::max(largest, budget.cells());
        QVERIFY(++slices < 100000);
    } while (!job.slice(reader, {}, budget,
                        [&](ui::ChangeTable&& table) { sent.push_back(std::move(table)); }));
    QCOMPARE(sent.size(), 1u);
    const ui::ChangeTable& table = sent.front();
    const std::int64_t both = std::min(a, b);
    QCOMPARE(table.rows.begin, std::min<std::int64_t>(same, both));
    QCOMPARE(table.rows.end, both);
    QCOMPARE(table.heads(), kLayers * kHeads);
    for (int head = 0; head < table.heads(); ++head) {
        double total = 0, most = 0;
        for (std::int64_t dest = table.rows.begin; dest < both; ++dest) {
            double sum = 0;
            for (std::int64_t src = 0; src <= dest; ++src) {
                const auto p = [&](int run) {
                    return cellOf(RunId(static_cast<std::uint64_t>(run)), head / kHeads,
                                  head % kHeads, dest, src, same);
                };
                sum += std::fabs(p(2) - p(1)) / 2;
                most = std::max(most, std::fabs(p(2) - p(1)));
            }
            QVERIFY(std::fabs(static_cast<double>(table.at(head, dest)) - sum) < 1e-6);
            total += sum;
        }
        const auto farthest = table.largest[static_cast<std::size_t>(head)];
        QVERIFY(std::fabs(std::fabs(static_cast<double>(farthest.value)) - most) < 1e-6);
        if (table.rows.count() > 0) {
            QVERIFY(std::fabs(static_cast<double>(table.mean(head)) -
                              total / static_cast<double>(table.rows.count())) < 1e-6);
            const auto p = [&](int run) {
                return cellOf(RunId(static_cast<std::uint64_t>(run)), head / kHeads, head % kHeads,
                              to_int(farthest.dest), to_int(farthest.src), same);
            };
            QVERIFY(std::fabs(static_cast<double>(farthest.value) - (p(2) - p(1))) < 1e-6);
        }
    }
    // Never a whole map of all heads where that is more than a slice; a row at least.
    QVERIFY(2.0 * static_cast<double>(reader.largestTile) <=
            std::max(largest, 2.0 * kHeads * static_cast<double>(both)));
}

void CompareJobsTest::stopsWhenAsked() {
    const Patterns reader(9, 9, 3);
    app::SliceBudget budget;
    app::ChangesJob job({{}, RunId(1), RunId(2), kLayers, kHeads});
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_EXCEPTION_THROWN(job.slice(reader, stop.get_token(), budget, [](ui::ChangeTable&&) {}),
                             engine::Cancelled);
}

void CompareJobsTest::tilesComeOneByOne() {
    const Patterns reader(9, 9, 3);
    app::SliceBudget budget;
    engine::TileRequest tile;
    tile.heads = {{engine::Layer(1), engine::QueryHead(0)}};
    tile.dest = tile.src = {0, 9, 1, {}};
    tile.pooling = engine::Pooling::None;
    app::CompareRequest request;
    request.tiles.assign(3, tile);
    request.tiles[0].run = RunId(1);
    request.tiles[1].run = request.tiles[2].run = RunId(2);
    request.tiles[2].minus = RunId(1);
    app::CompareJob job(request);
    std::vector<engine::Tile> sent;
    while (!job.slice(reader, {}, budget,
                      [&](engine::Tile&& part) { sent.push_back(std::move(part)); })) {
    }
    QCOMPARE(sent.size(), 3u);
    const auto a = sent[0].data.as<float>(), b = sent[1].data.as<float>(),
               difference = sent[2].data.as<float>();
    for (std::size_t i = 0; i < a.size(); ++i)
        QVERIFY(std::fabs(b[i] - a[i] - difference[i]) < 1e-6F);
    app::CompareJob none{app::CompareRequest()};
    QVERIFY(none.slice(reader, {}, budget, [](engine::Tile&&) { QFAIL("of nothing"); }));
}

namespace {

// A and B with a token put in at 3, one in another's place at 5 and two taken out at the end.
const std::vector<std::int64_t> kPlacesA{0, 1, 2, -1, 3, 4, 5, 6, 7, 8};
const std::vector<std::int64_t> kPlacesB{0, 1, 2, 3, 4, 5, 6, 7, -1, -1};

std::shared_ptr<const ui::RunAlignment> alignedPair() {
    const auto ids = [](std::initializer_list<int> numbers) {
        std::vector<engine::TokenId> all;
        for (const int number : numbers) all.push_back(engine::TokenId(number));
        return all;
    };
    return std::make_shared<const ui::RunAlignment>(ui::RunAlignment::byToken(
        ids({10, 11, 12, 13, 14, 15, 16, 17, 18}), ids({10, 11, 12, 99, 13, 77, 15, 16})));
}

}  // namespace

void CompareJobsTest::alignedMapsHoldTheCellsOfBoth_data() {
    QTest::addColumn<int>("pooling");
    QTest::addColumn<int>("cells");
    QTest::addColumn<int>("window");
    QTest::addColumn<double>("secondsPerCell");
    using engine::Pooling;
    QTest::addRow("cell by cell") << static_cast<int>(Pooling::None) << 1 << 0 << 5e-9;
    QTest::addRow("cell by cell, slow") << static_cast<int>(Pooling::None) << 1 << 0 << 1e-2;
    QTest::addRow("window 3") << static_cast<int>(Pooling::None) << 1 << 3 << 5e-9;
    QTest::addRow("largest of 3 x 3") << static_cast<int>(Pooling::Max) << 3 << 0 << 5e-9;
    QTest::addRow("mean of 3 x 3, slow") << static_cast<int>(Pooling::Mean) << 3 << 0 << 1e-2;
    QTest::addRow("sum of 4 x 4") << static_cast<int>(Pooling::Sum) << 4 << 0 << 5e-9;
}

void CompareJobsTest::alignedMapsHoldTheCellsOfBoth() {
    QFETCH(int, pooling);
    QFETCH(int, cells);
    QFETCH(int, window);
    QFETCH(double, secondsPerCell);
    const Patterns reader(9, 7, 2);  // a row of B is not there yet
    app::SliceBudget budget;
    for (int i = 0; i < 60; ++i) budget.measured(1e6, 1e6 * secondsPerCell);
    const auto by = alignedPair();
    QCOMPARE(by->places(), 10);
    for (std::int64_t place = 0; place < 10; ++place) {
        QCOMPARE(by->positionAt(0, place), kPlacesA[static_cast<std::size_t>(place)]);
        QCOMPARE(by->positionAt(1, place), kPlacesB[static_cast<std::size_t>(place)]);
    }
    engine::TileRequest tile;
    tile.heads = {{engine::Layer(1), engine::QueryHead(1)}};
    tile.dest = {1, 12, cells, {}};  // two places are planned
    tile.src = {0, 11, cells, {}};
    tile.pooling = static_cast<engine::Pooling>(pooling);
    app::CompareRequest request;
    request.tiles.assign(3, tile);
    request.tiles[0].run = RunId(1);
    request.tiles[1].run = request.tiles[2].run = RunId(2);
    request.tiles[2].minus = RunId(1);
    request.alignment = by;
    request.window = window;
    app::CompareJob job(request);
    std::vector<engine::Tile> sent;
    while (!job.slice(reader, {}, budget,
                      [&](engine::Tile&& part) { sent.push_back(std::move(part)); })) {
    }
    QCOMPARE(sent.size(), 3u);
    QCOMPARE(sent[0].rows_ready, 10);
    QCOMPARE(sent[1].rows_ready, 7);  // position 7 stands at place 7
    QCOMPARE(sent[2].rows_ready, 7);
    const auto cell = [&](int run, std::int64_t y, std::int64_t x) -> std::optional<double> {
        if (y >= 10 || x >= 10 || x > y) return std::nullopt;
        const auto& places = run == 1 ? kPlacesA : kPlacesB;
        const std::int64_t dest = places[static_cast<std::size_t>(y)],
                           src = places[static_cast<std::size_t>(x)];
        if (dest < 0 || src < 0 || dest >= (run == 1 ? 9 : 7)) return std::nullopt;
        if (window > 0 && dest - src >= window) return std::nullopt;
        return cellOf(RunId(static_cast<std::uint64_t>(run)), 1, 1, dest, src, 2);
    };
    int known = 0;
    for (std::size_t map = 0; map < 3; ++map)
        for (std::int64_t row = 0; row < tile.dest.pixels(); ++row)
            for (std::int64_t column = 0; column < tile.src.pixels(); ++column) {
                std::vector<double> all;
                const Rows dests = tile.dest.cells_of(row), srcs = tile.src.cells_of(column);
                for (std::int64_t y = dests.begin; y < dests.end; ++y)
                    for (std::int64_t x = srcs.begin; x < srcs.end; ++x) {
                        const auto a = cell(1, y, x), b = cell(2, y, x);
                        if (map == 0 && a) all.push_back(*a);
                        if (map == 1 && b) all.push_back(*b);
                        if (map == 2 && a && b) all.push_back(*b - *a);
                    }
                const double got =
                    static_cast<double>(sent[map].data.as<float>()[static_cast<std::size_t>(
                        row * tile.src.pixels() + column)]);
                if (all.empty()) {
                    QVERIFY(std::isnan(got));
                    continue;
                }
                double sum = 0, largest = 0;
                for (const double value : all) {
                    sum += value;
                    if (std::fabs(value) > std::fabs(largest)) largest = value;
                }
                const double expected = tile.pooling == engine::Pooling::Sum ? sum
                                        : tile.pooling == engine::Pooling::Mean
                                            ? sum / double(all.size())
                                            : largest;
                QVERIFY(std::fabs(got - expected) < 1e-6);
                ++known;
            }
    QVERIFY(known >= 3 * 5);
}

void CompareJobsTest::alignedChangesAreTheSums() {
    const Patterns reader(9, 8, 2);
    app::SliceBudget budget;
    app::ChangesJob job({{}, RunId(1), RunId(2), kLayers, kHeads, alignedPair()});
    std::vector<ui::ChangeTable> sent;
    while (!job.slice(reader, {}, budget,
                      [&](ui::ChangeTable&& table) { sent.push_back(std::move(table)); })) {
    }
    QCOMPARE(sent.size(), 1u);
    const ui::ChangeTable& table = sent.front();
    QVERIFY(table.byToken);
    QCOMPARE(table.rows, (Rows{2, 10}));
    for (int head = 0; head < table.heads(); ++head) {
        double total = 0, count = 0, most = 0;
        for (std::int64_t y = 2; y < 10; ++y) {
            const auto at = [y](const std::vector<std::int64_t>& places, std::int64_t x) {
                return std::pair(places[static_cast<std::size_t>(y)],
                                 places[static_cast<std::size_t>(x)]);
            };
            const float moved = table.at(head, y);
            if (at(kPlacesA, 0).first < 0 || at(kPlacesB, 0).first < 0) {
                QVERIFY(std::isnan(moved));
                continue;
            }
            double sum = 0;
            for (std::int64_t x = 0; x <= y; ++x) {
                const auto p = [&](int run, std::pair<std::int64_t, std::int64_t> cell) {
                    return cell.second < 0
                               ? 0.0
                               : cellOf(RunId(static_cast<std::uint64_t>(run)), head / kHeads,
                                        head % kHeads, cell.first, cell.second, 2);
                };
                const auto inA = at(kPlacesA, x), inB = at(kPlacesB, x);
                const double change = std::fabs(p(2, inB) - p(1, inA));
                sum += change / 2;
                if (inA.second >= 0 && inB.second >= 0) most = std::max(most, change);
            }
            QVERIFY(std::fabs(static_cast<double>(moved) - sum) < 1e-6);
            total += sum;
            ++count;
        }
        QVERIFY(std::fabs(static_cast<double>(table.mean(head)) - total / count) < 1e-6);
        const auto& largest = table.largest[static_cast<std::size_t>(head)];
        QVERIFY(std::fabs(std::fabs(static_cast<double>(largest.value)) - most) < 1e-6);
    }
}

void CompareJobsTest::pinsBelongToAModel() {
    const auto at = [](int layer, int head) {
        return engine::LayerHead{engine::Layer(layer), engine::QueryHead(head)};
    };
    app::Pins pins;
    int changes = 0;
    connect(&pins, &app::Pins::changed, [&] { ++changes; });
    engine::ModelInfo model;
    model.path = "a.gguf";
    model.hash = "1";
    pins.setModel(model);
    QVERIFY(pins.toggle(at(1, 1)) && pins.toggle(at(0, 1)));
    QVERIFY(pins.add({at(0, 1), at(2, 0)}));
    QCOMPARE(pins.heads(), (std::vector{at(1, 1), at(0, 1), at(2, 0)}));
    QVERIFY(pins.toggle(at(0, 1)));
    QCOMPARE(pins.heads(), (std::vector{at(1, 1), at(2, 0)}));
    pins.setModel(model);  // opened once more
    QCOMPARE(pins.heads().size(), 2u);
    model.hash = "2";  // the same name with other contents
    pins.setModel(model);
    QVERIFY(pins.heads().empty());
    std::vector<engine::LayerHead> many;
    for (int i = 0; i < 30; ++i) many.push_back(at(i, 0));
    QVERIFY(!pins.add(many));
    QCOMPARE(pins.heads().size(), app::Pins::most);
    QVERIFY(!pins.toggle(at(29, 0)));
    pins.clear();
    const int before = changes;
    pins.clear();
    pins.remove(at(3, 3));
    QCOMPARE(changes, before);
}

QTEST_MAIN(CompareJobsTest)
#include "compare_jobs_test.moc"
