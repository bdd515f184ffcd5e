// SPDX-License-Identifier: GPL-3.0-or-later
// Session and views on a fake engine: states, selection, latest wins, recovery, what follows
// streaming rows.
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/support/session_desk.h"

using namespace fake;

class SessionTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void statesOfARun();
    void pauseStepResume();
    void aStepInWorkIsNotLost_data();
    void aStepInWorkIsNotLost();
    void stopTrimsTheReserve();
    void cancelAPrefillAndGoOn();
    void failuresKeepTheSessionUsable_data();
    void failuresKeepTheSessionUsable();
    void aRunThatMadeRoomInVainCanBeRunAgain();
    void aPromptThatCannotBeReadLeavesTheRun_data();
    void aPromptThatCannotBeReadLeavesTheRun();
    void pickedHeadStays();
    void selectionFollowsTheNewestRow();
    void selectionRules();
    void resultsOfAnOldPromptAreDropped();
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

// Pause, then Step before the step in work has ended: the engine's rows and the tokens on screen
// have to stay one for one.
void SessionTest::aStepInWorkIsNotLost_data() {
    QTest::addColumn<int>("wait");
    for (int wait = 0; wait < 24; wait += 3) QTest::addRow("%d ms", wait) << wait;
}

void SessionTest::aStepInWorkIsNotLost() {
    QFETCH(int, wait);
    Desk desk;
    desk.open();
    desk.world->step_delay = 0.01;
    desk.session->run(prompt(kFourteen, 200));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() >= 2; }));
    QTest::qSleep(wait);  // steps end meanwhile whose events wait
    desk.session->pause();
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Paused));
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Paused));
    const auto& run = desk.session->run();
    QCOMPARE(static_cast<std::int64_t>(run.tokens.size()), run.rows);
    for (std::size_t i = 0; i < run.steps.size(); ++i)
        QCOMPARE(engine::to_int(run.steps[i].position), static_cast<std::int64_t>(14 + i));
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
    QTest::addColumn<QString>("kind");  // what sets the call off
    const std::pair<const char*, const char*> calls[] = {
        {"open", "open"},      {"tokenize", "job"},     {"open_run", "job"},
        {"prefill", "job"},    {"step", "job"},         {"tile", "selection"},
        {"cell", "selection"}, {"logits", "selection"}, {"contributions", "selection"},
        {"metrics", "step"},   {"checks", "step"}};
    for (const auto& [call, kind] : calls)
        QTest::newRow(call) << QString::fromLatin1(call) << QString::fromLatin1(kind);
}

void SessionTest::failuresKeepTheSessionUsable() {
    QFETCH(QString, call);
    QFETCH(QString, kind);
    Desk desk;
    const auto failNext = [&] {
        desk.world->fail_next(call.toStdString(),
                              {Failure::Kind::OutOfMemory, "needs 312 pages, 256 free", {}, {}});
    };
    if (call == QLatin1String("open")) {
        failNext();
        desk.session->openModel("x.gguf");
        QVERIFY(eventually([&] { return !desk.failures.empty(); }));
        QCOMPARE(desk.session->state(), RunState::NoModel);
    }
    desk.open();
    desk.showViews(14);
    if (kind == QLatin1String("job")) {
        failNext();
        desk.session->run(prompt(kFourteen, 2));
    } else if (kind != QLatin1String("open")) {
        // One request of its kind: one that a newer request overtakes fails unheard.
        desk.read();
        failNext();
        if (kind == QLatin1String("selection"))
            desk.session->selectCell(Position(5),
                                     Position(2));  // by hand: nothing suggests another
        else
            desk.session->step(prompt(kFourteen));
    }
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

void SessionTest::aRunThatMadeRoomInVainCanBeRunAgain() {
    Desk desk;
    desk.open();
    desk.showViews(14);
    desk.session->run(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Idle));
    for (int i = 0; i < 2; ++i)
        desk.world->fail_next("open_run", {Failure::Kind::OutOfMemory, "no memory left", {}, {}});
    desk.session->run(prompt("Two words"));
    QVERIFY(desk.await(RunState::Failed));
    QVERIFY(!desk.session->hasRun());  // not a run on screen that nothing can be read of
    desk.session->run(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().tokens.size(), 14u);
    QVERIFY(desk.settle());
    QCOMPARE(desk.failures.size(), 1u);
}

void SessionTest::aPromptThatCannotBeReadLeavesTheRun_data() {
    QTest::addColumn<int>("cancelled");  // prompts stopped before their first row, between the two
    QTest::newRow("the next one") << 0;
    QTest::newRow("after one that was cancelled") << 1;
    QTest::newRow("after two that were cancelled") << 2;
}

void SessionTest::aPromptThatCannotBeReadLeavesTheRun() {
    QFETCH(int, cancelled);
    Desk desk;
    desk.open();
    desk.showViews(14);
    desk.session->run(prompt(kFourteen, 3));
    QVERIFY(desk.await(RunState::Idle));
    QVERIFY(desk.settle());  // the head worth looking at first is chosen
    desk.session->selectCell(Position(9), Position(4));
    QVERIFY(desk.settle());
    const auto before = desk.session->run();
    const ui::Selection selection = desk.session->selection();
    for (int i = 0; i < cancelled; ++i) {
        desk.world->layer_delay = 0.05;
        const engine::RunId shown = desk.session->run().id;
        desk.session->run(prompt("Two words " + std::to_string(i)));
        QVERIFY(eventually([&] { return desk.session->run().id != shown; }));
        desk.session->stop();
        QVERIFY(desk.await(RunState::Idle));
        QCOMPARE(desk.session->run().rows, 0);
    }
    desk.world->layer_delay = 0;
    desk.map.reset();
    desk.world->fail_next("prefill", {Failure::Kind::BadFile, "4096 bytes now", "m", {}});
    desk.session->run(prompt("Three more words"));
    QVERIFY(desk.await(RunState::Failed));
    QVERIFY(desk.settle());
    QCOMPARE(desk.failures.size(), 1u);
    QVERIFY(desk.session->run().id == before.id);
    QCOMPARE(desk.session->run().tokens.size(), before.tokens.size());
    QCOMPARE(desk.session->run().text, before.text);
    QVERIFY(desk.session->selection() == selection);
    QVERIFY(desk.map && desk.map->request.run == before.id);  // drawn again
    // It goes on from there, and the other prompt can be tried again.
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().tokens.size(), before.tokens.size() + 1);
    desk.session->read(prompt("Three more words"));
    QVERIFY(desk.await(RunState::Idle));
    QCOMPARE(desk.session->run().rows, 3);
    QCOMPARE(desk.world->count("close_run"), cancelled + 1);  // none that has rows
    QCOMPARE(desk.session->keptRuns().size(), 1u);
    QVERIFY(desk.session->keptRuns()[0]->id == before.id);
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
