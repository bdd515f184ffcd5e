// SPDX-License-Identifier: GPL-3.0-or-later
// Views that are worked without a mouse: steps and their alternatives, contribution bars, and the
// line that takes a place.
#include <qcustomplot.h>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/steps/step_lane.h"
#include "ui/steps/step_lane_metrics.h"
#include "ui/window/go_to_line.h"
#include "ui/window/place.h"

using engine::LayerHead;

class FrameKeys : public QObject {
    Q_OBJECT

    static void show(QWidget& widget, QSize size) {
        widget.resize(size);
        widget.show();
        QVERIFY(QTest::qWaitForWindowActive(&widget));
    }
    // Whether the widget takes the key before the window's shortcuts do.
    static bool takes(QWidget* widget, Qt::Key key) {
        QKeyEvent event(QEvent::ShortcutOverride, key, Qt::NoModifier);
        event.ignore();
        QApplication::sendEvent(widget, &event);
        return event.isAccepted();
    }
    // The selection that the window would send back.
    static void followClicks(ui::StepLane& lane, int promptTokens) {
        connect(&lane, &ui::StepLane::stepClicked, &lane,
                [&lane, promptTokens](int step) { lane.setSelected(promptTokens + step); });
        connect(&lane, &ui::StepLane::prefillClicked, &lane,
                [&lane, promptTokens] { lane.setSelected(promptTokens - 1); });
    }
    static void fill(ui::StepLane& lane, int steps) {
        lane.startRun(14);
        lane.setPrefill(14);
        for (int i = 0; i < steps; ++i) {
            engine::Step step = frame::step(14 + i, " w" + std::to_string(i));
            step.alternatives = frame::candidates({" w" + std::to_string(i), " b", " c", " d"});
            step.alternatives[0].token = step.token.id;
            lane.appendStep(step);
        }
        lane.setForkable(true);
        followClicks(lane, 14);
    }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        ui::loadFonts();
        ui::setTheme(ui::Scheme::Light);
    }

    void arrowsStepAndChoose() {
        ui::StepLane lane;
        fill(lane, 30);
        show(lane, {700, 140});
        lane.setFocus();
        lane.setSelected(43);  // step 29
        QSignalSpy steps(&lane, &ui::StepLane::stepClicked);
        QSignalSpy forks(&lane, &ui::StepLane::alternativeClicked);
        QTest::keyClick(&lane, Qt::Key_Left);
        QCOMPARE(steps.takeFirst()[0].toInt(), 28);
        QVERIFY(!takes(&lane, Qt::Key_Return));  // nothing chosen: the window's
        QVERIFY(takes(&lane, Qt::Key_Up) && takes(&lane, Qt::Key_Right));
        QTest::keyClick(&lane, Qt::Key_Down);
        QTest::keyClick(&lane, Qt::Key_Down);
        QVERIFY(lane.accessibleDescription().contains(QStringLiteral("step 28 of 30")));
        QVERIFY(lane.accessibleDescription().contains(QStringLiteral("instead ·c")));
        QVERIFY(takes(&lane, Qt::Key_Return) && takes(&lane, Qt::Key_Escape));
        // What is chosen is seen: an accent frame around the second alternative.
        const QRect line = lane.alternativeRect(28, 1);
        const QImage image = lane.viewport()->grab().toImage();
        QCOMPARE(image.pixelColor(line.center().x(), line.top() + 1), ui::theme().accent);
        const QRect other = lane.alternativeRect(28, 2);
        QVERIFY(image.pixelColor(other.center().x(), other.top() + 3) != ui::theme().accent);
        QTest::keyClick(&lane, Qt::Key_Return);
        QCOMPARE(forks.count(), 1);
        QCOMPARE(forks[0][0].toInt(), 28);
        QCOMPARE(forks[0][1].value<engine::Candidate>().bytes, std::string(" c"));
        QTest::keyClick(&lane, Qt::Key_Escape);
        QVERIFY(!takes(&lane, Qt::Key_Return));
        // Up from the first is the token itself; there is nothing below the last.
        for (int i = 0; i < 9; ++i) QTest::keyClick(&lane, Qt::Key_Down);
        QVERIFY(lane.accessibleDescription().contains(QStringLiteral("instead ·d")));
        for (int i = 0; i < 3; ++i) QTest::keyClick(&lane, Qt::Key_Up);
        QVERIFY(!lane.accessibleDescription().contains(QStringLiteral("instead")));
        // To the prompt and no further; another step has its own alternatives.
        QTest::keyClick(&lane, Qt::Key_Down);
        for (int i = 0; i < 40; ++i) QTest::keyClick(&lane, Qt::Key_Left);
        QVERIFY(!lane.accessibleDescription().contains(QStringLiteral("instead")));
        QVERIFY(lane.accessibleDescription().startsWith(QStringLiteral("prefill 0")));
        QTest::keyClick(&lane, Qt::Key_Down);
        QTest::keyClick(&lane, Qt::Key_Return);
        QCOMPARE(forks.count(), 1);
        QTest::keyClick(&lane, Qt::Key_Right);
        QCOMPARE(steps.last()[0].toInt(), 0);
    }

    void candidatesAreChosenToo() {
        ui::StepLane lane;
        lane.startRun(14);
        lane.setPrefill(14);
        lane.setCandidates(frame::candidates({" a", " b", " c", " d", " e", " f"}));
        lane.setForkable(true);
        show(lane, {560, 68});
        lane.setFocus();
        QSignalSpy forks(&lane, &ui::StepLane::alternativeClicked);
        QTest::keyClick(&lane, Qt::Key_Return);
        QCOMPARE(forks.count(), 0);
        QTest::keyClick(&lane, Qt::Key_Right);
        QTest::keyClick(&lane, Qt::Key_Right);
        QTest::keyClick(&lane, Qt::Key_Return);
        QCOMPARE(forks.takeFirst()[1].value<engine::Candidate>().bytes, std::string(" b"));
        // Not beyond those that have room.
        for (int i = 0; i < 9; ++i) QTest::keyClick(&lane, Qt::Key_Right);
        QTest::keyClick(&lane, Qt::Key_Return);
        const std::string last = forks.takeFirst()[1].value<engine::Candidate>().bytes;
        QVERIFY(last > " b" && last < " f");
        lane.setForkable(false);  // a run is in work
        QTest::keyClick(&lane, Qt::Key_Right);
        QTest::keyClick(&lane, Qt::Key_Return);
        QCOMPARE(forks.count(), 0);
    }

    void draggingScrubs() {
        ui::StepLane lane;
        fill(lane, 40);
        show(lane, {700, 140});
        lane.setSelected(53);
        lane.scrollToEnd();
        QSignalSpy steps(&lane, &ui::StepLane::stepClicked);
        QSignalSpy prompt(&lane, &ui::StepLane::prefillClicked);
        QSignalSpy forks(&lane, &ui::StepLane::alternativeClicked);
        QWidget* canvas = lane.viewport();
        const QPoint from = lane.stepRect(38).center();
        const auto move = [&](QPoint to) {
            QMouseEvent event(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton,
                              Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(canvas, &event);
        };
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QCOMPARE(steps.count(), 1);
        move(from - QPoint(2 * ui::step_lane::pitch, 0));
        QCOMPARE(steps.count(), 2);
        QCOMPARE(steps.last()[0].toInt(), 36);
        move(from - QPoint(2 * ui::step_lane::pitch + 1, 0));
        QCOMPARE(steps.count(), 2);  // the same step
        for (int i = 0; i < 60; ++i) move({ui::step_lane::leftColumn - 30, from.y()});
        QCOMPARE(prompt.count(), 1);
        QCOMPARE(lane.horizontalScrollBar()->value(), 0);
        for (int i = 0; i < 80; ++i) move({canvas->width() + 40, from.y()});
        QCOMPARE(steps.last()[0].toInt(), 39);
        // Let go over an alternative: no fork was asked for.
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, lane.alternativeRect(38, 0).center());
        QCOMPARE(forks.count(), 0);
        const int before = static_cast<int>(steps.count());
        move(from);
        QCOMPARE(steps.count(), before);
    }

    void barsAreReachedByKeys() {
        ui::ContributionBars bars;
        bars.setTable(frame::contributions(40, 20), 2, QStringLiteral("t"), {});
        bars.setFocusedHead({engine::Layer{3}, engine::QueryHead{2}});
        show(bars, {326, 420});
        connect(&bars, &ui::ContributionBars::headActivated, &bars,
                &ui::ContributionBars::setFocusedHead);
        QSignalSpy heads(&bars, &ui::ContributionBars::headActivated);
        QSignalSpy layers(&bars, &ui::ContributionBars::layerActivated);
        QVERIFY(!takes(bars.headsPlot(), Qt::Key_Space) && !takes(bars.headsPlot(), Qt::Key_Left));
        QVERIFY(takes(bars.headsPlot(), Qt::Key_Down) && takes(bars.headsPlot(), Qt::Key_Return));
        bars.headsPlot()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(bars.headsPlot(), Qt::Key_Down);
        QVERIFY(bars.headsPlot()->accessibleDescription().startsWith(QStringLiteral("L3.H3 ")));
        QTest::keyClick(bars.headsPlot(), Qt::Key_Return);
        QCOMPARE(heads.takeFirst()[0].value<LayerHead>(),
                 (LayerHead{engine::Layer{3}, engine::QueryHead{3}}));
        QTest::keyClick(bars.headsPlot(), Qt::Key_End);
        QTest::keyClick(bars.headsPlot(), Qt::Key_Return);
        QCOMPARE(heads.takeFirst()[0].value<LayerHead>(),
                 (LayerHead{engine::Layer{3}, engine::QueryHead{19}}));
        bars.layersPlot()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(bars.layersPlot(), Qt::Key_Up);
        QTest::keyClick(bars.layersPlot(), Qt::Key_Return);
        QCOMPARE(layers.takeFirst()[0].value<engine::Layer>(), engine::Layer{2});
        QTest::keyClick(bars.layersPlot(), Qt::Key_Home);
        QVERIFY(bars.layersPlot()->accessibleDescription().startsWith(QStringLiteral("embedding")));
        QTest::keyClick(bars.layersPlot(), Qt::Key_Return);  // of no layer
        QCOMPARE(layers.count(), 0);
        // The row of the keys is scrolled into sight, and the focus is a frame.
        QTest::keyClick(bars.layersPlot(), Qt::Key_End);
        QVERIFY(bars.layersPlot()->visibleRegion().boundingRect().bottom() >=
                bars.layersPlot()->height() - 6);
        const QImage image = bars.grab().toImage();
        const QWidget* area = bars.layersPlot()->parentWidget()->parentWidget();
        QCOMPARE(image.pixelColor(area->mapTo(&bars, QPoint(1, area->height() / 2))),
                 ui::theme().accent);
        bars.layersPlot()->clearFocus();
        QVERIFY(bars.grab().toImage().pixelColor(
                    area->mapTo(&bars, QPoint(1, area->height() / 2))) != ui::theme().accent);
    }

    void placesAreRead_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("read");  // "layer head row step", or what the sentence says
        const auto row = [](const char* typed, const char* read) {
            QTest::addRow("%s", typed) << QString::fromUtf8(typed) << QString::fromUtf8(read);
        };
        // 30 layers, 9 heads, 20 rows of which 4 are steps.
        row("L12.H7@t=13", "12 7 13 -");
        row(" l12h7 @ t = 13 ", "12 7 13 -");
        row("L0.H0", "0 0 - -");
        row("L29", "29 - - -");
        row("H8", "- 8 - -");
        row("t=19", "- - 19 -");
        row("3", "- - 19 3");
        row("0", "- - 16 0");
        row("L1.H2@3", "1 2 19 3");
        row("L030", "L030 is not there: L0 to L29 are.");
        row("L5.H9", "H9 is not there: H0 to H8 are.");
        row("t=20", "Row 20 is not there: 0 to 19 are.");
        row("4", "Step 4 is not there: 0 to 3 are.");
        row("99999999999999999999999999", "Step 999999999999 is not there: 0 to 3 are.");
        row("L99999999999999999999", "L999999999999 is not there: L0 to L29 are.");
        for (const char* no : {"@", "L", "x", "L1.", ".H2", "L1.H2@", "@t=3", "L1.H2 3", "L1 2",
                               "-1", "t=-1", "1.5", "L1.H2@t=", "t=", "L1.H2.H3", "<b>L1</b>"})
            row(no, "is no place");
        row("", "A head L12.H7");
    }
    void placesAreRead() {
        QFETCH(QString, typed);
        QFETCH(QString, read);
        const ui::PlaceAnswer answer = ui::readPlace(typed, {30, 9, 20, 16, 4});
        if (!answer.place) {
            QVERIFY2(answer.problem.contains(read), qPrintable(answer.problem));
            return;
        }
        const auto number = [](auto value) {
            return value ? QString::number(*value) : QStringLiteral("-");
        };
        const ui::Place& at = *answer.place;
        QCOMPARE(QStringList({number(at.layer), number(at.head), number(at.row), number(at.step)})
                     .join(u' '),
                 read);
    }

    void whatIsNotThereYetIsSaid() {
        QVERIFY(ui::readPlace(QStringLiteral("2"), {30, 9, 16, 16, 0})
                    .problem.startsWith(QStringLiteral("No step is generated yet.")));
        QCOMPARE(ui::readPlace(QStringLiteral("L1"), {30, 9, 0, 16, 0}).problem,
                 QStringLiteral("No row is computed yet."));
        QCOMPARE(ui::placeText({engine::Layer{12}, engine::QueryHead{7}}, engine::Position{34}),
                 QStringLiteral("L12.H7@t=34"));
    }

    void goToLineSaysWhatItUnderstands() {
        QWidget page;
        page.setFocusPolicy(Qt::StrongFocus);
        ui::GoToLine line(&page);
        show(page, {400, 300});
        page.setFocus();
        QSignalSpy chosen(&line, &ui::GoToLine::chosen);
        line.open([](const QString& typed) -> ui::GoToLine::Answer {
            return {typed == QStringLiteral("ab"), QStringLiteral("<b>") + typed};
        });
        QVERIFY(line.isVisible() && line.edit().hasFocus());
        QVERIFY(page.rect().contains(line.geometry()));
        QTest::keyClicks(&line.edit(), QStringLiteral("a"));
        QCOMPARE(line.answerText(), QStringLiteral("<b>a"));
        QTest::keyClick(&line.edit(), Qt::Key_Return);
        QVERIFY(line.isVisible());
        QCOMPARE(chosen.count(), 0);
        QTest::keyClicks(&line.edit(), QStringLiteral("b"));
        QTest::keyClick(&line.edit(), Qt::Key_Return);
        QCOMPARE(chosen.takeFirst()[0].toString(), QStringLiteral("ab"));
        QVERIFY(!line.isVisible() && page.hasFocus());
        line.open([](const QString&) -> ui::GoToLine::Answer { return {}; });
        QTest::keyClick(&line.edit(), Qt::Key_Escape);
        QVERIFY(!line.isVisible() && page.hasFocus());
        QCOMPARE(chosen.count(), 0);
    }
};

QTEST_MAIN(FrameKeys)
#include "frame_keys.moc"
