// SPDX-License-Identifier: GPL-3.0-or-later
// The reader thread on a fake engine: slices, priorities, latest wins, bounded memory.
#include <QSignalSpy>
#include <QTest>

#include "app/threads/reader_worker.h"
#include "tests/support/app_fixture.h"
#include "tests/support/memory_use.h"
#include "tests/support/qt_warnings.h"

using namespace app;
using engine::Failure;
using engine::Position;
using fake::eventually;

namespace {

// A reader worker on an engine that has read a prompt.
struct ReadingDesk {
    std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
    std::unique_ptr<fake::Engine> engine;
    engine::RunId run{};
    ReaderWorker reader;

    explicit ReadingDesk(int tokens = 24) {
        world->shape.pages = 4096;
        engine = std::make_unique<fake::Engine>(world, "fake.gguf");
        const auto encoding = engine->tokenize(fake::words(tokens), {});
        engine::RunRequest request;
        for (const auto& token : encoding.tokens) request.tokens.push_back(token.id);
        run = engine->open_run(request);
        while (!engine->prefill_chunk(run, {}, {}).finished()) {
        }
        reader.setReader(engine->reader());
    }
    engine::TileRequest map(std::int64_t tokens) const {
        engine::TileRequest request;
        request.run = run;
        request.heads = {{engine::Layer(1), engine::QueryHead(2)}};
        request.dest = request.src = {0, tokens, 1, {}};
        request.pooling = engine::Pooling::None;
        return request;
    }
    CellRequest cell(std::int64_t dest, std::int64_t src) const {
        CellRequest request;
        request.run = run;
        request.at = {engine::Layer(1), engine::QueryHead(2)};
        request.dest = {dest, dest + 1};
        request.src = {src, src + 1};
        return request;
    }
};

}  // namespace

class ReaderTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void tileSlicesAreTheWholeTile_data();
    void tileSlicesAreTheWholeTile();
    void metricsInSlicesAreTheWholeTable();
    void blockStandsForItsLargestCell();
    void newestRequestWins();
    void blockedGuiCostsOneFrameAndSeesTheNewest();
    void hoverOvertakesThumbnails();
    void thumbnailsDoNotStarve();
    void readerFailuresAreReportedAndRecoveredFrom();
    void droppedAnswersNeverArrive();
};

void ReaderTest::tileSlicesAreTheWholeTile_data() {
    QTest::addColumn<double>(
        "delay");  // a tile call; 20 ms is above a slice's budget, so rows are cut
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("step");
    QTest::newRow("one head") << 0.0 << 1 << 1;
    QTest::newRow("one head in rows") << 0.02 << 1 << 1;
    QTest::newRow("pooled, in rows") << 0.02 << 1 << 5;
    QTest::newRow("grid") << 0.0 << 16 << 3;
    QTest::newRow("grid, slow") << 0.004 << 16 << 1;
}

void ReaderTest::tileSlicesAreTheWholeTile() {
    QFETCH(double, delay);
    QFETCH(int, heads);
    QFETCH(int, step);
    ReadingDesk desk(37);
    engine::TileRequest request = desk.map(37);
    request.heads.clear();
    for (int i = 0; i < heads; ++i)
        request.heads.push_back({engine::Layer(i / 4), engine::QueryHead(i % 4)});
    request.dest = request.src = {0, 37, step, {}};
    request.pooling = engine::Pooling::Max;
    const engine::Tile whole = desk.engine->reader()->tile(request);

    // Several rounds, so that the budget has learned what a cell takes.
    desk.world->tile_delay = delay;
    for (int round = 0; round < 3; ++round) {
        std::vector<float> got;
        std::vector<engine::LayerHead> order;
        const auto connection =
            connect(&desk.reader, &ReaderWorker::thumbnailsReady, [&](const engine::Tile& tile) {
                QCOMPARE(tile.request.dest, request.dest);
                QCOMPARE(tile.rows_ready, 37);
                const auto values = tile.data.as<float>();
                got.insert(got.end(), values.begin(), values.end());
                order.insert(order.end(), tile.request.heads.begin(), tile.request.heads.end());
            });
        desk.reader.requestThumbnails(request);
        QVERIFY(eventually([&] { return !desk.reader.isPending(ReadKind::Thumbnails); }, 20000));
        disconnect(connection);
        QVERIFY(order == request.heads);
        const auto expected = whole.data.as<float>();
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) QCOMPARE(got[i], expected[i]);
    }
}

void ReaderTest::metricsInSlicesAreTheWholeTable() {
    ReadingDesk desk(30);
    const engine::HeadTable whole = desk.engine->reader()->metrics({{}, desk.run, {}});
    desk.world->table_delay = 0.003;
    std::optional<engine::HeadTable> got;
    connect(&desk.reader, &ReaderWorker::metricsReady,
            [&](const engine::HeadTable& table) { got = table; });
    desk.reader.requestMetrics({{}, desk.run, {0, 30}});
    QVERIFY(eventually([&] { return got.has_value(); }));
    QVERIFY(desk.world->count("metrics") > 2);
    QCOMPARE(got->dest, (engine::Rows{0, 30}));
    for (std::size_t i = 0; i < whole.sink.size(); ++i) {
        QVERIFY(std::fabs(got->sink[i] - whole.sink[i]) < 1e-6f);
        QVERIFY(std::fabs(got->entropy[i] - whole.entropy[i]) < 1e-5f);
        QVERIFY(std::fabs(got->mass[i] - whole.mass[i]) < 1e-6f);
        QVERIFY(std::fabs(got->distance[i] - whole.distance[i]) < 1e-5f);
        QVERIFY(std::fabs(got->previous_token[i] - whole.previous_token[i]) < 1e-6f);
        QVERIFY(std::fabs(got->duplicate_token[i] - whole.duplicate_token[i]) < 1e-6f);
        QVERIFY(std::fabs(got->induction[i] - whole.induction[i]) < 1e-6f);
        QCOMPARE(got->max_pattern[i], whole.max_pattern[i]);
        QCOMPARE(got->min_score[i], whole.min_score[i]);
        QCOMPARE(got->max_score[i], whole.max_score[i]);
    }
}

void ReaderTest::blockStandsForItsLargestCell() {
    ReadingDesk desk(24);
    std::optional<engine::Cell> got;
    connect(&desk.reader, &ReaderWorker::hoverCellReady,
            [&](const engine::Cell& cell) { got = cell; });
    CellRequest request = desk.cell(0, 0);
    request.dest = {8, 12};
    request.src = {8, 12};  // on the diagonal: six of sixteen cells are masked
    desk.reader.requestHoverCell(request);
    QVERIFY(eventually([&] { return got.has_value(); }));
    QVERIFY(got->visible);
    for (std::int64_t d = 8; d < 12; ++d)
        for (std::int64_t s = 8; s <= d; ++s)
            QVERIFY(fake::pattern(request.at, d, s) <= got->pattern);
}

void ReaderTest::newestRequestWins() {
    ReadingDesk desk(24);
    desk.world->tile_delay = 0.05;
    std::vector<std::int64_t> shown;
    connect(&desk.reader, &ReaderWorker::mapReady,
            [&](const engine::Tile& tile) { shown.push_back(tile.request.dest.end); });
    for (int i = 1; i <= 20; ++i) {
        desk.reader.requestMap(desk.map(i));
        if (i == 5) QTest::qSleep(20);  // one is in work by now
    }
    QVERIFY(eventually([&] { return !desk.reader.isPending(ReadKind::Map); }));
    QCOMPARE(shown, std::vector<std::int64_t>{20});
    QVERIFY(desk.world->count("tile") < 5);
    QVERIFY(desk.world->tiles_stopped.load() >= 1);  // the one in work was stopped, not waited for
}

void ReaderTest::blockedGuiCostsOneFrameAndSeesTheNewest() {
    // 10,000 tiles of 4 MiB while the GUI thread never turns its loop.
    class BigTiles : public engine::TraceReader {
      public:
        std::int64_t rows(engine::RunId) const override { return 1024; }
        engine::Tile tile(const engine::TileRequest& request, std::stop_token) const override {
            ++made;
            // 4 MiB of which every page is touched: resident, and quick to make.
            const std::shared_ptr<float[]> values(new float[1 << 20]);
            for (std::size_t i = 0; i < (1 << 20); i += 1024) values[i] = 1;
            engine::Payload data{engine::DType::F32,
                                 {1, 1024, 1024},
                                 values,
                                 reinterpret_cast<const std::byte*>(values.get())};
            return {request, 1024, std::move(data), 0};
        }
        engine::Cell cell(engine::RunId, engine::LayerHead, Position, Position, engine::TokenId,
                          std::optional<engine::TokenId>) const override {
            return {};
        }
        engine::HeadTable metrics(const engine::MetricsRequest&, std::stop_token) const override {
            return {};
        }
        engine::ContributionTable contributions(const engine::ContributionRequest&) const override {
            return {};
        }
        engine::TopTokens logits(engine::RunId, Position, int) const override { return {}; }
        engine::CheckReport checks(engine::RunId, engine::Layer) const override { return {}; }
        engine::NamedTensor read(engine::RunId, const engine::TensorName&,
                                 engine::Rows) const override {
            return {};
        }
        mutable std::atomic<int> made{0};
    };
    const auto big = std::make_shared<BigTiles>();
    ReaderWorker reader;
    reader.setReader(big);
    std::vector<std::int64_t> shown;
    connect(&reader, &ReaderWorker::mapReady,
            [&](const engine::Tile& tile) { shown.push_back(tile.request.dest.begin); });

#ifdef __SANITIZE_THREAD__
    constexpr int kUpdates = 1000;  // a sanitized touch costs ten
#else
    constexpr int kUpdates = 10000;
#endif
    engine::TileRequest request;
    request.heads = {{}};
    request.src = {0, 1, 1, {}};
    const std::int64_t before = memory_use::resident();
    std::int64_t most = 0;
    // Every request is answered before the next is sent, as fast as the reader can, as streaming
    // rows would.
    for (int i = 0; i < kUpdates; ++i) {
        request.dest = {i, i + 1, 1, {}};
        const int made = big->made;
        reader.requestMap(request);
        while (big->made == made) std::this_thread::yield();
        if (i % 100 == 0) most = std::max(most, memory_use::resident() - before);
    }
    QVERIFY2(memory_use::is_kept_back || most < (std::int64_t{64} << 20),
             qPrintable(QString::number(most >> 20) + QStringLiteral(" MiB")));
    QVERIFY(shown.empty());  // the loop has not turned
    QVERIFY(eventually([&] { return !reader.isPending(ReadKind::Map); }));
    QCOMPARE(shown, std::vector<std::int64_t>{kUpdates - 1});
}

void ReaderTest::hoverOvertakesThumbnails() {
    ReadingDesk desk(24);
    desk.world->tile_delay = 0.01;  // a head
    engine::TileRequest grid = desk.map(24);
    grid.heads.clear();
    for (int i = 0; i < 200; ++i)
        grid.heads.push_back({engine::Layer(i % 4), engine::QueryHead(0)});
    for (int i = 0; i < 3; ++i) {  // the budget learns what a cell takes
        desk.reader.requestMap(desk.map(24));
        QVERIFY(eventually([&] { return !desk.reader.isPending(ReadKind::Map); }));
    }
    desk.reader.requestThumbnails(grid);
    QTest::qWait(100);
    QVERIFY(desk.reader.isPending(ReadKind::Thumbnails));
    bool answered = false;
    connect(&desk.reader, &ReaderWorker::hoverCellReady, [&](const engine::Cell& cell) {
        answered = true;
        QCOMPARE(cell.pattern, fake::pattern({engine::Layer(1), engine::QueryHead(2)}, 9, 4));
    });
    QElapsedTimer clock;
    clock.start();
    desk.reader.requestHoverCell(desk.cell(9, 4));
    QVERIFY(eventually([&] { return answered; }));
    QVERIFY2(clock.elapsed() < 100, qPrintable(QString::number(clock.elapsed())));
    QVERIFY(desk.reader.isPending(ReadKind::Thumbnails));
}

void ReaderTest::thumbnailsDoNotStarve() {
    ReadingDesk desk(24);
    desk.world->cell_delay = 0.005;
    bool gridDone = false;
    connect(&desk.reader, &ReaderWorker::answered, [&](ReadKind kind) {
        if (kind == ReadKind::Thumbnails) gridDone = true;
        if (kind == ReadKind::HoverCell && !gridDone) desk.reader.requestHoverCell(desk.cell(9, 4));
    });
    desk.reader.requestHoverCell(desk.cell(9, 4));
    engine::TileRequest grid = desk.map(24);
    desk.reader.requestThumbnails(grid);
    QVERIFY(eventually([&] { return gridDone; }));
}

void ReaderTest::readerFailuresAreReportedAndRecoveredFrom() {
    ReadingDesk desk(24);
    std::vector<std::pair<ReadKind, std::string>> failures;
    connect(&desk.reader, &ReaderWorker::failed, [&](ReadKind kind, const Failure& failure) {
        failures.emplace_back(kind, failure.what);
    });
    QSignalSpy maps(&desk.reader, &ReaderWorker::mapReady);
    desk.world->fail_next("tile", {Failure::Kind::OutOfMemory, "no room for a tile", {}, {}});
    desk.reader.requestMap(desk.map(24));
    QVERIFY(eventually([&] { return !desk.reader.isPending(ReadKind::Map); }));
    QCOMPARE(failures.size(), 1u);
    QCOMPARE(failures[0].second, std::string("no room for a tile"));
    desk.reader.requestMap(desk.map(24));
    QVERIFY(eventually([&] { return !desk.reader.isPending(ReadKind::Map); }));
    QCOMPARE(maps.size(), 1);
    QCOMPARE(failures.size(), 1u);
}

void ReaderTest::droppedAnswersNeverArrive() {
    ReadingDesk desk(24);
    desk.world->tile_delay = 0.03;
    QSignalSpy maps(&desk.reader, &ReaderWorker::mapReady);
    desk.reader.requestMap(desk.map(24));
    QTest::qSleep(60);  // answered, and its wake-up waits in the queue
    desk.reader.drop(ReadKind::Map);
    QTest::qWait(30);
    QCOMPARE(maps.size(), 0);
    desk.reader.requestMap(desk.map(24));
    QTest::qSleep(5);
    desk.reader.setReader(nullptr);
    QTest::qWait(60);
    QCOMPARE(maps.size(), 0);
}

QTEST_GUILESS_MAIN(ReaderTest)
#include "worker_reader_test.moc"
