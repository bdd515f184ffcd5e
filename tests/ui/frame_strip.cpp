// SPDX-License-Identifier: GPL-3.0-or-later
// What shows the run as text: token strip, steps, generated text.
#include <QApplication>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/heatmap/top_ends.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_bar.h"
#include "ui/steps/step_lane.h"
#include "ui/steps/step_lane_metrics.h"
#include "ui/strip/generated_text.h"
#include "ui/strip/token_strip.h"

using engine::Position;
using frame::show;
using ui::TokenStrip;

class FrameStrip : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { ui::loadFonts(); }

    void stripClicks_data() {
        QTest::addColumn<bool>("clicksSource");
        QTest::addColumn<int>("modifier");
        QTest::addColumn<bool>("asSource");
        QTest::newRow("plain") << false << int(Qt::NoModifier) << false;
        QTest::newRow("Ctrl") << false << int(Qt::ControlModifier) << true;
        QTest::newRow("turned") << true << int(Qt::NoModifier) << true;
        QTest::newRow("turned, Ctrl") << true << int(Qt::ControlModifier) << false;
    }

    void stripClicks() {
        QFETCH(bool, clicksSource);
        QFETCH(int, modifier);
        QFETCH(bool, asSource);
        TokenStrip strip;
        strip.setTokens(frame::tokens(frame::literal), 12);
        strip.setClicksSource(clicksSource);
        show(strip, {1200, 60});
        QSignalSpy clicked(&strip, &TokenStrip::tokenClicked);
        QTest::mouseClick(&strip, Qt::LeftButton, Qt::KeyboardModifiers(modifier),
                          strip.tokenRect(4).center());
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][0].value<Position>(), Position{4});
        QCOMPARE(clicked[0][1].toBool(), asSource);
        QCOMPARE(strip.label(Position{4}), QStringLiteral("4 x·&lt;·y"));
        QCOMPARE(strip.label(Position{7}), QStringLiteral("7 ⏎"));
    }

    // A chat's turns have a line over their tokens, and room for who speaks.
    void stripMarksTheTurnsOfAChat() {
        TokenStrip strip;
        std::vector<engine::Token> tokens =
            frame::tokens({"<|user|>", "\n", "Hi", "<|end|>", "<|assistant|>"});
        strip.setTokens(tokens, 5);
        const int plain = strip.sizeHint().height();
        QVERIFY(strip.turns().empty());
        for (const std::size_t i : {0U, 3U, 4U}) tokens[i].control = true;
        strip.setTokens(tokens, 5);
        strip.appendToken(frame::tokens({"Ho"})[0]);
        QVERIFY(strip.sizeHint().height() > plain);
        QCOMPARE(strip.turns().size(), std::size_t{2});
        QCOMPARE(strip.turns()[1].tokens, (engine::Rows{4, 6}));
        show(strip, {900, strip.sizeHint().height()});
        const QImage image = strip.grab().toImage();
        const QColor mark = ui::theme().text3;
        const auto isMarked = [&](int x) {
            for (int y = 0; y < strip.tokenRect(0).top(); ++y)
                if (image.pixelColor(x, y) == mark && image.pixelColor(x, y + 1) == mark)
                    return true;
            return false;
        };
        for (std::int64_t i = 0; i < 6; ++i) QVERIFY(isMarked(strip.tokenRect(i).center().x()));
        QVERIFY(!isMarked(strip.tokenRect(3).right() + 3));  // between the turns
        QVERIFY(isMarked(strip.tokenRect(2).right() + 2));   // within one
        QHelpEvent help(QEvent::ToolTip, strip.tokenRect(5).center(), QPoint(50, 50));
        QCoreApplication::sendEvent(&strip, &help);
        QVERIFY(QToolTip::text().contains(QStringLiteral("turn of assistant")));
    }

    // A control token has a ground of its own; the last sampled one has no row yet and says so.
    void stripMarksWhatATokenIs_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("control");
        QTest::addColumn<bool>("noRow");
        QTest::newRow("control") << 0 << true << false;
        QTest::newRow("typed like one") << 1 << false << false;
        QTest::newRow("generated") << 2 << false << false;
        QTest::newRow("sampled last") << 3 << false << true;
    }
    void stripMarksWhatATokenIs() {
        QFETCH(int, index);
        QFETCH(bool, control);
        QFETCH(bool, noRow);
        auto tokens = frame::tokens({"<|im_start|>", "<|im_start|>", " a", " b"});
        tokens[0].control = true;
        TokenStrip strip;
        strip.setTokens(tokens, 2);
        strip.setRows(3);
        show(strip, {900, 80});
        const QRect box = strip.tokenRect(index);
        QHelpEvent help(QEvent::ToolTip, box.center(), strip.mapToGlobal(box.center()));
        QApplication::sendEvent(&strip, &help);
        QCOMPARE(QToolTip::text().contains(QStringLiteral("control token")), control);
        QCOMPARE(QToolTip::text().contains(QStringLiteral("no row yet")), noRow);
        QToolTip::hideText();
        const QImage image = strip.grab().toImage();
        const auto colour = [&](QPoint at) {
            return image.pixelColor(at * strip.devicePixelRatioF());
        };
        QCOMPARE(colour(box.topLeft() + QPoint(2, 2)),
                 control ? ui::theme().title : ui::theme().base);
        bool dashed = false;
        for (int x = box.left() + 1; x < box.right(); ++x)
            dashed = dashed || colour({x, box.top()}) != colour(box.topLeft());
        QCOMPARE(dashed, noRow);
        strip.setRows(4);  // its own row is there
        QApplication::sendEvent(&strip, &help);
        QVERIFY(!QToolTip::text().contains(QStringLiteral("no row yet")));
        QToolTip::hideText();
    }

    void stripOnlyLaysOutWhatIsInView() {
        TokenStrip strip;
        strip.setTokens(frame::manyTokens(100'000), 100'000);
        show(strip, {900, 80});
        QVERIFY(strip.hasTrack());
        QElapsedTimer timer;
        timer.start();
        strip.setSelection(Position{99'999}, Position{50'000});
        QVERIFY(strip.tokenRect(99'999).isValid());
        QVERIFY(!strip.tokenRect(50'000).isValid());
        strip.repaint();
        QVERIFY2(timer.elapsed() < 200, qPrintable(QString::number(timer.elapsed())));
        // The last token ends at the row's right side: nothing empty behind it.
        QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(strip.trackRect().center()));
        QVERIFY2(std::abs(strip.firstInView() - 50'000) < 200,
                 qPrintable(QString::number(strip.firstInView())));
        const auto before = strip.firstInView();
        QWheelEvent wheel(QPointF(300, 20), strip.mapToGlobal(QPointF(300, 20)), {},
                          QPoint(0, -1200), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&strip, &wheel);
        QVERIFY(strip.firstInView() > before);
        // Dragged past the end the span goes on, and the strip with it.
        const auto from = strip.tokenAt(QPoint(400, 20)), first = strip.firstInView();
        QTest::mousePress(&strip, Qt::LeftButton, {}, QPoint(400, 20));
        QTest::mouseMove(&strip, QPoint(strip.width() + 300, 20));
        QTest::mouseMove(&strip, QPoint(strip.width() + 301, 20));
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, QPoint(strip.width() + 301, 20));
        QVERIFY(strip.firstInView() > first);
        QCOMPARE(strip.span()->begin, from);
        QVERIFY(strip.tokenRect(strip.span()->end - 1).isValid());
        strip.repaint();
    }

    void stripSelectsSpans_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<bool>("dragged");  // else clicked, then clicked with Shift
        QTest::newRow("dragged to the right") << 3 << 6 << true;
        QTest::newRow("dragged to the left") << 6 << 3 << true;
        QTest::newRow("Shift-click to the right") << 3 << 6 << false;
        QTest::newRow("Shift-click to the left") << 6 << 3 << false;
        QTest::newRow("Shift-click on the same") << 4 << 4 << false;
    }
    void stripSelectsSpans() {
        QFETCH(int, from);
        QFETCH(int, to);
        QFETCH(bool, dragged);
        TokenStrip strip;
        strip.setTokens(frame::tokens(frame::literal), 12);
        show(strip, {1200, 60});
        QSignalSpy clicked(&strip, &TokenStrip::tokenClicked),
            changed(&strip, &TokenStrip::spanChanged);
        const QPoint begin = strip.tokenRect(from).center(), end = strip.tokenRect(to).center();
        QTest::mousePress(&strip, Qt::LeftButton, {}, begin);
        if (dragged) QTest::mouseMove(&strip, end);
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, dragged ? end : begin);
        if (!dragged) QTest::mouseClick(&strip, Qt::LeftButton, Qt::ShiftModifier, end);
        QCOMPARE(clicked.count(), dragged ? 0 : 1);  // the plain click
        const engine::Rows span{std::min(from, to), std::max(from, to) + 1};
        QCOMPARE(strip.span().value(), span);
        QCOMPARE(changed.last()[0].value<std::optional<engine::Rows>>().value(), span);
        QVERIFY(strip.spanText().contains(strip.label(Position{span.begin})));
        QVERIFY(strip.accessibleDescription().contains(strip.spanText()));
        // Drawn below the boxes, and one on from where it began.
        const QPoint under(strip.tokenRect(from).center().x(), strip.tokenRect(from).bottom() + 2);
        QCOMPARE(strip.grab().toImage().pixelColor(under * strip.devicePixelRatioF()),
                 ui::theme().text);
        QTest::mouseClick(&strip, Qt::LeftButton, Qt::ShiftModifier, strip.tokenRect(8).center());
        QCOMPARE(strip.span().value(), (engine::Rows{from, 9}));
        strip.setSpan({});
        QVERIFY(!changed.last()[0].value<std::optional<engine::Rows>>().has_value());
        QVERIFY(strip.grab().toImage().pixelColor(under * strip.devicePixelRatioF()) !=
                ui::theme().text);
    }

    void keysSelectSpans_data() {
        QTest::addColumn<QString>("keys");  // < > Shift+arrows, { } by ten, H E Shift+Home, End
        QTest::addColumn<int>("begin");
        QTest::addColumn<int>("end");
        QTest::newRow("on to the right") << QStringLiteral(">>") << 5 << 8;
        QTest::newRow("on to the left") << QStringLiteral("<<") << 3 << 6;
        QTest::newRow("there and back") << QStringLiteral("><") << 5 << 6;
        QTest::newRow("past where it began") << QStringLiteral("><<") << 4 << 6;
        QTest::newRow("by ten, to the first") << QStringLiteral("{") << 0 << 6;
        QTest::newRow("to the last") << QStringLiteral("E") << 5 << 12;
        QTest::newRow("no further") << QStringLiteral("E>}") << 5 << 12;
        QTest::newRow("to the first and one back") << QStringLiteral("H>") << 1 << 6;
    }
    void keysSelectSpans() {
        QFETCH(QString, keys);
        QFETCH(int, begin);
        QFETCH(int, end);
        TokenStrip strip;
        auto tokens = frame::tokens(frame::literal);
        tokens.resize(12);
        strip.setTokens(tokens, 12);
        strip.setRows(12);
        strip.setSelection(Position{5}, Position{2});
        show(strip, {300, 80});
        strip.setFocus();
        QSignalSpy clicked(&strip, &TokenStrip::tokenClicked);
        for (const QChar key : keys) {
            const bool ten = key == u'{' || key == u'}';
            QTest::keyClick(&strip,
                            key == u'<' || key == u'{'   ? Qt::Key_Left
                            : key == u'>' || key == u'}' ? Qt::Key_Right
                            : key == u'H'                ? Qt::Key_Home
                                                         : Qt::Key_End,
                            ten ? Qt::ShiftModifier | Qt::ControlModifier : Qt::ShiftModifier);
        }
        QCOMPARE(strip.span().value(), (engine::Rows{begin, end}));
        QVERIFY(strip.accessibleDescription().contains(strip.spanText()));
        QCOMPARE(clicked.count(), 0);
        // The end that moved is in view.
        const bool right = keys.endsWith(u'>') || keys.endsWith(u'}') || keys.endsWith(u'E');
        QVERIFY(!strip.tokenRect(keys == QStringLiteral("H>") ? begin
                                 : right                      ? end - 1
                                                              : begin)
                     .isEmpty());
        // A span by the mouse goes on by the keys, from the end on their side.
        strip.setSpan(engine::Rows{6, 8});
        QTest::keyClick(&strip, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(strip.span().value(), (engine::Rows{6, 9}));
        strip.setSpan(engine::Rows{6, 8});
        QTest::keyClick(&strip, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(strip.span().value(), (engine::Rows{5, 8}));
        // Plain arrows are the window's.
        QTest::keyClick(&strip, Qt::Key_Right);
        QCOMPARE(strip.span().value(), (engine::Rows{5, 8}));
    }

    void spansEndWithTheirTokens() {
        TokenStrip strip;
        strip.setTokens(frame::tokens(frame::literal), 12);
        strip.setSpan(engine::Rows{-3, 99});
        QCOMPARE(strip.span().value(), (engine::Rows{0, std::ssize(strip.tokens())}));
        strip.setSpan(engine::Rows{5, 5});
        QVERIFY(!strip.span());
        strip.setSpan(engine::Rows{2, 4});
        QSignalSpy changed(&strip, &TokenStrip::spanChanged);
        auto fork = frame::tokens(frame::literal);
        fork[4].id = engine::TokenId{99'999};
        strip.setTokens(fork, 4);  // the same up to the span's end
        QCOMPARE(strip.span().value(), (engine::Rows{2, 4}));
        QCOMPARE(changed.count(), 1);  // of another run
        fork[3].id = engine::TokenId{99'999};
        strip.setTokens(fork, 4);
        QVERIFY(!strip.span());
        QCOMPARE(changed.count(), 2);
        strip.setSpan(engine::Rows{2, 4});
        strip.setTokens(frame::manyTokens(3), 3);
        QVERIFY(!strip.span());
        QCOMPARE(changed.count(), 4);
    }

    // The program's suggestion of a src must not take the selected dest out of sight.
    void stripStaysAtItsDest() {
        TokenStrip strip;
        strip.setTokens(frame::manyTokens(300), 300);
        show(strip, {700, 80});
        strip.setSelection(Position{250}, Position{250}, false);
        strip.setSelection(Position{250}, Position{3}, false);
        QVERIFY(strip.tokenRect(250).isValid());
        strip.setSelection(Position{251}, Position{3}, false);
        QVERIFY(strip.tokenRect(251).isValid());
        strip.setSelection(Position{251}, Position{4}, true);  // chosen by hand
        QVERIFY(strip.tokenRect(4).isValid());
    }

    void generatedTextIsText_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<QString>("shown");
        QTest::addRow("words") << std::string(" Mary, and") << QStringLiteral(" Mary, and");
        QTest::addRow("markup") << std::string("<b>x</b>&amp;") << QStringLiteral("<b>x</b>&amp;");
        QTest::addRow("lines") << std::string("a\n\tb") << QStringLiteral("a\n\tb");
        QTest::addRow("controls") << std::string("\x1B[0m\r") << QStringLiteral("\\x1B[0m\\x0D");
        QTest::addRow("override") << std::string("\xE2\x80\xAE") << QStringLiteral("U+202E");
        QTest::addRow("family") << std::string("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7")
                                << QStringLiteral("👩\u200D👧");
        QTest::addRow("right to left") << std::string("שלום") << QStringLiteral("שלום");
    }

    void generatedTextIsText() {
        QFETCH(std::string, bytes);
        QFETCH(QString, shown);
        ui::StepBar bar;
        bar.startRun(3);
        bar.appendStep(frame::step(3, bytes));
        bar.setRunning(true);
        bar.appendText(bytes, "\xEF\xBF\xBD");  // half a character is held back while it runs
        QTRY_COMPARE(bar.text().shown(), shown);
        bar.setRunning(false);
        QCOMPARE(bar.text().shown(), shown + QChar(QChar::ReplacementCharacter));
        QCOMPARE(bar.text().text(), bytes);
        bar.startRun(2);
        QVERIFY(bar.text().shown().isEmpty());
    }

    void longGeneratedTextIsLaidOutByItsEnd() {
        ui::StepBar bar;
        bar.startRun(3);
        bar.setRunning(true);
        show(bar, {700, 190});
        for (int i = 0; i < 8000; ++i) bar.appendText(" word" + std::to_string(i), {});
        QTRY_VERIFY(bar.text().shown().endsWith(QStringLiteral("word7999")));
        QVERIFY(bar.text().shown().size() < 2000);
        bar.setRunning(false);
        QVERIFY(bar.text().shown().startsWith(QStringLiteral(" word0 word1 ")));
    }

    void stripFillsHalves() {
        TokenStrip strip;
        strip.setTokens(frame::tokens({" a", " b", " c"}), 3);
        strip.setRows(3);
        show(strip, {700, 60});
        strip.setRow({0.0F, 1.0F, 0.0F});
        strip.setColumn({0.0F, 0.0F, 1.0F});
        const QImage image = strip.grab().toImage();
        const auto pixel = [&](int token, bool upper) {
            const QRect box = strip.tokenRect(token);
            return image.pixelColor(box.left() + 3, upper ? box.top() + 3 : box.bottom() - 3);
        };
        QCOMPARE(pixel(0, true), ui::theme().base);
        QCOMPARE(pixel(1, false), ui::theme().base);
        QVERIFY(pixel(1, true).red() > pixel(1, true).blue() + 60);      // dest is orange
        QVERIFY(pixel(2, false).blue() > pixel(2, false).green() + 60);  // src is violet
    }

    void strongestEnds() {
        QVERIFY(ui::largestOf({}, 5).empty());
        const auto top = ui::largestOf({0.1F, 0.5F, 0.0F, 0.5F, 0.2F}, 3);
        QCOMPARE(top.size(), std::size_t(3));
        QCOMPARE(top[0].first, 1);
        QCOMPARE(top[1].first, 3);
        QCOMPARE(top[2].first, 4);
        QCOMPARE(ui::largestOf({0.1F, 0.0F}, 5).size(), std::size_t(1));

        ui::TopEnds ends;
        ends.setRow(QStringLiteral("4 <b>"), {{Position{1}, QStringLiteral("1 ·a"), 0.5F},
                                              {Position{0}, QStringLiteral("0 &"), 2e-6F}});
        ends.setColumn(QStringLiteral("1 ·a"), {{Position{4}, QStringLiteral("4 <b>"), 0.5F}});
        show(ends, {200, 240});
        QSignalSpy source(&ends, &ui::TopEnds::sourceChosen), dest(&ends, &ui::TopEnds::destChosen);
        QTest::mouseClick(&ends, Qt::LeftButton, {}, ends.lineRect(true, 1).center());
        QCOMPARE(source.takeFirst()[0].value<Position>(), Position{0});
        QTest::mouseClick(&ends, Qt::LeftButton, {}, ends.lineRect(false, 0).center());
        QCOMPARE(dest.takeFirst()[0].value<Position>(), Position{4});
        QTest::mouseClick(&ends, Qt::LeftButton, {}, ends.lineRect(false, 3).center());
        QCOMPARE(dest.count() + source.count(), 0);
        QCOMPARE(ends.accessibleDescription(),
                 QStringLiteral("p: 4 <b> attends to, 1 ·a 0.500, 0 & 2.0e-6, p: attends to 1 ·a, "
                                "4 <b> 0.500"));
        // Both headers name the quantity, at the right, above the numbers.
        const QImage picture = ends.grab().toImage();
        for (const bool ofRow : {true, false}) {
            const QRect line = ends.lineRect(ofRow, 0);
            const QRect corner(line.right() - 12, line.top() - 18, 12, 16);
            QCOMPARE(picture.copy(corner) == QImage(picture.copy(QRect(corner).translated(-30, 0))),
                     false);
        }
        ends.clear();
        QVERIFY(ends.accessibleDescription().isEmpty());
    }

    void stripHovers() {
        TokenStrip strip;
        strip.setTokens(frame::tokens({" a", " b"}), 2);
        show(strip, {700, 60});
        QSignalSpy hovered(&strip, &TokenStrip::tokenHovered);
        QTest::mouseMove(&strip, strip.tokenRect(1).center());
        QTRY_VERIFY(hovered.count() > 0);
        QVERIFY(!hovered.last()[0].value<std::optional<Position>>());  // it has no row yet
        strip.setRows(2);
        QTest::mouseMove(&strip, strip.tokenRect(0).center());
        QTRY_COMPARE(hovered.last()[0].value<std::optional<Position>>(),
                     std::optional(Position{0}));
        QVERIFY(!hovered.last()[1].toBool());
        strip.setRow({0.9F, 0.1F});
        strip.setPreview(Position{1}, false, {0.5F, 0.5F});  // another token's
        QVERIFY(strip.preview().empty());
        strip.setPreview(Position{0}, false, {1.0F});
        QCOMPARE(strip.preview(), std::vector<float>{1.0F});
        strip.setClicksSource(true);
        QTest::mouseMove(&strip, strip.tokenRect(1).center());
        QTRY_COMPARE(hovered.last()[0].value<std::optional<Position>>(),
                     std::optional(Position{1}));
        QVERIFY(hovered.last()[1].toBool() && strip.preview().empty());
    }

    void stepsSelectTheirRow() {
        ui::StepBar bar;
        bar.startRun(14);
        bar.setPrefill(14);
        bar.setCandidates(frame::candidates(frame::literal));
        show(bar, {700, 140});
        QSignalSpy selected(&bar, &ui::StepBar::stepSelected);
        QTest::mouseClick(bar.canvas(), Qt::LeftButton, {}, bar.prefillRect().center());
        QCOMPARE(selected.takeFirst()[0].value<Position>(), Position{13});
        QVERIFY(!bar.followNewest());
        bar.setFollowNewest(true);
        for (int i = 0; i < 40; ++i) bar.appendStep(frame::step(14 + i, frame::literal[i % 12]));
        QCOMPARE(bar.steps().size(), std::size_t(40));
        // It follows the newest; an earlier one is a scroll and a click away.
        QVERIFY(bar.rect().contains(bar.stepRect(39)));
        QTest::mouseClick(bar.canvas(), Qt::LeftButton, {}, bar.stepRect(38).center());
        QCOMPARE(selected.takeFirst()[0].value<Position>(), Position{52});
        QVERIFY(!bar.followNewest());
        bar.setSelected(Position{14});
        QVERIFY(bar.rect().contains(bar.stepRect(0)));
        QTest::mouseClick(bar.canvas(), Qt::LeftButton, {}, bar.stepRect(0).center());
        QCOMPARE(selected.takeFirst()[0].value<Position>(), Position{14});
        bar.grab();
    }

    // Step 113 whose first digit is scrolled away would read as step 13.
    void stepNumbersAreWholeOrNotThere() {
        ui::StepLane lane;
        lane.setFocusPolicy(Qt::NoFocus);  // no frame around it
        lane.startRun(14);
        for (int i = 0; i < 130; ++i) lane.appendStep(frame::step(14 + i, " w"));
        show(lane, {700, 140});
        const QFontMetrics font(ui::monoFont(10, true));
        QScrollBar* bar = lane.horizontalScrollBar();
        int cut = 0, whole = 0;
        for (int value = bar->maximum() - 80; value <= bar->maximum(); ++value) {
            bar->setValue(value);
            for (int i = 100; i < 130; ++i) {
                const QRect number = lane.headerRect(i);
                cut += number.isNull();
                if (number.isNull()) continue;
                ++whole;
                QVERIFY(number.width() >= font.horizontalAdvance(QString::number(i)));
                QVERIFY(number.left() >= lane.prefillRect().right() &&
                        number.right() < lane.viewport()->width());
                QVERIFY(number.left() >= lane.stepRect(i).left() &&
                        number.right() <= lane.stepRect(i).right());
            }
        }
        QVERIFY(cut > 80 && whole > 80 * 6);
        // Nothing is drawn where a number would be cut: only the ground between column and edge.
        bar->setValue(bar->maximum() - 71);
        const QImage image = lane.viewport()->grab().toImage();
        for (int i = 100; i < 130; ++i) {
            const QRect seen = lane.viewport()->rect().adjusted(ui::step_lane::leftColumn, 0, 0, 0);
            const QRect column = lane.stepRect(i) & seen;
            if (column.isEmpty() || !lane.headerRect(i).isNull()) continue;
            for (int x = column.left(); x <= column.right(); ++x)
                QCOMPARE(image.pixelColor(x, 8), ui::theme().alternate);
        }
    }
};

QTEST_MAIN(FrameStrip)
#include "frame_strip.moc"
