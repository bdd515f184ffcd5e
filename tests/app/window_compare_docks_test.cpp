// SPDX-License-Identifier: GPL-3.0-or-later
// The docks while two runs are compared, in the real window: next tokens and contributions of both,
// of one target and distractor, against the logits of a dump.
#include <QComboBox>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/models/logits_model.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"

using engine::Position;
using engine::to_int;
using fake::eventually;
using ui::LogitsModel;

namespace {

constexpr int kPatience = real::patience;

}  // namespace

class WindowCompareDocksTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void init() { failOnDroppedSignals(); }
    void cleanupTestCase() { m_view.reset(); }

    void nextTokensAreThoseOfBoth();
    void contributionsAreThoseOfBoth();
    void oneTargetAndDistractorForBoth();
    void otherPagesShowOneRun();
    void promptsAreComparedAtTheSameToken();

  private:
    bool settle() const { return ::settle(*m_view, kPatience); }
    bool runPrompt(const QString& prompt, int tokens) const;
    std::vector<double> logits(engine::RunId, std::int64_t position) const;
    app::Session& session() const { return m_view->session(); }
    LogitsModel& model() const { return *m_view->window().logitsPanel().model(); }
    ui::ContributionBars& bars() const { return m_view->window().contributionBars(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

bool WindowCompareDocksTest::runPrompt(const QString& prompt, int tokens) const {
    const engine::RunId before = session().run().id;
    m_view->window().promptPanel().setPrompt(prompt);
    m_view->window().promptPanel().setTokensToGenerate(tokens);
    Q_EMIT m_view->window().runRequested();
    return eventually(
               [&] {
                   return session().run().id != before &&
                          session().run().steps.size() == static_cast<std::size_t>(tokens);
               },
               kPatience) &&
           settle();
}

std::vector<double> WindowCompareDocksTest::logits(engine::RunId run, std::int64_t position) const {
    const auto row = session().reader()->read(run, {"logits", {}, {}}, {position, position + 1});
    const auto values = row.data.as<float>();
    return {values.begin(), values.end()};
}

void WindowCompareDocksTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, "The cat sat on the mat and the dog");
    QVERIFY(real::begin(*m_view));
    QVERIFY(
        runPrompt(QStringLiteral("When John and Mary went to the shop, John gave the bag to"), 3));
    const engine::Step step = session().run().steps[0];
    const engine::RunId before = session().run().id;
    session().fork(step.position, step.alternatives[1], {});
    QVERIFY(eventually([&] { return session().run().id != before; }, kPatience) && settle());
    session().selectDest(step.position);
    QVERIFY(settle());
    QVERIFY(!model().isBeside() && !bars().isBeside());
    m_view->window().showComparePage();
    QVERIFY(settle());
}

void WindowCompareDocksTest::nextTokensAreThoseOfBoth() {
    const auto pair = *m_view->compare().pair();
    QCOMPARE(pair.b, session().run().id);
    const std::int64_t at = to_int(session().selection().dest);
    QVERIFY(model().isBeside());
    QVERIFY(model().rowCount() >= 10 && model().rowCount() <= 20);
    const auto header = [&](int column) {
        return model().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    QCOMPARE(header(LogitsModel::Probability), QStringLiteral("p in B"));
    QCOMPARE(header(LogitsModel::Other), QStringLiteral("p in A"));
    QTableView& view = *m_view->window().logitsPanel().view();
    QVERIFY(!view.isColumnHidden(LogitsModel::Other) && view.isColumnHidden(LogitsModel::Logit));
    const auto check = [&](engine::RunId run, const std::vector<engine::Candidate>& shown) {
        const std::vector<double> all = logits(run, at);
        double most = -1e300, sum = 0;
        for (const double logit : all) most = std::max(most, logit);
        for (const double logit : all) sum += std::exp(logit - most);
        for (const engine::Candidate& each : shown) {
            const double logit = all[static_cast<std::size_t>(to_int(each.token))];
            QVERIFY(std::abs(static_cast<double>(each.logit) - logit) < 1e-3);
            QVERIFY(std::abs(each.probability - std::exp(logit - most) / sum) < 1e-5);
        }
        // Its own ten most probable are all there.
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        const auto found = std::count_if(shown.begin(), shown.end(), [&](const auto& each) {
            return static_cast<double>(each.logit) >= sorted[9] - 1e-4;
        });
        QVERIFY(found >= 10);
    };
    check(pair.b, model().candidates());
    check(pair.a, model().others());
    QCOMPARE(model().index(0, LogitsModel::Other).data().toString(),
             ui::plainNumber(model().others()[0].probability, 4));
}

void WindowCompareDocksTest::contributionsAreThoseOfBoth() {
    const auto pair = *m_view->compare().pair();
    QVERIFY(bars().isBeside());
    const engine::ContributionTable& own = bars().table();
    const auto expected =
        session().reader()->contributions({{}, pair.a, own.position, own.target, own.distractor});
    const auto& beside = bars().beside();
    QCOMPARE(beside->run, pair.a);
    QCOMPARE(beside->position, own.position);
    QCOMPARE(beside->target, own.target);
    QCOMPARE(beside->head_attribution, expected.head_attribution);
    QVERIFY(beside->head_attribution != own.head_attribution);
    // Both numbers of a head are told.
    const int head = to_int(session().selection().at.head);
    const QString tip = bars().toolTipOf(bars().headsPlot(), head);
    const auto index = static_cast<std::size_t>(to_int(session().selection().at.layer) * 9 + head);
    for (const auto& [name, table] : {std::pair("B ", &own), std::pair("A ", &*beside)})
        QVERIFY2(
            tip.contains(QLatin1String(name) +
                         ui::valueText(ui::Measure::Attribution,
                                       static_cast<double>(table->head_attribution[index]), 4)),
            qPrintable(tip));
}

void WindowCompareDocksTest::oneTargetAndDistractorForBoth() {
    const auto pair = *m_view->compare().pair();
    const std::int64_t at = to_int(session().selection().dest);
    // The other run's own candidates are offered too: the last row is one of them.
    const engine::Candidate target = model().candidates().back(), less = model().candidates()[1];
    ui::LogitsPanel& panel = m_view->window().logitsPanel();
    panel.setTarget(target);
    Q_EMIT panel.targetChanged(target);
    panel.setDistractor(less);
    Q_EMIT panel.distractorChanged(less);
    QVERIFY(settle());
    QVERIFY(bars().isBeside() && model().isBeside());
    QCOMPARE(bars().beside()->target, target.token);
    QCOMPARE(bars().beside()->distractor, std::optional(less.token));
    const auto difference = [&](engine::RunId run) {
        const std::vector<double> all = logits(run, at);
        return all[static_cast<std::size_t>(to_int(target.token))] -
               all[static_cast<std::size_t>(to_int(less.token))];
    };
    const double a = difference(pair.a), b = difference(pair.b);
    QVERIFY(std::abs(static_cast<double>(bars().beside()->logit) - a) < 1e-3);
    const QStringList numbers = panel.besideText().split(u' ');
    QCOMPARE(numbers.size(), 7);  // A +1.234 · B − A −0.567
    QCOMPARE(numbers[0], QStringLiteral("A"));
    const auto number = [](QString text) { return text.replace(QChar(0x2212), u'-').toDouble(); };
    QVERIFY(std::abs(number(numbers[1]) - a) < 2e-3);
    QVERIFY(std::abs(number(numbers[6]) - (b - a)) < 2e-3);
}

void WindowCompareDocksTest::otherPagesShowOneRun() {
    m_view->window().showHeadPage();
    QVERIFY(settle());
    QVERIFY(!model().isBeside() && !bars().isBeside());
    QVERIFY(m_view->window().logitsPanel().besideText().isEmpty());
    QVERIFY(m_view->window().logitsPanel().view()->isColumnHidden(LogitsModel::Other));
    m_view->window().showComparePage();
    QVERIFY(settle());
    QVERIFY(model().isBeside() && bars().isBeside());
    // A run beside itself has nothing to show beside it.
    const auto pair = *m_view->compare().pair();
    m_view->compare().choose({pair.b, pair.b});
    QVERIFY(settle());
    QVERIFY(!model().isBeside() && !bars().isBeside());
    m_view->compare().choose(pair);
    QVERIFY(settle());
    QVERIFY(model().isBeside() && bars().isBeside());
}

void WindowCompareDocksTest::promptsAreComparedAtTheSameToken() {
    QVERIFY(runPrompt(
        QStringLiteral("When little John and Mary went to the shop, John gave the bag to"), 1));
    QVERIFY(m_view->compare().alignment());
    session().selectDest(Position(5));
    QVERIFY(settle());
    QVERIFY(bars().isBeside());
    QCOMPARE(bars().beside()->position, Position(4));
    QCOMPARE(bars().beside()->run, m_view->compare().pair()->a);
    session().selectDest(Position(1));  // "little" is only here
    QVERIFY(settle());
    QVERIFY(!bars().isBeside() && !model().isBeside());
    QVERIFY(m_view->window().messages().isEmpty());
}

QTEST_MAIN(WindowCompareDocksTest)
#include "window_compare_docks_test.moc"
