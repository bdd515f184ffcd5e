// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges beyond the head in view, against plain loops over whole maps of a real model whose layers
// differ in their windows.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "app/threads/range_job.h"
#include "tests/support/engine_run.h"

using engine::Pooling;
using engine::Quantity;
using engine::Rows;

namespace {

constexpr std::int64_t kLength = 24;

struct Expected {
    double withoutSink = 0, sink = 0;
    std::vector<float> ranked;
};

// Of every visible cell, one at a time.
Expected expected(const EngineRun& run, const app::RangeRequest& request) {
    Expected all;
    for (const engine::LayerHead at : request.tile.heads) {
        engine::TileRequest map = request.tile;
        map.heads = {at};
        map.dest = map.src = {0, kLength, 1, {}};
        map.pooling = Pooling::None;
        const engine::Tile tile = run.engine->reader()->tile(map);
        const auto values = tile.data.as<float>();
        const int window =
            run.engine->info().attention[static_cast<std::size_t>(engine::to_int(at.layer))].window;
        for (std::int64_t dest = 0; dest < kLength; ++dest)
            for (std::int64_t src = 0; src <= dest; ++src) {
                if (window > 0 && dest - src >= window) continue;
                const float value =
                    std::fabs(values[static_cast<std::size_t>(dest * kLength + src)]);
                const bool ranks = src > 0 || (request.withSink && !request.tile.renormalized);
                if (ranks) all.ranked.push_back(value);
                if (dest < request.rows.begin) continue;
                double& largest =
                    src == 0 && !request.tile.renormalized ? all.sink : all.withoutSink;
                largest = std::max(largest, static_cast<double>(value));
            }
    }
    std::sort(all.ranked.begin(), all.ranked.end());
    return all;
}

app::HeadRange answerOf(const engine::TraceReader& reader, const app::RangeRequest& request,
                        double secondsPerCell, int* slices = nullptr) {
    app::SliceBudget budget;
    for (int i = 0; i < 60; ++i) budget.measured(1e6, 1e6 * secondsPerCell);
    app::RangeJob job(request);
    app::HeadRange answer;
    int sent = 0, done = 0;
    while (!job.slice(reader, {}, budget, [&](app::HeadRange&& range) {
        answer = range;
        ++sent;
    }))
        ++done;
    if (sent != 1) throw std::runtime_error("not one answer");
    if (slices) *slices = done;
    return answer;
}

}  // namespace

class RangeJobTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void isOfAllVisibleCells_data();
    void isOfAllVisibleCells();
    void countsRowsThatWereAdded();
    void samplesWhatIsMany();
    void oneToken();
    void stopsWhenAsked();

  private:
    std::unique_ptr<EngineRun> m_run;
};

void RangeJobTest::initTestCase() {
    std::vector<engine::TokenId> tokens;
    for (int i = 0; i < kLength; ++i) tokens.push_back(engine::TokenId(5 + i * 7 % 60));
    m_run = std::make_unique<EngineRun>(EngineRun::open(TEST_DATA "/tiny_gemma3"), tokens);
    QCOMPARE(m_run->rows(), kLength);
    QVERIFY(m_run->engine->info().attention[0].window > 0);
    QVERIFY(m_run->engine->info().attention[2].window == 0);
}

void RangeJobTest::isOfAllVisibleCells_data() {
    QTest::addColumn<int>("quantity");
    QTest::addColumn<bool>("renormalized");
    QTest::addColumn<bool>("withSink");
    QTest::addColumn<int>("layer");  // −1: all
    QTest::addColumn<double>("secondsPerCell");
    for (const auto& [quantity, name] : {std::pair{Quantity::Scores, "scores"},
                                         {Quantity::Pattern, "pattern"},
                                         {Quantity::Value, "value"},
                                         {Quantity::Attribution, "attribution"}})
        for (const bool withSink : {false, true})
            for (const int layer : {-1, 0, 2})
                for (const double pace : {1e-9, 1e-3})
                    QTest::addRow("%s, %s, layer %d, %g s a cell", name,
                                  withSink ? "with source 0" : "without", layer, pace)
                        << int(quantity) << false << withSink << layer << pace;
    QTest::addRow("renormalized") << int(Quantity::Pattern) << true << true << -1 << 1e-9;
}

void RangeJobTest::isOfAllVisibleCells() {
    QFETCH(int, quantity);
    QFETCH(bool, renormalized);
    QFETCH(bool, withSink);
    QFETCH(int, layer);
    QFETCH(double, secondsPerCell);
    app::RangeRequest request = app::rangeOver(
        m_run->engine->info(), m_run->run,
        layer < 0 ? std::nullopt : std::optional(engine::Layer(layer)), {0, kLength});
    request.tile.quantity = Quantity(quantity);
    request.tile.renormalized = renormalized;
    request.tile.target = engine::TokenId(17);
    request.ranks = true;
    request.withSink = withSink;
    int slices = 0;
    const app::HeadRange range =
        answerOf(*m_run->engine->reader(), request, secondsPerCell, &slices);
    const Expected oracle = expected(*m_run, request);
    // The same cells by the same kernel, pooled or not.
    QCOMPARE(range.extent.withoutSink, oracle.withoutSink);
    QCOMPARE(range.extent.sink, oracle.sink);
    QVERIFY(range.ranked);
    QCOMPARE(*range.ranked, oracle.ranked);  // few enough for each to be one of them
    if (secondsPerCell > 1e-4) QVERIFY(slices > 20);
}

void RangeJobTest::countsRowsThatWereAdded() {
    app::RangeRequest request =
        app::rangeOver(m_run->engine->info(), m_run->run, std::nullopt, {20, kLength});
    request.tile.quantity = Quantity::Value;
    const app::HeadRange range = answerOf(*m_run->engine->reader(), request, 1e-9);
    const Expected oracle = expected(*m_run, request);
    QCOMPARE(range.extent.withoutSink, oracle.withoutSink);
    QVERIFY(!range.ranked);
    request.rows.begin = 0;
    QVERIFY(expected(*m_run, request).withoutSink > oracle.withoutSink);  // or nothing was shown
}

// More cells than are kept: evenly taken, and of all of them.
void RangeJobTest::samplesWhatIsMany() {
    std::vector<engine::TokenId> tokens;
    for (int i = 0; i < 400; ++i) tokens.push_back(engine::TokenId(5 + i * 7 % 60));
    const EngineRun run(EngineRun::open(TEST_DATA "/tiny_qwen3"), tokens);
    app::RangeRequest request =
        app::rangeOver(run.engine->info(), run.run, std::nullopt, {0, run.rows()});
    request.tile.quantity = Quantity::Pattern;
    request.ranks = true;
    app::HeadRange range = answerOf(*run.engine->reader(), request, 1e-9);
    std::vector<float> all;
    for (const engine::LayerHead at : request.tile.heads) {
        engine::TileRequest map = request.tile;
        map.heads = {at};
        map.dest = map.src = {0, run.rows(), 1, {}};
        map.pooling = Pooling::None;
        const engine::Tile tile = run.engine->reader()->tile(map);
        const auto values = tile.data.as<float>();
        for (std::int64_t dest = 0; dest < run.rows(); ++dest)
            for (std::int64_t src = 1; src <= dest; ++src)
                all.push_back(values[static_cast<std::size_t>(dest * run.rows() + src)]);
    }
    std::sort(all.begin(), all.end());
    QVERIFY(std::ssize(all) > 2 * app::RangeJob::kMostRanked);
    QVERIFY(std::ssize(*range.ranked) <= app::RangeJob::kMostRanked);
    QVERIFY(std::ssize(*range.ranked) > app::RangeJob::kMostRanked / 4);
    for (const double share : {0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) {
        const auto at = [share](const std::vector<float>& values) {
            return values[static_cast<std::size_t>(share * double(values.size() - 1))];
        };
        // Where the sample's quantile stands among all.
        const auto place = std::lower_bound(all.begin(), all.end(), at(*range.ranked));
        const double of = double(place - all.begin()) / double(all.size());
        QVERIFY2(std::fabs(of - share) < 0.01, qPrintable(QString::number(of)));
    }
    range.rankLargest();
    QCOMPARE(range.ranked->back(), all.back());
    QCOMPARE(range.largest(), static_cast<double>(all.back()));
}

void RangeJobTest::oneToken() {
    const EngineRun run(EngineRun::open(TEST_DATA "/tiny_qwen3"), {engine::TokenId(7)});
    app::RangeRequest request = app::rangeOver(run.engine->info(), run.run, std::nullopt, {0, 1});
    request.ranks = true;
    const app::HeadRange range = answerOf(*run.engine->reader(), request, 1e-9);
    QCOMPARE(range.extent.withoutSink, 0.0);
    QVERIFY(std::fabs(range.extent.sink - 1) < 1e-6);
    QVERIFY(range.ranked && range.ranked->empty());
}

void RangeJobTest::stopsWhenAsked() {
    std::stop_source source;
    source.request_stop();
    app::RangeRequest request =
        app::rangeOver(m_run->engine->info(), m_run->run, std::nullopt, {0, kLength});
    app::RangeJob job(request);
    app::SliceBudget budget;
    bool stopped = false;
    try {
        while (!job.slice(*m_run->engine->reader(), source.get_token(), budget, [](auto&&) {})) {
        }
    } catch (const engine::Cancelled&) {
        stopped = true;
    }
    QVERIFY(stopped);
}

QTEST_GUILESS_MAIN(RangeJobTest)
#include "range_job_test.moc"
