// SPDX-License-Identifier: GPL-3.0-or-later
// The two worker threads on a fake engine: slices, cancel, latest wins, bounded memory, joins.
#include <QSignalSpy>
#include <QTest>
#include <fstream>
#include <variant>

#include "app/engine_thread.h"
#include "app/reader_worker.h"
#include "tests/support/app_fixture.h"

using namespace app;
using engine::Failure;
using engine::Position;
using fake::eventually;

namespace {

std::string words(int count) {
    std::string text = "When";
    for (int i = 1; i < count; ++i) text += " w" + std::to_string(i);
    return text;
}

std::int64_t residentBytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0, resident = 0;
    statm >> pages >> resident;
    return resident * 4096;
}

// An engine thread with everything it reported.
struct Desk {
    std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
    std::unique_ptr<EngineThread> thread;
    std::vector<EngineEvent> events;

    Desk() {
        thread = std::make_unique<EngineThread>(fake::source(world));
        QObject::connect(thread.get(), &EngineThread::happened,
                         [this](const EngineEvent& event) { events.push_back(event); });
    }
    template <typename Event>
    std::vector<Event> all() const {
        std::vector<Event> out;
        for (const EngineEvent& event : events)
            if (const auto* found = std::get_if<Event>(&event)) out.push_back(*found);
        return out;
    }
    const JobEnded* ended(JobId job) const {
        for (const EngineEvent& event : events)
            if (const auto* end = std::get_if<JobEnded>(&event); end && end->job == job) return end;
        return nullptr;
    }
    bool awaitEnd(JobId job) {
        return eventually([&] { return ended(job) != nullptr; });
    }
    void openModel() { QVERIFY(awaitEnd(thread->open({.path = "fake.gguf"}))); }
    JobId run(int prompt, std::int64_t generate) {
        return thread->run({words(prompt), {}, {}, generate});
    }
};

// A reader worker on an engine that has read a prompt.
struct ReadingDesk {
    std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
    std::unique_ptr<fake::Engine> engine;
    engine::RunId run{};
    ReaderWorker reader;

    explicit ReadingDesk(int tokens = 24) {
        world->shape.pages = 4096;
        engine = std::make_unique<fake::Engine>(world, "fake.gguf");
        const auto encoding = engine->tokenize(words(tokens), {});
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

class WorkerTest : public QObject {
    Q_OBJECT
  private slots:
    void readsAPromptInChunksThenGenerates();
    void pauseHoldsBetweenSteps();
    void cancelGetsThroughWithinALayer();
    void cancelStopsALoad();
    void aNewJobEndsTheOneInWork();
    void failuresAreReportedAndRecoveredFrom_data();
    void failuresAreReportedAndRecoveredFrom();
    void makesRoomForARunThatFits();
    void keepsTheRunWhenTheNextOneCannotFit();
    void aFailedOpenKeepsTheModel();
    void closingMidJobJoins_data();
    void closingMidJobJoins();
    void blockedGuiGetsEveryStepAndOneProgress();

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

void WorkerTest::readsAPromptInChunksThenGenerates() {
    Desk desk;
    desk.openModel();
    QVERIFY(desk.awaitEnd(desk.run(19, 3)));
    QCOMPARE(desk.all<RunOpened>().size(), 1u);
    QCOMPARE(desk.all<RunOpened>()[0].encoding.tokens.size(), 19u);
    QCOMPARE(desk.all<PromptRead>().size(), 1u);
    QCOMPARE(desk.all<PromptRead>()[0].rows, 19);
    QCOMPARE(desk.world->count("prefill"), 3);  // chunks of 8
    const auto steps = desk.all<Stepped>();
    QCOMPARE(steps.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(engine::to_int(steps[i].step.position), 19 + static_cast<std::int64_t>(i));
    QCOMPARE(desk.all<JobEnded>().back().how, JobEnded::How::Finished);
    QCOMPARE(desk.world->thread_violations.load(), 0);
}

void WorkerTest::pauseHoldsBetweenSteps() {
    Desk desk;
    desk.openModel();
    desk.world->step_delay = 0.005;
    const JobId job = desk.run(4, 30);
    QVERIFY(eventually([&] { return desk.all<Stepped>().size() >= 3; }));
    desk.thread->pause(true);
    QTest::qWait(50);
    const auto held = desk.all<Stepped>().size();
    QVERIFY(held < 30);
    QTest::qWait(50);
    QCOMPARE(desk.all<Stepped>().size(), held);
    desk.thread->pause(false);
    QVERIFY(desk.awaitEnd(job));
    QCOMPARE(desk.all<Stepped>().size(), 30u);

    const JobId paused = desk.run(4, 30);
    desk.thread->pause(true);
    QTest::qWait(20);
    desk.thread->cancel();  // no slice runs that could see the token
    QVERIFY(desk.awaitEnd(paused));
    QCOMPARE(desk.ended(paused)->how, JobEnded::How::Cancelled);
}

void WorkerTest::cancelGetsThroughWithinALayer() {
    Desk desk;
    desk.world->shape.layers = 12;
    desk.world->shape.chunk = 1000;
    desk.openModel();
    desk.world->layer_delay = 0.05;  // a chunk of 0.6 s
    const JobId job = desk.run(100, 0);
    QVERIFY(eventually([&] { return desk.world->count("prefill") == 1; }));
    QTest::qWait(60);
    QElapsedTimer clock;
    clock.start();
    desk.thread->cancel();
    QVERIFY(desk.awaitEnd(job));
    QVERIFY2(clock.elapsed() < 200, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(desk.ended(job)->how, JobEnded::How::Cancelled);
    QCOMPARE(desk.world->layers_after_stop.load(), 0);
    QCOMPARE(desk.all<PromptRead>().size(), 0u);

    // The run is kept: going on reads the rest.
    desk.world->layer_delay = 0;
    const JobId rest = desk.thread->goOn({desk.all<RunOpened>()[0].run, {}, 2});
    QVERIFY(desk.awaitEnd(rest));
    QCOMPARE(desk.all<PromptRead>().size(), 1u);
    QCOMPARE(desk.all<Stepped>().size(), 2u);
}

void WorkerTest::cancelStopsALoad() {
    Desk desk;
    desk.world->open_delay = 20;
    const JobId job = desk.thread->open({.path = "big.gguf"});
    QVERIFY(eventually([&] { return desk.world->count("open") == 1; }));
    desk.thread->cancel();
    QVERIFY(desk.awaitEnd(job));
    QCOMPARE(desk.ended(job)->how, JobEnded::How::Cancelled);
    QCOMPARE(desk.world->engines_alive.load(), 0);
}

void WorkerTest::aNewJobEndsTheOneInWork() {
    Desk desk;
    desk.openModel();
    desk.world->step_delay = 0.01;
    const JobId first = desk.run(4, 500);
    QVERIFY(eventually([&] { return !desk.all<Stepped>().empty(); }));
    const JobId second = desk.run(5, 2);
    QVERIFY(desk.awaitEnd(second));
    QVERIFY(desk.ended(first));
    QCOMPARE(desk.ended(first)->how, JobEnded::How::Cancelled);
    QCOMPARE(desk.ended(second)->how, JobEnded::How::Finished);
    QCOMPARE(desk.world->count("close_run"), 1);  // the first run
}

void WorkerTest::failuresAreReportedAndRecoveredFrom_data() {
    QTest::addColumn<QString>("call");
    for (const char* call : {"tokenize", "open_run", "prefill", "step"})
        QTest::newRow(call) << QString::fromLatin1(call);
}

void WorkerTest::failuresAreReportedAndRecoveredFrom() {
    QFETCH(QString, call);
    Desk desk;
    desk.openModel();
    desk.world->fail_next(
        call.toStdString(),
        {Failure::Kind::OutOfMemory, "needs 312 pages, 256 free", "prefill", "shorten the prompt"});
    const JobId bad = desk.run(6, 2);
    QVERIFY(desk.awaitEnd(bad));
    QCOMPARE(desk.ended(bad)->how, JobEnded::How::Failed);
    QVERIFY(desk.ended(bad)->failure.has_value());
    QCOMPARE(desk.ended(bad)->failure->what, std::string("needs 312 pages, 256 free"));
    QCOMPARE(desk.ended(bad)->failure->hint, std::string("shorten the prompt"));
    const JobId good = desk.run(6, 2);
    QVERIFY(desk.awaitEnd(good));
    QCOMPARE(desk.ended(good)->how, JobEnded::How::Finished);
}

void WorkerTest::makesRoomForARunThatFits() {
    Desk desk;
    desk.world->shape.pages = 4;  // of 16 tokens
    desk.openModel();
    QVERIFY(desk.awaitEnd(desk.run(50, 0)));  // all four
    const JobId next = desk.run(40, 0);
    QVERIFY(desk.awaitEnd(next));
    QCOMPARE(desk.ended(next)->how, JobEnded::How::Finished);
    QCOMPARE(desk.world->count("close_run"), 1);
}

void WorkerTest::keepsTheRunWhenTheNextOneCannotFit() {
    Desk desk;
    desk.world->shape.pages = 4;
    desk.openModel();
    QVERIFY(desk.awaitEnd(desk.run(50, 0)));
    const JobId next = desk.run(90, 0);
    QVERIFY(desk.awaitEnd(next));
    QCOMPARE(desk.ended(next)->failure->kind, Failure::Kind::OutOfMemory);
    QCOMPARE(desk.world->count("close_run"), 0);
    const JobId more = desk.thread->goOn({desk.all<RunOpened>()[0].run, {}, 1});
    QVERIFY(desk.awaitEnd(more));
    QCOMPARE(desk.ended(more)->how, JobEnded::How::Finished);
}

void WorkerTest::aFailedOpenKeepsTheModel() {
    Desk desk;
    desk.openModel();
    desk.world->fail_next(
        "open", {Failure::Kind::BadFile, "ends after 12 of 94 MB", "x.gguf", "download it again"});
    const JobId bad = desk.thread->open({.path = "x.gguf"});
    QVERIFY(desk.awaitEnd(bad));
    QCOMPARE(desk.ended(bad)->failure->kind, Failure::Kind::BadFile);
    QCOMPARE(desk.world->engines_alive.load(), 1);
    QVERIFY(desk.awaitEnd(desk.run(5, 1)));
    QCOMPARE(desk.all<JobEnded>().back().how, JobEnded::How::Finished);
    QVERIFY(desk.awaitEnd(desk.thread->open({.path = "y.gguf"})));
    QCOMPARE(desk.world->engines_alive.load(), 1);  // the old one went
    QCOMPARE(desk.world->thread_violations.load(), 0);
}

void WorkerTest::closingMidJobJoins_data() {
    QTest::addColumn<QString>("when");
    for (const char* when : {"load", "prefill", "decode", "paused", "idle"})
        QTest::newRow(when) << QString::fromLatin1(when);
}

void WorkerTest::closingMidJobJoins() {
    QFETCH(QString, when);
    Desk desk;
    if (when == QLatin1String("load")) {
        desk.world->open_delay = 60;
        desk.thread->open({.path = "big.gguf"});
        QVERIFY(eventually([&] { return desk.world->count("open") == 1; }));
    } else {
        desk.openModel();
        desk.world->shape.chunk = 1000;
        if (when == QLatin1String("prefill")) desk.world->layer_delay = 0.2;
        if (when == QLatin1String("decode")) desk.world->step_delay = 30;
        if (when != QLatin1String("idle")) desk.run(50, 100);
        if (when == QLatin1String("paused")) desk.thread->pause(true);
        QTest::qWait(50);
    }
    QElapsedTimer clock;
    clock.start();
    desk.thread.reset();
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(desk.world->engines_alive.load(), 0);
    QCOMPARE(desk.world->thread_violations.load(), 0);
}

void WorkerTest::blockedGuiGetsEveryStepAndOneProgress() {
    Desk desk;
    desk.world->shape.chunk = 1;
    desk.world->shape.pages = 4096;
    desk.openModel();
    const auto before = desk.events.size();
    desk.run(200, 500);
    QTest::qSleep(600);  // the GUI is stuck; the engine is not
    QVERIFY(eventually([&] { return desk.all<Stepped>().size() == 500; }));
    QVERIFY(desk.events.size() - before < 560);  // steps are never merged, progress always
    for (std::size_t i = 1; i < 500; ++i)
        QCOMPARE(desk.all<Stepped>()[i].step.rows, desk.all<Stepped>()[i - 1].step.rows + 1);
}

// ---- the reader

void WorkerTest::tileSlicesAreTheWholeTile_data() {
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

void WorkerTest::tileSlicesAreTheWholeTile() {
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

void WorkerTest::metricsInSlicesAreTheWholeTable() {
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
        QCOMPARE(got->max_pattern[i], whole.max_pattern[i]);
        QCOMPARE(got->min_score[i], whole.min_score[i]);
        QCOMPARE(got->max_score[i], whole.max_score[i]);
    }
}

void WorkerTest::blockStandsForItsLargestCell() {
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

void WorkerTest::newestRequestWins() {
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

void WorkerTest::blockedGuiCostsOneFrameAndSeesTheNewest() {
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

    engine::TileRequest request;
    request.heads = {{}};
    request.src = {0, 1, 1, {}};
    const std::int64_t before = residentBytes();
    std::int64_t most = 0;
    // Every request is answered before the next is sent, as fast as the reader can, as streaming
    // rows would.
    for (int i = 0; i < 10000; ++i) {
        request.dest = {i, i + 1, 1, {}};
        const int made = big->made;
        reader.requestMap(request);
        while (big->made == made) std::this_thread::yield();
        if (i % 100 == 0) most = std::max(most, residentBytes() - before);
    }
    QVERIFY2(most < (std::int64_t{64} << 20),
             qPrintable(QString::number(most >> 20) + QStringLiteral(" MiB")));
    QVERIFY(shown.empty());  // the loop has not turned
    QVERIFY(eventually([&] { return !reader.isPending(ReadKind::Map); }));
    QCOMPARE(shown, std::vector<std::int64_t>{9999});
}

void WorkerTest::hoverOvertakesThumbnails() {
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

void WorkerTest::thumbnailsDoNotStarve() {
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

void WorkerTest::readerFailuresAreReportedAndRecoveredFrom() {
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

void WorkerTest::droppedAnswersNeverArrive() {
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

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
