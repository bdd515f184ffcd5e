// SPDX-License-Identifier: GPL-3.0-or-later
// The engine thread on a fake engine: slices, pause, cancel, failures, joins.
#include <QTest>
#include <variant>

#include "app/threads/engine_thread.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"

using namespace app;
using engine::Failure;
using fake::eventually;

namespace {

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
        return thread->run({fake::words(prompt), {}, {}, generate});
    }
};

}  // namespace

class WorkerTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void readsAPromptInChunksThenGenerates();
    void pauseHoldsBetweenSteps();
    void cancelGetsThroughWithinALayer();
    void cancelStopsALoad();
    void aNewJobEndsTheOneInWork();
    void failuresAreReportedAndRecoveredFrom_data();
    void failuresAreReportedAndRecoveredFrom();
    void makesRoomForARunThatFits();
    void saysWhenTheRoomWasMadeInVain();
    void keepsTheRunWhenTheNextOneCannotFit();
    void aFailedOpenKeepsTheModel();
    void closingMidJobJoins_data();
    void closingMidJobJoins();
    void blockedGuiGetsEveryStepAndOneProgress();
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
    QCOMPARE(desk.world->count("close_run"), 0);  // the first run has rows to come back to
    QCOMPARE(desk.all<RunsKept>().size(), 1u);
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

void WorkerTest::saysWhenTheRoomWasMadeInVain() {
    Desk desk;
    desk.openModel();
    QVERIFY(desk.awaitEnd(desk.run(50, 0)));
    for (int i = 0; i < 2; ++i)
        desk.world->fail_next("open_run", {Failure::Kind::OutOfMemory, "no memory left", "", ""});
    const JobId next = desk.run(40, 0);
    QVERIFY(desk.awaitEnd(next));
    QCOMPARE(desk.ended(next)->failure->kind, Failure::Kind::OutOfMemory);
    QCOMPARE(desk.world->count("close_run"), 1);
    QCOMPARE(desk.all<RunClosed>().size(), 1u);
    QCOMPARE(desk.all<RunClosed>()[0].job, next);
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

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
