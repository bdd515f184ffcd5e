// SPDX-License-Identifier: GPL-3.0-or-later
// Forks: another token in a place, a run of its own from there, and the way back.
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/support/session_desk.h"

using namespace fake;

namespace {

engine::Candidate candidate(int token) {
    return {engine::TokenId(token), token_bytes(engine::TokenId(token)), 0.125, 1.0f};
}

// The prompt of fourteen tokens, and as many after it.
bool generate(Desk& desk, std::size_t tokens) {
    desk.showViews(20);
    desk.session->run(prompt(kFourteen, static_cast<std::int64_t>(tokens)));
    return eventually([&] {
        return desk.session->run().steps.size() == tokens &&
               desk.session->state() == RunState::Idle;
    });
}

// The run that a fork opens, finished.
bool forked(Desk& desk, engine::RunId parent) {
    return eventually([&] {
        return desk.session->run().id != parent && desk.session->run().promptRead &&
               desk.session->state() == RunState::Idle;
    });
}

}  // namespace

class SessionForkTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void aForkGoesOnByItself();
    void bothRunsCanBeShown();
    void aPausedRunCanBeForked();
    void theNextTokenCanBeChosen();
    void whatCannotBeForkedIsLeft_data();
    void whatCannotBeForkedIsLeft();
    void anotherPromptKeepsThemAside();
    void aFailedForkKeepsTheRun();
};

void SessionForkTest::aForkGoesOnByItself() {
    Desk desk;
    desk.open();
    QVERIFY(generate(desk, 6));
    const app::RunView parent = desk.session->run();
    desk.session->fork(Position(16), candidate(42), {});
    QVERIFY(forked(desk, parent.id));
    const app::RunView& fork = desk.session->run();
    QCOMPARE(fork.name, std::string("B"));
    QCOMPARE(fork.parent, std::string("A"));
    QCOMPARE(fork.forkedAt, 2);
    QCOMPARE(fork.tokens.size(), parent.tokens.size());  // it goes on as far as its parent went
    QCOMPARE(fork.rows, parent.rows);
    QCOMPARE(fork.promptTokens, 14);
    for (std::size_t i = 0; i < 16; ++i) QCOMPARE(fork.tokens[i].id, parent.tokens[i].id);
    QCOMPARE(fork.tokens[16].id, engine::TokenId(42));
    QVERIFY(fork.tokens[17].id != parent.tokens[17].id);
    QCOMPARE(fork.steps.size(), 6u);
    QCOMPARE(fork.steps[2].token.id, engine::TokenId(42));
    QCOMPARE(fork.steps[2].probability, 0.125);
    QCOMPARE(fork.steps[2].alternatives.size(), parent.steps[2].alternatives.size());
    QCOMPARE(fork.steps[3].position, Position(17));
    QVERIFY(desk.settle());
    QVERIFY(desk.map && desk.map->request.run == fork.id);
    QCOMPARE(desk.session->selection().dest, Position(19));  // follows the newest row
    QVERIFY(desk.failures.empty());
}

void SessionForkTest::bothRunsCanBeShown() {
    Desk desk;
    desk.open();
    QVERIFY(generate(desk, 4));
    const engine::RunId a = desk.session->run().id;
    const auto tokens = desk.session->run().tokens;
    desk.session->fork(Position(15), candidate(7), {});
    QVERIFY(forked(desk, a));
    const engine::RunId b = desk.session->run().id;
    QCOMPARE(desk.session->otherRuns().size(), 1u);
    desk.session->selectHead(head(3, 2));
    desk.session->showRun(a);
    QCOMPARE(desk.session->run().id, a);
    QCOMPARE(desk.session->run().tokens.size(), tokens.size());
    QCOMPARE(desk.session->selection().at, head(3, 2));  // the head stays
    QCOMPARE(desk.session->otherRuns().front().id, b);
    QVERIFY(desk.settle());
    QCOMPARE(desk.map->request.run, a);
    QCOMPARE(desk.checks.size(), 4u);  // of this run, not of the one before
    QCOMPARE(desk.checks.front().rows, 18);
    // It goes on where it was, and so does the other.
    desk.session->run(prompt(kFourteen, 2));
    QVERIFY(eventually([&] {
        return desk.session->run().steps.size() == 6 && desk.session->state() == RunState::Idle;
    }));
    QCOMPARE(desk.session->run().id, a);
    desk.session->showRun(b);
    QCOMPARE(desk.session->run().steps.size(), 4u);
    desk.session->fork(Position(17), candidate(9), {});
    QVERIFY(forked(desk, b));
    QCOMPARE(desk.session->run().name, std::string("C"));
    QCOMPARE(desk.session->run().parent, std::string("B"));
    QCOMPARE(desk.session->otherRuns().size(), 2u);
    QVERIFY(desk.failures.empty());
}

// What the paused run has computed stays, and it can be gone on with.
void SessionForkTest::aPausedRunCanBeForked() {
    Desk desk;
    desk.open();
    desk.world->step_delay = 0.01;
    desk.session->run(prompt(kFourteen, 100));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() >= 4; }));
    desk.session->pause();
    QVERIFY(desk.settle());
    QCOMPARE(desk.session->state(), RunState::Paused);
    const app::RunView parent = desk.session->run();
    desk.world->step_delay = 0;
    desk.session->fork(Position(16), candidate(42), {});
    QVERIFY(forked(desk, parent.id));
    QCOMPARE(desk.session->run().tokens[16].id, engine::TokenId(42));
    const auto& others = desk.session->otherRuns();
    QCOMPARE(others.size(), 1u);
    QVERIFY(others.front().steps.size() >= parent.steps.size());
    QCOMPARE(others.front().planned, static_cast<std::int64_t>(others.front().tokens.size()));
    QVERIFY(desk.failures.empty());
}

void SessionForkTest::theNextTokenCanBeChosen() {
    Desk desk;
    desk.open();
    desk.read();
    const engine::RunId a = desk.session->run().id;
    desk.session->fork(Position(14), candidate(3), {}, {candidate(3), candidate(5)});
    QVERIFY(forked(desk, a));
    QCOMPARE(desk.session->run().tokens.size(), 15u);
    QCOMPARE(desk.session->run().rows, 15);
    QCOMPARE(desk.session->run().steps.size(), 1u);
    QCOMPARE(desk.session->run().steps[0].alternatives.size(), 2u);
}

void SessionForkTest::whatCannotBeForkedIsLeft_data() {
    QTest::addColumn<int>("at");
    QTest::addRow("the prompt") << 13;
    QTest::addRow("before it") << -1;
    QTest::addRow("past the end") << 17;
}

void SessionForkTest::whatCannotBeForkedIsLeft() {
    QFETCH(int, at);
    Desk desk;
    desk.open();
    QVERIFY(generate(desk, 2));
    desk.session->fork(Position(at), candidate(3), {});
    QCOMPARE(desk.session->state(), RunState::Idle);
    QVERIFY(desk.session->otherRuns().empty());
    desk.session->showRun(engine::RunId(99));
    QCOMPARE(desk.session->run().name, std::string("A"));
}

void SessionForkTest::anotherPromptKeepsThemAside() {
    Desk desk;
    desk.open();
    QVERIFY(generate(desk, 2));
    desk.session->fork(Position(15), candidate(3), {});
    QVERIFY(eventually([&] {
        return desk.session->otherRuns().size() == 1 && desk.session->state() == RunState::Idle;
    }));
    desk.session->read(prompt("Two words"));
    QVERIFY(eventually([&] { return desk.session->run().promptTokens == 2; }));
    QVERIFY(desk.settle());
    QVERIFY(desk.session->otherRuns().empty());
    QCOMPARE(desk.world->count("close_run"), 0);
    const std::vector<const app::RunView*> kept = desk.session->keptRuns();
    QCOMPARE(kept.size(), 1u);
    desk.session->showKept(kept[0]->id);
    QCOMPARE(desk.session->run().parent, std::string("A"));
    QCOMPARE(desk.session->otherRuns().size(), 1u);
    QCOMPARE(desk.session->keptRuns().size(), 1u);
}

void SessionForkTest::aFailedForkKeepsTheRun() {
    Desk desk;
    desk.open();
    QVERIFY(generate(desk, 2));
    const engine::RunId a = desk.session->run().id;
    desk.world->fail_next("open_run",
                          {Failure::Kind::OutOfMemory, "1 page needed, 0 free", "", ""});
    desk.session->fork(Position(15), candidate(3), {});
    QVERIFY(desk.await(RunState::Failed));
    QCOMPARE(desk.failures.size(), 1u);
    QCOMPARE(desk.session->run().id, a);
    desk.session->run(prompt(kFourteen, 1));
    QVERIFY(eventually([&] { return desk.session->run().steps.size() == 3; }));
}

QTEST_MAIN(SessionForkTest)
#include "session_fork_test.moc"
