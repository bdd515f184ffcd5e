// SPDX-License-Identifier: GPL-3.0-or-later
// Session and views on a fake engine: states, selection, latest wins, recovery, what follows
// streaming rows.
#include <QSignalSpy>
#include <QTest>
#include <optional>

#include "app/session.h"
#include "app/trace_views.h"
#include "tests/support/app_fixture.h"
#include "ui/painting/map_geometry.h"

using namespace app;
using engine::Failure;
using engine::LayerHead;
using engine::Position;
using engine::to_int;
using fake::eventually;
using ui::RunState;

namespace {

LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

RunSettings prompt(const std::string& text, std::int64_t generate = 0) {
    return {text, {}, {}, generate};
}

const std::string kFourteen = "When Mary and John went to the store , John gave a drink to";

struct Desk {
    std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
    std::unique_ptr<Session> session = std::make_unique<Session>(fake::source(world));
    std::unique_ptr<TraceViews> views = std::make_unique<TraceViews>(*session);
    std::vector<RunState> states;
    std::vector<Failure> failures;
    std::optional<engine::Tile> map;
    std::optional<engine::Cell> locked, hovered;
    std::optional<engine::HeadTable> metrics;
    std::vector<float> row, column;
    std::map<LayerHead, engine::Tile> thumbnails;
    std::vector<engine::CheckReport> checks;

    Desk() {
        QObject::connect(session.get(), &Session::stateChanged,
                         [this](RunState s) { states.push_back(s); });
        QObject::connect(session.get(), &Session::failed,
                         [this](const Failure& f) { failures.push_back(f); });
        QObject::connect(views.get(), &TraceViews::failed,
                         [this](const Failure& f) { failures.push_back(f); });
        QObject::connect(views.get(), &TraceViews::mapReady,
                         [this](const engine::Tile& t) { map = t; });
        QObject::connect(views.get(), &TraceViews::lockedCellReady,
                         [this](const engine::Cell& c) { locked = c; });
        QObject::connect(views.get(), &TraceViews::hoverCellReady,
                         [this](const engine::Cell& c) { hovered = c; });
        QObject::connect(views.get(), &TraceViews::metricsReady,
                         [this](const engine::HeadTable& t) { metrics = t; });
        QObject::connect(views.get(), &TraceViews::rowReady,
                         [this](Position, const std::vector<float>& p) { row = p; });
        QObject::connect(views.get(), &TraceViews::columnReady,
                         [this](Position, const std::vector<float>& p) { column = p; });
        QObject::connect(views.get(), &TraceViews::checksReady,
                         [this](const std::vector<engine::CheckReport>& c) { checks = c; });
        QObject::connect(views.get(), &TraceViews::thumbnailsReady,
                         [this](const engine::Tile& tile) {
                             for (const LayerHead at : tile.request.heads) thumbnails[at] = tile;
                         });
    }
    bool await(RunState state) {
        return eventually([&] { return session->state() == state; });
    }
    bool settle() {
        return eventually([&] {
            if (ui::isBusy(session->state())) return false;
            for (std::size_t kind = 0; kind < kReadKinds; ++kind)
                if (views->isPending(static_cast<ReadKind>(kind))) return false;
            return true;
        });
    }
    void open() {
        session->openModel("fake.gguf");
        QVERIFY(await(RunState::Idle));
    }
    // As the window would: the map and the grid ask for their own size.
    void showViews(std::int64_t positions) {
        views->setMapView({0, positions, 1, {}}, {0, positions, 1, {}}, engine::Pooling::None);
        std::vector<LayerHead> all;
        for (int l = 0; l < 4; ++l)
            for (int h = 0; h < 4; ++h) all.push_back(head(l, h));
        views->setThumbnailView(all, 8);
    }
    void read(const std::string& text = kFourteen) {
        showViews(14);
        session->read(prompt(text));
        QVERIFY(settle());
    }
};

}  // namespace

class SessionTest : public QObject {
    Q_OBJECT
  private slots:
    void statesOfARun();
    void pauseStepResume();
    void stopTrimsTheReserve();
    void cancelAPrefillAndGoOn();
    void failuresKeepTheSessionUsable_data();
    void failuresKeepTheSessionUsable();
    void firstHeadIsTheOneThatWritesMost();
    void pickedHeadStays();
    void theMapIsTheSelectedHeads();
    void lockedAndHoveredCellsAreExact();
    void pooledHoverShowsTheBlocksLargest();
    void selectionFollowsTheNewestRow();
    void selectionRules();
    void thumbnailsFollowRowsByTheirOwnPixels_data();
    void thumbnailsFollowRowsByTheirOwnPixels();
    void metricsOverAllRows();
    void checksFollowARun();
    void targetIsTheUsersOrThePositionsOwn();
    void resultsOfAnOldPromptAreDropped();
    void stepsJoinOneTriangle();
    void closingAtAnyMoment_data();
    void closingAtAnyMoment();
};

void SessionTest::statesOfARun() {
    Desk desk;
    QCOMPARE(desk.session->state(), RunState::NoModel);
    desk.session->run(prompt("no model yet"));
    QCOMPARE(desk.session->state(), RunState::NoModel);
    desk.open();
    desk.world->step_delay = 0.005;
    desk.session->run(prompt(kFourteen, 4));
    QVERIFY(desk.await(RunState::Decoding));
    QCOMPARE(desk.session->run().planned, 18);
    QVERIFY(desk.await(RunState::Idle));
    const std::vector<RunState> expected{RunState::Loading, RunState::Idle, RunState::Prefilling,
                                         RunState::Decoding, RunState::Idle};
    QVERIFY(desk.states == expected);
    QCOMPARE(desk.session->run().tokens.size(), 18u);
    QCOMPARE(desk.session->run().promptTokens, 14);
    QCOMPARE(desk.session->run().rows, 18);
    // The same prompt again goes on, another one starts afresh.
    desk.session->run(prompt(kFourteen, 2));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().tokens.size(), 20u);
    desk.session->read(prompt("Two words"));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().tokens.size(), 2u);
    QVERIFY(desk.settle());
    QVERIFY(desk.failures.empty());
}

void SessionTest::pauseStepResume() {
    Desk desk;
    desk.open();
    desk.world->step_delay = 0.01;
    desk.session->run(prompt(kFourteen, 20));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() >= 2; }));
    desk.session->pause();
    QCOMPARE(desk.session->state(), RunState::Paused);
    QTest::qWait(60);
    const auto held = desk.session->run().steps.size();
    QVERIFY(held < 10);
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Paused));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() == held + 1; }));
    QVERIFY(desk.await(RunState::Paused));
    QCOMPARE(desk.session->run().planned, 34);  // nothing rescales
    desk.session->run(prompt(kFourteen, 20));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().steps.size(), 20u);
    QCOMPARE(desk.session->run().planned, 34);
}

void SessionTest::stopTrimsTheReserve() {
    Desk desk;
    desk.open();
    desk.world->step_delay = 0.02;
    desk.session->run(prompt(kFourteen, 100));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() >= 2; }));
    QCOMPARE(desk.session->run().planned, 114);
    desk.session->stop();
    QCOMPARE(desk.session->state(), RunState::Cancelling);
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().planned,
             static_cast<std::int64_t>(desk.session->run().tokens.size()));
    QVERIFY(desk.session->run().tokens.size() < 30);
}

void SessionTest::cancelAPrefillAndGoOn() {
    Desk desk;
    desk.open();
    desk.world->layer_delay = 0.02;
    desk.session->run(prompt(kFourteen, 3));
    QVERIFY(eventually([&] { return desk.session->run().rows == 8; }));  // the first chunk
    desk.session->stop();
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().rows, 8);
    QVERIFY(!desk.session->run().promptRead);
    desk.session->step(prompt(kFourteen));  // reads the rest
    QVERIFY(desk.await(RunState::Idle));
    QVERIFY(desk.session->run().promptRead);
    QCOMPARE(desk.session->run().rows, 14);
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().rows, 15);
}

void SessionTest::failuresKeepTheSessionUsable_data() {
    QTest::addColumn<QString>("call");
    for (const char* call : {"open", "tokenize", "open_run", "prefill", "step", "tile", "cell",
                             "metrics", "contributions", "logits", "checks"})
        QTest::newRow(call) << QString::fromLatin1(call);
}

void SessionTest::failuresKeepTheSessionUsable() {
    QFETCH(QString, call);
    Desk desk;
    if (call == QLatin1String("open")) {
        desk.world->fail_next(
            "open", {Failure::Kind::BadFile, "ends after 12 of 94 MB", "x.gguf", "get it again"});
        desk.session->openModel("x.gguf");
        QVERIFY(eventually([&] { return !desk.failures.empty(); }));
        QCOMPARE(desk.session->state(), RunState::NoModel);
    }
    desk.open();
    if (call != QLatin1String("open"))
        desk.world->fail_next(call.toStdString(),
                              {Failure::Kind::OutOfMemory, "needs 312 pages, 256 free", {}, {}});
    desk.showViews(14);
    desk.session->run(prompt(kFourteen, 2));
    QVERIFY(eventually([&] { return !desk.failures.empty(); }));
    QCOMPARE(desk.failures.size(), 1u);
    QVERIFY(desk.settle());
    // Everything works afterwards.
    desk.session->read(prompt("Another prompt of six words altogether"));
    QVERIFY(desk.settle());
    QCOMPARE(desk.session->state(), RunState::Idle);
    QCOMPARE(desk.session->run().rows, 6);
    QCOMPARE(desk.failures.size(), 1u);
    QVERIFY(desk.map && desk.map->request.run == desk.session->run().id);
    QVERIFY(desk.locked && desk.metrics && desk.views->contributions());
}

void SessionTest::firstHeadIsTheOneThatWritesMost() {
    Desk desk;
    desk.open();
    QCOMPARE(desk.session->selection().at, head(0, 0));
    desk.read();
    QCOMPARE(desk.session->selection().at, head(2, 1));
    QCOMPARE(to_int(desk.session->selection().dest), 13);
    // The source is the strongest one that is not the sink.
    std::int64_t best = 1;
    for (std::int64_t s = 1; s <= 13; ++s)
        if (fake::pattern(head(2, 1), 13, s) > fake::pattern(head(2, 1), 13, best)) best = s;
    QCOMPARE(to_int(desk.session->selection().src), best);
    QVERIFY(desk.session->selection().locked);
    QVERIFY(desk.map.has_value());
    QCOMPARE(desk.map->request.heads.front(), head(2, 1));
}

void SessionTest::pickedHeadStays() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectHead(head(3, 2));
    desk.session->read(prompt("Another prompt of six words altogether"));
    QVERIFY(desk.settle());
    QCOMPARE(desk.session->selection().at, head(3, 2));
    desk.session->moveHead(5, -7);
    QCOMPARE(desk.session->selection().at, head(3, 0));
    desk.session->selectHead(head(4, 0));  // there is none
    QCOMPARE(desk.session->selection().at, head(3, 0));
}

void SessionTest::theMapIsTheSelectedHeads() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectHead(head(1, 3));
    desk.views->setQuantity(engine::Quantity::Value);
    QVERIFY(desk.settle());
    QCOMPARE(desk.map->request.heads.front(), head(1, 3));
    const auto values = desk.map->data.as<float>();
    QCOMPARE(values.size(), 14u * 14u);
    for (std::int64_t d = 0; d < 14; ++d)
        for (std::int64_t s = 0; s < 14; ++s)
            QCOMPARE(values[static_cast<std::size_t>(d * 14 + s)],
                     fake::cell_value(engine::Quantity::Value, head(1, 3), d, s));
    for (std::int64_t s = 0; s < 14; ++s)
        QCOMPARE(desk.row[static_cast<std::size_t>(s)], fake::pattern(head(1, 3), 13, s));
    const std::int64_t src = to_int(desk.session->selection().src);
    for (std::int64_t d = 0; d < 14; ++d)
        QCOMPARE(desk.column[static_cast<std::size_t>(d)], fake::pattern(head(1, 3), d, src));
}

void SessionTest::lockedAndHoveredCellsAreExact() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectCell(Position(10), Position(4));
    QVERIFY(desk.settle());
    QVERIFY(desk.session->selection().locked);
    QCOMPARE(desk.locked->dest, Position(10));
    QCOMPARE(desk.locked->pattern, fake::pattern(head(2, 1), 10, 4));
    desk.views->hoverCells({7, 8}, {2, 3});
    QVERIFY(eventually([&] { return desk.hovered.has_value(); }));
    QCOMPARE(desk.hovered->pattern, fake::pattern(head(2, 1), 7, 2));
    QCOMPARE(desk.session->selection().dest,
             Position(10));  // hovering previews, never moves the lock
    // Outside of what there is: nothing, and no failure.
    desk.hovered.reset();
    desk.views->hoverCells({50, 51}, {2, 3});
    desk.views->hoverCells({3, 4}, {9, 10});
    QTest::qWait(30);
    QVERIFY(!desk.hovered);
    desk.session->selectCell(Position(3), Position(9));
    desk.session->selectCell(Position(20), Position(3));
    desk.session->selectCell(Position(-1), Position(-1));
    QCOMPARE(desk.session->selection().dest, Position(10));
    QVERIFY(desk.failures.empty());
}

void SessionTest::pooledHoverShowsTheBlocksLargest() {
    Desk desk;
    desk.open();
    desk.read();
    desk.views->hoverCells({8, 12}, {4, 8});
    QVERIFY(eventually([&] { return desk.hovered.has_value(); }));
    for (std::int64_t d = 8; d < 12; ++d)
        for (std::int64_t s = 4; s < 8; ++s)
            QVERIFY(fake::pattern(head(2, 1), d, s) <= desk.hovered->pattern);
}

void SessionTest::selectionFollowsTheNewestRow() {
    Desk desk;
    desk.open();
    desk.showViews(18);
    desk.world->step_delay = 0.01;
    desk.session->run(prompt(kFourteen, 4));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->selection().dest, Position(17));
    // A cell picked while tokens stream stays; End follows again.
    desk.session->run(prompt(kFourteen, 6));
    QVERIFY(desk.await(RunState::Decoding));
    desk.session->selectCell(Position(5), Position(2));
    QVERIFY(!desk.session->followsNewest());
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->selection().dest, Position(5));
    desk.session->selectNewestRow();
    QVERIFY(desk.session->followsNewest());
    QCOMPARE(desk.session->selection().dest, Position(23));
}

void SessionTest::selectionRules() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectCell(Position(10), Position(8));
    desk.session->moveCell(-5, 0);  // the source moves along, as it must stay visible
    QCOMPARE(desk.session->selection().dest, Position(5));
    QCOMPARE(desk.session->selection().src, Position(5));
    desk.session->selectDest(Position(2));
    QCOMPARE(to_int(desk.session->selection().dest), 2);
    QVERIFY(desk.session->selection().src <= Position(2));
    desk.session->selectSrc(Position(9));  // no longer seen from row 2
    QCOMPARE(desk.session->selection().dest, Position(13));
    desk.session->moveRow(-100);
    QCOMPARE(desk.session->selection().dest, Position(0));
    desk.session->unlock();
    QVERIFY(!desk.session->selection().locked);
}

void SessionTest::thumbnailsFollowRowsByTheirOwnPixels_data() {
    QTest::addColumn<int>("pixels");
    QTest::addColumn<int>("generate");
    QTest::newRow("a cell a pixel") << 32 << 6;
    QTest::newRow("pooled") << 7 << 6;
    QTest::newRow("no tokens") << 7 << 0;
}

void SessionTest::thumbnailsFollowRowsByTheirOwnPixels() {
    QFETCH(int, pixels);
    QFETCH(int, generate);
    Desk desk;
    desk.open();
    desk.showViews(14 + generate);
    desk.views->setThumbnailView({head(0, 0), head(2, 1), head(3, 3)}, pixels);
    desk.world->step_delay = 0.04;
    desk.world->shape.chunk = 5;
    desk.session->run(prompt(kFourteen, generate));
    QVERIFY(desk.settle());
    const std::int64_t rows = 14 + generate;
    for (const LayerHead at : {head(0, 0), head(2, 1), head(3, 3)}) {
        const engine::Tile& tile = desk.thumbnails[at];
        engine::TileRequest request = tile.request;
        QCOMPARE(request.dest, ui::wholeAxis(rows, pixels));
        QCOMPARE(tile.rows_ready, rows);
        request.heads = {at};
        const engine::Tile direct = desk.session->reader()->tile(request);
        const auto index = static_cast<std::size_t>(
            std::find(tile.request.heads.begin(), tile.request.heads.end(), at) -
            tile.request.heads.begin());
        const auto expected = direct.data.as<std::uint8_t>();
        const auto got =
            tile.data.as<std::uint8_t>().subspan(index * expected.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(got[i], expected[i]);
    }
}

void SessionTest::metricsOverAllRows() {
    Desk desk;
    desk.open();
    desk.showViews(20);
    desk.world->step_delay = 0.02;
    desk.session->run(prompt(kFourteen, 6));
    QVERIFY(desk.settle());
    const engine::HeadTable whole =
        desk.session->reader()->metrics({{}, desk.session->run().id, {}});
    QCOMPARE(desk.metrics->dest, (engine::Rows{0, 20}));
    for (std::size_t i = 0; i < whole.sink.size(); ++i) {
        QVERIFY(std::fabs(desk.metrics->sink[i] - whole.sink[i]) < 1e-6f);
        QCOMPARE(desk.metrics->max_pattern[i], whole.max_pattern[i]);
    }
}

void SessionTest::checksFollowARun() {
    Desk desk;
    desk.open();
    desk.read();
    QCOMPARE(desk.checks.size(), 4u);
    QCOMPARE(desk.checks[3].rows, 14);
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.settle());
    QCOMPARE(desk.checks[3].rows, 15);
}

void SessionTest::targetIsTheUsersOrThePositionsOwn() {
    Desk desk;
    desk.open();
    desk.read();
    const auto own = desk.session->reader()->logits(desk.session->run().id, Position(13), 1);
    QVERIFY(desk.views->target() == own.candidates.front().token);
    desk.views->setTarget(engine::TokenId(5));
    desk.views->setDistractor(engine::TokenId(6));
    QVERIFY(desk.settle());
    QVERIFY(desk.views->target() == engine::TokenId(5));
    QVERIFY(desk.views->contributions()->target == engine::TokenId(5));
    QVERIFY(desk.views->contributions()->distractor == engine::TokenId(6));
    desk.views->setTarget({});
    desk.session->selectDest(Position(4));
    QVERIFY(desk.settle());
    const auto there = desk.session->reader()->logits(desk.session->run().id, Position(4), 1);
    QVERIFY(desk.views->target() == there.candidates.front().token);
}

void SessionTest::resultsOfAnOldPromptAreDropped() {
    Desk desk;
    desk.open();
    desk.read();
    desk.world->tile_delay = 0.05;
    desk.world->step_delay = 0.01;
    std::vector<engine::RunId> late;
    QObject::connect(desk.views.get(), &TraceViews::mapReady,
                     [&](const engine::Tile& tile) { late.push_back(tile.request.run); });
    QObject::connect(desk.views.get(), &TraceViews::thumbnailsReady,
                     [&](const engine::Tile& tile) { late.push_back(tile.request.run); });
    const engine::RunId old = desk.session->run().id;
    for (int round = 0; round < 4; ++round) {
        desk.session->selectHead(head(round, 0));  // asks for the old run's map …
        desk.session->run(prompt("Prompt number " + std::to_string(round), 3));
        QVERIFY(eventually([&] { return desk.session->run().id != old; }));
        late.clear();
        QTest::qWait(20);
        for (const engine::RunId run : late) QVERIFY(run == desk.session->run().id);
        desk.session->stop();
        QVERIFY(eventually([&] { return !ui::isBusy(desk.session->state()); }));
    }
    QVERIFY(desk.settle());
    QVERIFY2(desk.failures.empty(), desk.failures.empty() ? "" : desk.failures[0].what.c_str());
    QCOMPARE(desk.session->run().prompt, std::string("Prompt number 3"));
}

void SessionTest::stepsJoinOneTriangle() {
    // Prompt 6 and 3 steps: rows of 7, 8 and 9 sources, and one 9 x 9 map.
    Desk desk;
    desk.open();
    desk.showViews(9);
    std::vector<std::size_t> widths;
    desk.session->read(prompt("One two three four five six"));
    QVERIFY(desk.settle());
    widths.push_back(desk.row.size());
    for (int i = 0; i < 3; ++i) {
        desk.session->step(prompt("One two three four five six"));
        QVERIFY(desk.settle());
        widths.push_back(desk.row.size());
    }
    QVERIFY((widths == std::vector<std::size_t>{6, 7, 8, 9}));
    QCOMPARE(desk.map->rows_ready, 9);
    QVERIFY((desk.map->data.shape == std::vector<std::int64_t>{1, 9, 9}));
}

void SessionTest::closingAtAnyMoment_data() {
    QTest::addColumn<QString>("when");
    for (const char* when : {"loading", "prefilling", "decoding", "paused", "idle"})
        QTest::newRow(when) << QString::fromLatin1(when);
}

void SessionTest::closingAtAnyMoment() {
    QFETCH(QString, when);
    Desk desk;
    desk.showViews(14);
    if (when == QLatin1String("loading")) {
        desk.world->open_delay = 60;
        desk.session->openModel("big.gguf");
        QTest::qWait(20);
    } else {
        desk.open();
        if (when == QLatin1String("prefilling")) desk.world->layer_delay = 0.1;
        if (when == QLatin1String("decoding")) desk.world->step_delay = 0.01;
        desk.world->tile_delay = 0.2;
        if (when != QLatin1String("idle")) desk.session->run(prompt(kFourteen, 500));
        QTest::qWait(100);
        if (when == QLatin1String("paused")) desk.session->pause();
    }
    QElapsedTimer clock;
    clock.start();
    desk.views.reset();
    desk.session.reset();
    QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
    QCOMPARE(desk.world->engines_alive.load(), 0);
    QCOMPARE(desk.world->thread_violations.load(), 0);
}

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
