// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt as text: where its tokens stand, what they show, what the mouse does; and the small
// map beside a zoomed one.
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/painting/theme.h"
#include "ui/strip/text_view.h"

using namespace ui;
using engine::Position;

namespace {

// UTF-8.
QStringList list(std::initializer_list<const char*> texts) {
    QStringList all;
    for (const char* text : texts) all << QString::fromUtf8(text);
    return all;
}

// Ten pixels a character.
TextFlow flowOf(const std::vector<engine::Token>& tokens, int width) {
    TextFlow flow([](const QString& text) { return 10 * static_cast<int>(text.size()); });
    flow.setWidth(width);
    flow.setTokens(tokens);
    return flow;
}

QStringList linesOf(const TextFlow& flow) {
    QStringList lines;
    for (std::int64_t line = 0; line < flow.lines(); ++line) {
        QString text;
        for (std::size_t i = flow.begin(line); i < flow.end(line); ++i)
            text += flow.pieces()[i].text;
        lines << text;
    }
    return lines;
}

}  // namespace

class TextViewTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void lines_data() {
        QTest::addColumn<QStringList>("tokens");
        QTest::addColumn<int>("width");
        QTest::addColumn<QStringList>("lines");
        const QStringList mary = list({"When", " Ma", "ry", " and", " John"});
        QTest::newRow("one line") << mary << 500 << list({"When·Mary·and·John"});
        QTest::newRow("between words") << mary << 90 << list({"When·Mary", "·and·John"});
        QTest::newRow("a word stays whole")
            << mary << 70 << list({"When", "·Mary", "·and", "·John"});
        QTest::newRow("line feeds")
            << list({"a\n", "\n", "b", "\nc"}) << 500 << list({"a⏎", "⏎", "b⏎", "c"});
        QTest::newRow("a feed never stands alone for want of room")
            << list({"abcd", "\n", "e"}) << 40 << list({"abcd⏎", "e"});
        QTest::newRow("wider than a line")
            << list({"abcdefgh", " i"}) << 50 << list({"abcdefgh", "·i"});
        QTest::newRow("a word of many tokens")
            << list({"abc", "def", "ghi"}) << 60 << list({"abcdef", "ghi"});
        QTest::newRow("no tokens") << QStringList() << 60 << QStringList();
    }
    void lines() {
        QFETCH(QStringList, tokens);
        QFETCH(int, width);
        QFETCH(QStringList, lines);
        std::vector<std::string> texts;
        for (const QString& token : tokens) texts.push_back(token.toStdString());
        const auto all = tokensOf(texts);
        TextFlow flow = flowOf(all, width);
        QCOMPARE(linesOf(flow), lines);
        // Token by token it is the same, and so it is after another width.
        TextFlow grown = flowOf({}, width);
        for (const engine::Token& token : all) grown.append(token);
        QCOMPARE(linesOf(grown), linesOf(flow));
        grown.setWidth(1000);
        grown.setWidth(width);
        QCOMPARE(linesOf(grown), linesOf(flow));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto token = static_cast<std::int64_t>(i);
            const std::int64_t line = flow.lineOf(token);
            QVERIFY(line >= 0);
            for (std::size_t at = flow.begin(line); at < flow.end(line); ++at)
                if (flow.pieces()[at].token == token)
                    QCOMPARE(flow.tokenAt(line, flow.pieces()[at].x + 1), token);
        }
        QCOMPARE(flow.lineOf(std::ssize(all)), -1);
        QCOMPARE(flow.tokenAt(0, -1), -1);
        QCOMPARE(flow.tokenAt(99, 5), -1);
    }

    void showsBothEnds() {
        TextView view;
        view.resize(600, 300);
        view.setTokens(tokensOf({"When", " Mary", " and", " John"}), 4);
        view.setRows(4);
        view.setSelection(Position{3}, Position{1});
        view.setRow({0, 1, 0, 0});
        view.setColumn({0, 0, 1, 0});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QImage picture = view.viewport()->grab().toImage();
        const auto ground = [&](std::int64_t token, bool upper) {
            const QRect box = view.tokenRect(token);  // left of the middle, off the text
            return picture.pixelColor(box.left() + 1, upper ? box.top() + 4 : box.bottom() - 4);
        };
        QCOMPARE(ground(0, true), theme().base);
        QVERIFY(ground(2, true) != ground(2, false));  // attends to 1: its lower half
        QCOMPARE(ground(2, true), theme().base);
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("dest 3 ·John")));
    }

    void hoverPreviewsAndClickSelects() {
        TextView view;
        view.resize(600, 300);
        view.setTokens(tokensOf({"When", " Mary", " and", " John"}), 3);
        view.setRows(3);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        std::vector<std::pair<std::int64_t, bool>> wanted, clicked;
        std::optional<engine::Rows> span;
        connect(&view, &TextView::previewWanted, this, [&](const auto& at, bool asSource) {
            wanted.emplace_back(at ? engine::to_int(*at) : -1, asSource);
        });
        connect(&view, &TextView::tokenClicked, this, [&](Position at, bool asSource) {
            clicked.emplace_back(engine::to_int(at), asSource);
        });
        connect(&view, &TextView::spanRequested, this,
                [&](const std::optional<engine::Rows>& rows) { span = rows; });
        const auto at = [&](std::int64_t token) { return view.tokenRect(token).center(); };
        QTest::mouseMove(view.viewport(), at(1));
        QCOMPARE(wanted.back(), std::pair(std::int64_t{1}, false));
        view.setPreview(Position{0}, false, {1});  // another token's, too late
        view.setPreview(Position{1}, false, {0.25F, 0.75F});
        QTest::mouseMove(view.viewport(), at(3));  // no row yet: nothing to preview
        QCOMPARE(wanted.back(), std::pair(std::int64_t{-1}, false));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(2));
        QCOMPARE(clicked.back(), std::pair(std::int64_t{2}, false));
        QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::ControlModifier, at(1));
        QCOMPARE(clicked.back(), std::pair(std::int64_t{1}, true));
        view.setClicksSource(true);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(1));
        QCOMPARE(clicked.back(), std::pair(std::int64_t{1}, true));
        view.setClicksSource(false);
        const std::size_t before = clicked.size();
        QTest::mousePress(view.viewport(), Qt::LeftButton, {}, at(2));
        QMouseEvent drag(QEvent::MouseMove, QPointF(at(0)), view.viewport()->mapToGlobal(at(0)),
                         Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view.viewport(), &drag);
        QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at(0));
        QCOMPARE(span.value(), (engine::Rows{0, 3}));
        QCOMPARE(clicked.size(), before);  // a drag is no click
        view.setSpan(span);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::ShiftModifier, at(1));
        QCOMPARE(span.value(), (engine::Rows{0, 2}));
    }

    // Thousands of tokens: only what is in view is painted, and a selected token comes into it.
    void longPromptScrolls() {
        TextView view;
        view.resize(600, 400);
        QElapsedTimer clock;
        clock.start();
        view.setTokens(manyTokens(8192), 8192);
        view.setRows(8192);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        qInfo("8,192 tokens laid out and shown in %lld ms",
              static_cast<long long>(clock.elapsed()));
        view.setRow(std::vector<float>(8192, 0.1F));
        view.setSelection(Position{8000}, Position{4});
        QVERIFY(view.viewport()->rect().contains(view.tokenRect(8000)));
        QVERIFY(!view.viewport()->rect().intersects(view.tokenRect(4)));
        clock.restart();
        constexpr int frames = 50;
        for (int i = 0; i < frames; ++i) {
            view.verticalScrollBar()->setValue(i * 137);
            view.viewport()->grab();
        }
        qInfo("a frame takes %.2f ms", static_cast<double>(clock.elapsed()) / frames);
        QVERIFY(clock.elapsed() < frames * 100);  // some 3 ms on a quiet machine
        const std::int64_t top = view.tokenAt({60, 20});
        view.resize(400, 400);  // the text that was on top stays there
        QVERIFY(std::abs(view.flow().lineOf(view.tokenAt({60, 20})) - view.flow().lineOf(top)) <=
                1);
    }

    void miniMapFramesAndMoves() {
        HeadPage page;
        page.resize(1000, 800);
        HeadHeatmap& map = page.heatmap();
        map.setSelection(selectionOf(0, 0, false));
        map.setTokens(manyTokens(200), 200, 0);
        map.setRowsReady(200);
        page.miniMap().setHead(testRun, testHead, 0);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        MiniMap& mini = page.miniMap();
        QVERIFY(!mini.isVisible());  // the whole is in view
        std::optional<engine::Axis> wanted;
        connect(
            &mini, &MiniMap::viewWanted, this,
            [&](const engine::Axis& dest, const engine::Axis&, engine::Pooling) { wanted = dest; });
        map.showView({100, 40, 50});
        QVERIFY(mini.isVisible());
        QVERIFY(wanted && wanted->begin == 0 && wanted->end == 200);
        const QRect frame = mini.viewRect();
        const QRectF whole = mini.picture().scene().mapRect();
        QVERIFY(std::abs(frame.width() - whole.width() / 4) <= 2);
        QVERIFY(std::abs(frame.top() - (whole.top() + whole.height() / 2)) <= 2);
        QVERIFY(mini.accessibleDescription().contains(QStringLiteral("dest 100–149, src 40–89")));
        // Beside the frame: it comes there. In it: it is dragged.
        QTest::mouseClick(
            &mini, Qt::LeftButton, {},
            QPointF(whole.left() + whole.width() * 0.25, whole.top() + whole.height() * 0.85)
                .toPoint());
        QVERIFY(std::abs(map.geometry().view().dest - 145) <= 2);
        QVERIFY(std::abs(map.geometry().view().src - 25) <= 2);
        const MapView before = map.geometry().view();
        const QPoint grip = mini.viewRect().topLeft() + QPoint(4, 4), to = grip - QPoint(0, 20);
        QTest::mousePress(&mini, Qt::LeftButton, {}, grip);
        QCOMPARE(map.geometry().view().src, before.src);
        QMouseEvent drag(QEvent::MouseMove, QPointF(to), mini.mapToGlobal(to), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&mini, &drag);
        QTest::mouseRelease(&mini, Qt::LeftButton, {}, to);
        QVERIFY(map.geometry().view().dest < before.dest - 10);
        QVERIFY(std::abs(map.geometry().view().src - before.src) <= 1);
        const MapView dragged = map.geometry().view();
        mini.setFocus();
        QTest::keyClick(&mini, Qt::Key_Right);
        QCOMPARE(map.geometry().view().src, dragged.src + 12);
        for (int i = 0; i < 30; ++i) QTest::keyClick(&mini, Qt::Key_Down);  // no further than it is
        QCOMPARE(map.geometry().view().dest, 150);
        mini.grab();
        bool dropped = false;
        connect(&mini, &MiniMap::notWanted, this, [&] { dropped = true; });
        page.setMiniMapWanted(false);
        QVERIFY(!mini.isVisible() && dropped);
        page.setMiniMapWanted(true);
        QVERIFY(mini.isVisible());
        page.setTextShown(true);
        QVERIFY(!mini.isVisible() && page.textView().isVisible() && !map.isVisible());
        page.setTextShown(false);
        QVERIFY(mini.isVisible() && map.isVisible());
        map.showWhole();
        QVERIFY(!mini.isVisible());
    }
};

QTEST_MAIN(TextViewTest)
#include "text_view.moc"
