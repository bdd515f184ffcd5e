// SPDX-License-Identifier: GPL-3.0-or-later
// Cells below a threshold take the colour of 0 and keep their values, on screen, in figures and
// beside the colour bar, which sets it by hand.
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/figure_layout.h"
#include "ui/painting/map_image.h"

using namespace ui;

namespace {

// Rises along a row and falls from row to row; at most 0.9.
float valueOf(std::int64_t dest, std::int64_t src) {
    return 0.9F * static_cast<float>(src + 1) / static_cast<float>(dest + 1) /
           (1 + static_cast<float>(dest % 5));
}

ScaleChoice below(double threshold) {
    ScaleChoice choice;
    choice.setThreshold(engine::Quantity::Pattern, threshold);
    return choice;
}

struct Shown {
    HeadPage page;
    HeadHeatmap& map = page.heatmap();

    explicit Shown(int tokens) {
        QObject::connect(&map, &HeadHeatmap::viewWanted, &map,
                         [this, tokens](engine::Axis d, engine::Axis s, engine::Pooling) {
                             map.setTile(tileOf(valueOf, d, s, tokens));
                         });
        page.resize(900, 640);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        map.setSelection(selectionOf(0, 0, false));
        map.setTokens(manyTokens(tokens), tokens, 0);
        QTest::qWait(1);
    }
    ScaleColumn& column() { return page.scaleColumn(); }
    QPoint onBar(double share) {
        const QRect bar = column().barRect();
        return {bar.left() + static_cast<int>(std::lround(share * (bar.width() - 1))),
                bar.center().y()};
    }
    void drag(double from, double to) {
        QTest::mousePress(&column(), Qt::LeftButton, {}, onBar(from));
        QMouseEvent move(QEvent::MouseMove, onBar(to), column().mapToGlobal(onBar(to)),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&column(), &move);
        QTest::mouseRelease(&column(), Qt::LeftButton, {}, onBar(to));
    }
};

}  // namespace

class MapThresholdTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void scaleHasTheColourOfZeroBelow_data() {
        QTest::addColumn<int>("transfer");
        QTest::addColumn<bool>("isSigned");
        QTest::addColumn<bool>("rank");
        for (int t = 0; t < 3; ++t) QTest::addRow("sequential %d", t) << t << false << false;
        for (int t = 0; t < 2; ++t) QTest::addRow("signed %d", t) << t << true << false;
        QTest::addRow("rank") << 0 << false << true;
        QTest::addRow("rank, signed") << 0 << true << true;
    }
    void scaleHasTheColourOfZeroBelow() {
        QFETCH(int, transfer);
        QFETCH(bool, isSigned);
        QFETCH(bool, rank);
        const auto quantity = isSigned ? engine::Quantity::Attribution : engine::Quantity::Pattern;
        ScaleChoice choice;
        choice.transfer = static_cast<engine::Transfer>(transfer);
        const auto made = [&](double threshold) {
            choice.setThreshold(quantity, threshold);
            ColourScale scale = scaleFor(choice, quantity, {0.8, 1}, Scheme::Light);
            if (rank)
                scale.ranked = std::make_shared<const std::vector<float>>(
                    std::vector<float>{0, 0, 0.1F, 0.2F, 0.3F, 0.8F});
            return scale;
        };
        const ColourScale plain = made(0), cut = made(0.25);
        QVERIFY(plain != cut);
        int below = 0, other = 0;
        for (double value = isSigned ? -0.8 : 0; value <= 0.8; value += 0.01) {
            if (std::abs(std::abs(value) - 0.25) < 1e-9) continue;
            if (std::abs(value) < 0.25) {
                QCOMPARE(cut.entry(value), isSigned ? 128 : 0);
                other += plain.entry(value) != cut.entry(value);
                ++below;
            } else {
                QCOMPARE(cut.entry(value), plain.entry(value));
            }
        }
        QVERIFY(below >= 24 && other > below / 2);
        QCOMPARE(cut.entry(0.25), plain.entry(0.25));  // at the threshold: not below it
        // Of another quantity it is none.
        QCOMPARE(scaleFor(choice, engine::Quantity::Value, {1, 1}, Scheme::Light).threshold, 0.0);
    }

    void cellsBelowAreZeroNotMasked_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("side");
        QTest::addRow("14 tokens") << 14 << 280;
        QTest::addRow("500, pooled") << 500 << 200;
    }
    void cellsBelowAreZeroNotMasked() {
        QFETCH(int, tokens);
        QFETCH(int, side);
        MapScene scene;
        scene.theme = themeOf(Scheme::Dark);
        scene.geometry = MapGeometry({0, 0, tokens}, tokens, side, 96);
        scene.rowsReady = tokens;
        scene.tile = tileOf(valueOf, scene.geometry.dest(), scene.geometry.src(), tokens);
        const auto picture = [&](double threshold) {
            scene.scale =
                scaleFor(below(threshold), engine::Quantity::Pattern, {0.9, 0.9}, Scheme::Dark);
            return mapImage(scene);
        };
        const QImage plain = picture(0), cut = picture(0.2);
        const QRgb zero = sequentialTable(Scheme::Dark)[0];
        int below = 0, above = 0;
        const engine::Axis axis = scene.geometry.dest();
        for (std::int64_t y = 0; y < axis.pixels(); ++y)
            for (std::int64_t x = 0; x < axis.pixels(); ++x) {
                const engine::Rows rows = axis.cells_of(y), columns = axis.cells_of(x);
                const QPoint at = scene.geometry.rectOf({rows.begin, columns.begin}).center();
                double largest = -1;  // of the pixel's visible cells
                for (std::int64_t d = rows.begin; d < rows.end; ++d)
                    for (std::int64_t s = columns.begin; s < std::min(columns.end, d + 1); ++s)
                        largest = std::max(largest, static_cast<double>(valueOf(d, s)));
                if (largest >= 0 && largest < 0.2) {
                    QCOMPARE(cut.pixel(at), zero);
                    ++below;
                } else {
                    QCOMPARE(cut.pixel(at), plain.pixel(at));
                    above += largest >= 0;
                }
            }
        QVERIFY(below > 10 && above > 10);
        QVERIFY(plain != cut);
    }

    void readOutKeepsTheValue() {
        Shown shown(14);
        shown.column().chooseThreshold(0.3);
        QVERIFY(shown.map.scene().scale.threshold == 0.3);
        const MapScene& scene = shown.map.scene();
        const QPoint place = scene.logical(scene.geometry.rectOf({9, 2})).center().toPoint();
        QVERIFY(valueOf(9, 2) < 0.3F);
        QTest::mouseMove(&shown.map, place);
        const auto* readOut = shown.map.findChild<ReadOut*>();
        QCOMPARE(readOut->content().drawn.value(), static_cast<double>(valueOf(9, 2)));
        QTest::mouseMove(&shown.map, QPoint(1, 1));
        QCOMPARE(shown.map.grab().toImage().pixel(place), sequentialTable(Scheme::Light)[0]);
        shown.column().chooseThreshold(0);
        QVERIFY(shown.map.grab().toImage().pixel(place) != sequentialTable(Scheme::Light)[0]);
    }

    // Along the bar by hand: to two digits, said below it, of this quantity alone.
    void draggedAlongTheBar() {
        Shown shown(14);
        QSignalSpy changed(&shown.column(), &ScaleColumn::scaleChanged);
        QTest::mouseClick(&shown.column(), Qt::LeftButton, {}, shown.onBar(0.5));
        QCOMPARE(changed.size(), 0);  // a press alone is none
        shown.drag(0.2, 0.5);
        QCOMPARE(changed.size(), 1);
        const double threshold = shown.column().threshold();
        // √: half of the way is a quarter of the largest.
        const double high = shown.map.scene().scale.high;
        QVERIFY2(std::abs(threshold - high / 4) < 0.02 * high,
                 qPrintable(QString::number(threshold)));
        QCOMPARE(threshold, QString::number(threshold, 'g', 2).toDouble());
        const QString note = QStringLiteral("value < %1: as 0").arg(thresholdNumber(threshold));
        QVERIFY2(shown.column().notes().contains(note),
                 qPrintable(shown.column().notes().join(u'|')));
        QVERIFY(shown.column().accessibleDescription().contains(note));
        QVERIFY(QFontMetrics(wordFont(10)).horizontalAdvance(note) < 150);
        // The rest of the choice is as it was, and so is another quantity.
        ScaleChoice choice = shown.column().choice();
        QCOMPARE(choice.threshold(engine::Quantity::Scores), 0.0);
        choice.setThreshold(engine::Quantity::Pattern, 0);
        QVERIFY(choice == ScaleChoice());
        // The bar itself: the colour of 0 up to the mark, then as it was.
        const QImage picture = shown.column().grab().toImage();
        QCOMPARE(picture.pixel(shown.onBar(0.25)), sequentialTable(Scheme::Light)[0]);
        QVERIFY(picture.pixel(shown.onBar(0.6)) != sequentialTable(Scheme::Light)[0]);
        shown.drag(0.5, 0);  // back to the end
        QCOMPARE(shown.column().threshold(), 0.0);
        QVERIFY(!shown.column().notes().contains(note));
        shown.drag(0.3, 0.4);
        QVERIFY(shown.column().threshold() > 0);
        QTest::mouseDClick(&shown.column(), Qt::LeftButton, {}, shown.onBar(0.7));
        QCOMPARE(shown.column().threshold(), 0.0);
        QVERIFY(shown.column().grab().toImage().pixel(shown.onBar(0.25)) !=
                sequentialTable(Scheme::Light)[0]);
    }

    void signedBarIsCutAroundZero() {
        ScaleChoice choice;
        choice.setThreshold(engine::Quantity::Scores, 2);
        const ColourScale scale = scaleFor(choice, engine::Quantity::Scores, {8, 8}, Scheme::Light);
        QImage picture(300, 40, QImage::Format_RGB32);
        picture.fill(Qt::white);
        const QRectF area(10, 5, 280, colourBarHeight);
        {
            QPainter painter(&picture);
            paintColourBar(painter, themeOf(Scheme::Light), area, scale, false);
        }
        const QRectF strip = colourStrip(area);
        const QRgb zero = divergingTable(Scheme::Light)[128];
        const auto at = [&](double value) {
            return picture.pixel(
                static_cast<int>(strip.left() + scale.position(value) * strip.width()),
                static_cast<int>(strip.center().y()));
        };
        for (const double value : {-1.5, -0.5, 0.5, 1.5}) QCOMPARE(at(value), zero);
        for (const double value : {-3.0, 3.0}) QVERIFY(at(value) != zero);
        QCOMPARE(thresholdNote(scale), QStringLiteral("|value| < 2: as 0"));
    }

    void pinsAndFiguresFollow() {
        Shown shown(14);
        shown.page.pinnedHeads().setModel(modelOf(4, 4, 2));
        shown.page.pinnedHeads().setRun(testRun);
        const engine::LayerHead pin{engine::Layer(0), engine::QueryHead(3)};
        shown.page.setPins({pin});
        shown.column().chooseThreshold(0.2);
        QCOMPARE(shown.page.pinnedHeads().map(pin)->picture().scene().scale.threshold, 0.2);

        HeadFigure figure;
        figure.tokens = manyTokens(14);
        figure.page.labels = FigureLabels::None;
        figure.panels.push_back({testHead, {}, 0, 0, {}});
        const FigureAxes axes = figureAxes(figure, 1);
        figure.panels.front().tile = tileOf(valueOf, axes.dest, axes.src, 14);
        QVERIFY(!scaleNote(figure).contains(QStringLiteral("as 0")));
        const QImage plain = renderHeadFigure(figure, 1);
        figure.choice = below(0.2);
        QVERIFY2(scaleNote(figure).contains(QStringLiteral(", value < 0.2: as 0")),
                 qPrintable(scaleNote(figure)));
        const QImage cut = renderHeadFigure(figure, 1);
        const FigureLayout layout = layoutOf(figure);
        const double cell = layout.side / 14;
        const auto at = [&](int dest, int src) {
            return (layout.mapAt(0) + QPointF((src + 0.5) * cell, (dest + 0.5) * cell)).toPoint();
        };
        for (int d = 0; d < 14; ++d)
            for (int s = 0; s <= d; ++s)
                if (valueOf(d, s) < 0.2F)
                    QCOMPARE(cut.pixel(at(d, s)), sequentialTable(Scheme::Light)[0]);
                else
                    QCOMPARE(cut.pixel(at(d, s)), plain.pixel(at(d, s)));
    }
};

QTEST_MAIN(MapThresholdTest)
#include "map_threshold.moc"
