// SPDX-License-Identifier: GPL-3.0-or-later
// The map under a real mouse and keyboard.
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_shown.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/read_out.h"
#include "ui/steps/token_ticker.h"

using namespace ui;

class MapHeatmapTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    // dest 0 on top, src 0 at the left.
    void hotCellIsWhereItBelongs() {
        Shown shown(4, hot32);
        QVERIFY(shown.at(0, 0).y() < shown.at(3, 0).y() && shown.at(0, 0).x() < shown.at(0, 3).x());
        const QImage picture = shown.map.grab().toImage();
        const QRgb hottest = sequentialTable(Scheme::Light)[255];
        QCOMPARE(picture.pixel(shown.at(3, 2)), hottest);
        QVERIFY(picture.pixel(shown.at(2, 1)) != hottest);
        QCOMPARE(picture.pixel(shown.at(0, 3)), theme().maskedMap.rgb());
    }

    void hoverOutsideShowsNothing_data() {
        QTest::addColumn<double>("dest");
        QTest::addColumn<double>("src");
        QTest::addColumn<bool>("inside");
        for (const double edge : {-0.6, 3.51}) {
            QTest::addRow("dest %g", edge) << edge << 2.0 << false;
            QTest::addRow("src %g", edge) << 3.0 << edge << false;
        }
        QTest::addRow("dest 3.49") << 3.49 << 2.0 << true;
        QTest::addRow("dest 2.6") << 2.6 << 2.0 << true;
        QTest::addRow("src -0.4") << 3.0 << -0.4 << true;
        QTest::addRow("src 3.49") << 3.0 << 3.49 << true;
        QTest::addRow("both -0.4") << -0.4 << -0.4 << true;
    }
    void hoverOutsideShowsNothing() {
        QFETCH(double, dest);
        QFETCH(double, src);
        QFETCH(bool, inside);
        Shown shown(4, hot32);
        for (int round = 0; round < 2; ++round) {
            shown.hover(dest, src);
            QCOMPARE(shown.hovered.size(), inside ? 1U : 0U);
            QCOMPARE(shown.readOut()->isVisible(), inside);
            if (inside) {
                const std::pair<std::int64_t, std::int64_t> want(std::lround(dest),
                                                                 std::lround(src));
                QCOMPARE(shown.hovered.front(), want);
                const double value =
                    want == std::pair<std::int64_t, std::int64_t>(3, 2) ? 0.875 : 0.125;
                QCOMPARE(shown.readOut()->content().drawn.value(), value);
            }
            shown.wheel(shown.map.mapRect().center(),
                        1);  // in and out again: four cells are the least
            shown.wheel(shown.map.mapRect().center(), -1);
        }
    }

    // The dest axis runs down, against what a plot does by itself: each cell is drawn, named and
    // found at the same place, whatever is in view.
    void axesRunAsTheCells_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("notches");
        QTest::addRow("4 cells") << 4 << 0;
        QTest::addRow("60 cells") << 60 << 0;
        QTest::addRow("60 cells, zoomed") << 60 << 5;
        QTest::addRow("pooled") << 2000 << 0;
        QTest::addRow("pooled less") << 2000 << 3;
    }
    void axesRunAsTheCells() {
        QFETCH(int, tokens);
        QFETCH(int, notches);
        Shown shown(tokens, hot32);
        shown.wheel(shown.map.mapRect().center(), notches);
        const MapGeometry& geometry = shown.map.geometry();
        const MapView view = geometry.view();
        QVERIFY(notches == 0 ? geometry.isWhole() : !geometry.isWhole());
        QVERIFY(shown.map.yAxis->rangeReversed() && !shown.map.xAxis->rangeReversed());
        const double ratio = shown.map.devicePixelRatioF();
        for (std::int64_t i = 0; i < view.count; i += std::max<std::int64_t>(1, view.count / 9)) {
            const std::int64_t src = view.src + i, dest = view.dest + view.count - 1 - i;
            const QPointF at(shown.map.xAxis->coordToPixel(static_cast<double>(src)),
                             shown.map.yAxis->coordToPixel(static_cast<double>(dest)));
            const QPointF inMap = (at - shown.map.mapRect().topLeft()) * ratio;
            const QRectF cell = geometry.rectOf({dest, src});
            QVERIFY2(cell.adjusted(-1, -1, 1, 1).contains(inMap),
                     qPrintable(QStringLiteral("dest %1, src %2").arg(dest).arg(src)));
        }
    }

    void hoverIsExactAfterZoom() {
        const CellValue value = [](std::int64_t d, std::int64_t s) {
            return static_cast<float>(d * 100 + s) / 10000;
        };
        Shown shown(60, value);
        const QPoint cursor = shown.at(40, 20);
        for (int i = 0; i < 6; ++i) {
            shown.wheel(cursor, 1);
            const MapView view = shown.map.geometry().view();
            QCOMPARE(shown.dest.begin, view.dest);
            for (std::int64_t d = view.dest; d < view.dest + view.count; d += 3) {
                const std::int64_t s = std::min(d, view.src + view.count - 1);
                if (s < view.src) continue;
                shown.hover(static_cast<double>(d), static_cast<double>(s));
                QCOMPARE(shown.hovered.size(), 1U);
                QCOMPARE(shown.hovered.front(), (std::pair<std::int64_t, std::int64_t>(d, s)));
                QCOMPARE(static_cast<float>(shown.readOut()->content().drawn.value()), value(d, s));
            }
        }
        QVERIFY(shown.map.geometry().view().count < 20);
        // The cell under the cursor stayed near it.
        QVERIFY(std::abs(shown.map.yAxis->pixelToCoord(cursor.y()) - 40) < 2);
        QTest::keyClick(&shown.map, Qt::Key_0);
        QVERIFY(shown.map.geometry().isWhole());
    }

    void maskedAndUncomputedSaySo() {
        Shown shown(6, hot32, 9, 4);
        QCOMPARE(shown.dest.end, 9);
        shown.hover(1, 3);
        QVERIFY(shown.hovered.empty());
        QCOMPARE(shown.readOut()->fields().front().name, QStringLiteral("masked"));
        shown.hover(5, 1);
        QCOMPARE(shown.readOut()->fields().front().name, QStringLiteral("not computed yet"));
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(5, 1));
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(1, 3));
        QVERIFY(shown.clicked.empty());
        QVERIFY(shown.map.notComputedRect().contains(shown.at(5, 1)));
        QVERIFY(!shown.map.notComputedRect().contains(shown.at(3, 1)));
    }

    // No outline of a row or column that is not there yet.
    void nothingIsMarkedBeforeThereAreRows() {
        Shown shown(6, hot32, 9, 0);
        shown.map.clearSelection();
        const QImage before = shown.map.grab(shown.map.mapRect()).toImage();
        shown.hover(4, 2);
        shown.readOut()->hide();
        QCOMPARE(shown.map.grab(shown.map.mapRect()).toImage(), before);
    }

    // What a window hides differs from what is masked, in look and in words.
    void outsideTheWindowSaysSo() {
        Shown shown(12, hot32);
        engine::AttentionRule rule;
        rule.window = 4;
        shown.map.setRule(rule);
        const auto field = [&](double dest, double src) {
            shown.hover(dest, src);
            return shown.readOut()->fields().front();
        };
        QCOMPARE(field(9, 5).name, QStringLiteral("outside window"));
        QCOMPARE(field(9, 5).value, QStringLiteral("4 keys"));
        QVERIFY(shown.hovered.empty());
        QCOMPARE(field(9, 10).name, QStringLiteral("masked"));
        QCOMPARE(field(9, 6).name, QStringLiteral("p"));
        QVERIFY(shown.map.legend().hasWindow);
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(9, 5));
        QVERIFY(shown.clicked.empty());
        // The axis stays absolute: the last row's sources are 8 to 11 of 12.
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(11, 8));
        QCOMPARE(shown.clicked.back(), (std::pair<std::int64_t, std::int64_t>(11, 8)));
    }

    void clickLocksAndShiftArrowsMove() {
        Shown shown(8, hot32);
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(5, 2));
        QCOMPARE(shown.clicked.back(), (std::pair<std::int64_t, std::int64_t>(5, 2)));
        shown.map.setSelection(selectionOf(5, 2, true));
        QTest::keyClick(&shown.map, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(shown.clicked.back(), (std::pair<std::int64_t, std::int64_t>(6, 2)));
        QTest::keyClick(&shown.map, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(shown.clicked.back(), (std::pair<std::int64_t, std::int64_t>(5, 1)));
        QTest::keyClick(&shown.map, Qt::Key_Right, Qt::ShiftModifier | Qt::ControlModifier);
        QCOMPARE(shown.clicked.back(),
                 (std::pair<std::int64_t, std::int64_t>(5, 5)));  // no further than the diagonal
    }

    void hoverNeverMovesTheLock() {
        Shown shown(8, hot32);
        shown.map.setSelection(selectionOf(5, 2, true));
        engine::Cell cell = cellAt(5, 2, 0.125F);
        cell.rank = 2;
        cell.row_cells = 6;
        shown.map.setCell(cell);
        QVERIFY(shown.readOut()->isVisible());
        QCOMPARE(shown.readOut()->fields().size(), 5U);
        QCOMPARE(shown.readOut()->fields()[1].value, QStringLiteral("2 of 6"));
        shown.hover(3, 1);
        QCOMPARE(shown.readOut()->content().dest, 3);
        QTest::mouseMove(&shown.map, QPoint(1, 1));
        QCOMPARE(shown.readOut()->content().dest, 5);
        QCOMPARE(shown.map.scene().selected->dest, 5);
        cell.at.head = engine::QueryHead{0};  // an answer for another head is dropped
        cell.pattern = 0.5F;
        shown.map.setCell(cell);
        QCOMPARE(shown.readOut()->fields()[0].value, QStringLiteral("0.125000"));
    }

    // The sink's share and the cap belong to models that have them.
    void readOutTellsOfSinksAndCaps() {
        ReadOut box;
        ReadOutContent content;
        content.cell.emplace();
        content.cell->visible = true;
        content.cell->pattern = 0.25F;
        content.cell->score = 12.5F;
        const auto names = [&] {
            QStringList all;
            for (const ReadOut::Field& field : box.fields()) all << field.name + u'=' + field.value;
            return all.join(u'|');
        };
        box.setContent(content);
        QVERIFY(!names().contains(QStringLiteral("sink")));
        QVERIFY(names().contains(QStringLiteral("|score=12.5000|")));
        content.cell->sink = 0.5F;
        content.softCap = 50;
        box.setContent(content);
        QVERIFY2(names().contains(QStringLiteral("|the sink takes=0.500000|score, capped at 50=")),
                 qPrintable(names()));
        Shown shown(6, hot32);
        engine::AttentionRule rule;
        rule.soft_cap = 30;
        shown.map.setRule(rule);
        shown.hover(3, 1);
        QCOMPARE(shown.readOut()->content().softCap, 30.0F);
    }

    void dragPansTheZoomedMap() {
        Shown shown(100, hot32);
        for (int i = 0; i < 4; ++i) shown.wheel(shown.map.mapRect().center(), 1);
        const MapView before = shown.map.geometry().view();
        const QPoint from = shown.map.mapRect().center();
        QTest::mousePress(&shown.map, Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(from + QPoint(60, -40)),
                         shown.map.mapToGlobal(QPointF(from + QPoint(60, -40))), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&shown.map, &move);
        QTest::mouseRelease(&shown.map, Qt::LeftButton, {}, from + QPoint(60, -40));
        const MapView after = shown.map.geometry().view();
        QVERIFY(after.src < before.src && after.dest > before.dest);
        QCOMPARE(after.count, before.count);
        QVERIFY(shown.clicked.empty());
        QSignalSpy solo(&shown.map, &HeadHeatmap::soloRequested);
        QTest::mouseDClick(&shown.map, Qt::LeftButton, {}, from);
        QTest::mouseRelease(&shown.map, Qt::LeftButton, {},
                            from);  // Qt Test leaves the button down
        QVERIFY(shown.map.geometry().isWhole());
        QCOMPARE(solo.count(), 0);
        QTest::mouseDClick(&shown.map, Qt::LeftButton, {}, from);
        QTest::mouseRelease(&shown.map, Qt::LeftButton, {},
                            from);  // Qt Test leaves the button down
        QCOMPARE(solo.count(), 1);
    }

    void nothingRescalesWhileStreaming() {
        Shown shown(6, hot32, 20, 6);
        const QRect map = shown.map.mapRect();
        const engine::Axis dest = shown.dest;
        for (int i = 0; i < 14; ++i) {
            shown.map.appendToken({engine::TokenId{}, " internationalization", 0, 0, false});
            shown.map.setRowsReady(7 + i);
            QTest::qWait(1);
            QCOMPARE(shown.map.mapRect(), map);
            QCOMPARE(shown.dest, dest);
        }
    }

    void pooledPixelsAskForTheirBlock() {
        const CellValue value = [](std::int64_t d, std::int64_t s) {
            return d == 1501 && s == 1003 ? 0.75F : 0.01F;
        };
        Shown shown(2000, value);
        QVERIFY(shown.dest.cells_per_pixel > 1);
        QSignalSpy blocks(&shown.map, &HeadHeatmap::blockHovered);
        const QRectF rect = shown.map.scene().logical(shown.map.geometry().rectOf({1501, 1003}));
        QTest::mouseMove(&shown.map, rect.topLeft().toPoint());
        QVERIFY(shown.hovered.empty());
        QCOMPARE(blocks.count(), 1);
        const auto dest = blocks[0][0].value<engine::Rows>(),
                   src = blocks[0][1].value<engine::Rows>();
        QVERIFY(dest.begin <= 1501 && dest.end > 1501 && src.begin <= 1003 && src.end > 1003);
        QCOMPARE(shown.readOut()->content().drawn.value(), 0.75);
        const QString p = QString::number(shown.dest.cells_per_pixel);
        QCOMPARE(shown.readOut()->fields()[0].name, QStringLiteral("p, largest of %1 × %1").arg(p));
    }

    void oneTokenIsOneCell() {
        Shown shown(1, [](std::int64_t, std::int64_t) { return 1.0F; });
        QCOMPARE(shown.map.geometry().side(), 96);
        shown.hover(0, 0);
        QCOMPARE(shown.hovered.size(), 1U);
        QCOMPARE(shown.map.pooling(), engine::Pooling::None);
    }

    void foreignTilesAreDropped() {
        Shown shown(4, hot32);
        const engine::Tile before = *shown.map.scene().tile;
        shown.map.setTile(
            tileOf(hot32, shown.dest, shown.src, 4, {engine::Layer{9}, engine::QueryHead{0}}));
        QCOMPARE(shown.map.scene().tile->request.heads, before.request.heads);
        engine::Tile lying = before;
        lying.data = engine::make_payload(engine::DType::F32, {1, 1, 2}, std::vector<float>{1, 2});
        shown.map.setTile(lying);
        QCOMPARE(shown.map.scene().tile->data.elements(), 16);
    }

    // Literal text, one line; markup and mnemonics mean nothing, and the layout does not move.
    void tokensAreLiteral() {
        const std::vector<std::string> texts{"<b>", "<img src=x>", "\n",       "\r\n",     "&",
                                             "&&",  "%1",          "x &lt; y", "\xF0\x9F", "\t"};
        const int top = Shown(static_cast<int>(texts.size()), hot32).map.mapRect().top();
        Shown shown(static_cast<int>(texts.size()), hot32);
        shown.map.setTokens(tokensOf(texts), 10, 0);
        QTest::qWait(1);
        QCOMPARE(shown.map.mapRect().top(), top);
        const auto ticker = shown.map.yAxis->ticker().dynamicCast<TokenTicker>();
        QVERIFY(ticker);
        QStringList labels;
        for (const TokenLabel& label : ticker->labels()) {
            labels += label.token;
            QVERIFY(!label.text().contains(u'\n') && !label.text().contains(u'\r'));
        }
        QCOMPARE(labels.size(), 10);
        QCOMPARE(labels.mid(0, 2),
                 (QStringList{QStringLiteral("<b>"), QStringLiteral("<img·src=x>")}));
        QCOMPARE(labels[2], QStringLiteral("⏎"));
        QCOMPARE(labels[3], QStringLiteral("\\x0D⏎"));
        QCOMPARE(labels.mid(4, 4), (QStringList{QStringLiteral("&"), QStringLiteral("&&"),
                                                QStringLiteral("%1"), QStringLiteral("x·&lt;·y")}));
        QCOMPARE(labels[8], QStringLiteral("\\xF0\\x9F"));
        shown.hover(9, 6);
        QCOMPARE(shown.readOut()->header(), QStringLiteral("dest 9 ⇥ ← src 6 %1"));
    }

    void hostileSizes() {
        HeadHeatmap map;
        for (const QSize size : {QSize(0, 0), QSize(1, 900), QSize(320, 320), QSize(3000, 40)}) {
            map.resize(size);
            map.setSelection(selectionOf(3, 2, true));
            map.setTokens(manyTokens(5), 5, 8);
            map.setTokens({}, 0, 0);
            map.grab();
        }
        map.resize(500, 500);
        map.setSelection(selectionOf(1'000'000, -5, true));
        map.setTokens(manyTokens(5), 5, 0);
        map.setRow(engine::Position{1'000'000}, {0.5F});
        map.grab();
    }
};

QTEST_MAIN(MapHeatmapTest)
#include "map_heatmap.moc"
