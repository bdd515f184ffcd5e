// SPDX-License-Identifier: GPL-3.0-or-later
// The map with destinations along x and sources along y: pictures are those of the other way round,
// mirrored at the diagonal, and every way into a cell goes to where it is seen.
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/figure_layout.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_marks.h"
#include "ui/painting/map_profiles.h"

using namespace ui;

namespace {

// No two cells of a run of up to a thousand tokens have the same.
float valueOf(std::int64_t dest, std::int64_t src) {
    return static_cast<float>(1 + dest * 1000 + src) / 1048576;
}

MapScene sceneOf(int tokens, int rows, int window, double ratio, int side) {
    MapScene scene;
    scene.theme = themeOf(Scheme::Light);
    scene.ratio = ratio;
    scene.origin = QPointF(60, 60);
    scene.geometry = MapGeometry({0, 0, tokens}, tokens, side, 96);
    scene.tokens = manyTokens(tokens);
    scene.promptTokens = tokens / 2;
    scene.rowsReady = rows;
    scene.window = window;
    scene.tile = tileOf(valueOf, scene.geometry.dest(), scene.geometry.src(), rows);
    scene.scale =
        scaleFor({}, engine::Quantity::Pattern, extentOf(*scene.tile, 0, window), Scheme::Light);
    return scene;
}

// How many pixels of a picture differ from those of another mirrored at the diagonal, by more than
// the shading of an edge.
int notMirrored(const QImage& one, const QImage& other, int tolerated = 0) {
    int count = 0;
    for (int y = 0; y < one.height(); ++y)
        for (int x = 0; x < one.width(); ++x) {
            const QColor a = one.pixelColor(x, y), b = other.pixelColor(y, x);
            count += std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                               std::abs(a.blue() - b.blue())}) > tolerated;
        }
    return count;
}

int countOf(const QImage& image, QRect area, const QColor& colour) {
    int count = 0;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x)
            count += image.valid(x, y) && image.pixel(x, y) == colour.rgb();
    return count;
}

// Of the hue, however pale.
int hued(const QImage& image, QRect area, const QColor& colour) {
    int count = 0;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) {
            if (!image.valid(x, y)) continue;
            const QColor pixel = image.pixelColor(x, y);
            count += pixel.hsvSaturation() > 8 && std::abs(pixel.hue() - colour.hue()) < 12;
        }
    return count;
}

struct Shown {
    HeadPage page;
    HeadHeatmap& map = page.heatmap();
    int tokens;

    explicit Shown(int count, bool transposed = true, QSize size = {900, 640}) : tokens(count) {
        QObject::connect(&map, &HeadHeatmap::viewWanted, &map,
                         [this](engine::Axis d, engine::Axis s, engine::Pooling) {
                             map.setTile(tileOf(valueOf, d, s, tokens));
                         });
        page.resize(size);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        map.setSelection(selectionOf(0, 0, false));
        map.setTokens(manyTokens(tokens), tokens, 0);
        map.setTransposed(transposed);
        QTest::qWait(1);
    }
    // Of a cell in view: by its place in the view alone, destinations along x.
    QPoint at(std::int64_t dest, std::int64_t src) const {
        const MapScene& scene = map.scene();
        const double cell = map.geometry().cellSize() / scene.ratio;
        const MapView view = map.geometry().view();
        return (scene.origin + QPointF((static_cast<double>(dest - view.dest) + 0.5) * cell,
                                       (static_cast<double>(src - view.src) + 0.5) * cell))
            .toPoint();
    }
    void wheel(QPoint where, int notches) {
        QWheelEvent event(where, map.mapToGlobal(where), {}, {0, 120 * notches}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&map, &event);
    }
    void drag(QPoint from, QPoint by) {
        QTest::mousePress(&map, Qt::LeftButton, {}, from);
        QMouseEvent move(QEvent::MouseMove, from + by, map.mapToGlobal(from + by), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(&map, &move);
        QTest::mouseRelease(&map, Qt::LeftButton, {}, from + by);
    }
    const ReadOut& readOut() const { return *map.findChild<ReadOut*>(); }
};

using Cell = std::pair<std::int64_t, std::int64_t>;

}  // namespace

class MapTransposedTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void picturesAreMirrored_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("window");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<int>("side");
        QTest::addRow("1 token") << 1 << 1 << 0 << 1.0 << 400;
        QTest::addRow("14 tokens") << 14 << 14 << 0 << 1.0 << 420;
        QTest::addRow("14, scale 1.5") << 14 << 14 << 0 << 1.5 << 401;
        QTest::addRow("14, some rows, a window") << 14 << 11 << 4 << 2.0 << 402;
        QTest::addRow("200, below 4 px") << 200 << 150 << 64 << 1.0 << 433;
        QTest::addRow("500, pooled") << 500 << 500 << 0 << 1.0 << 300;
        QTest::addRow("500, pooled, some rows, a window") << 500 << 333 << 77 << 1.5 << 333;
    }
    void picturesAreMirrored() {
        QFETCH(int, tokens);
        QFETCH(int, rows);
        QFETCH(int, window);
        QFETCH(double, ratio);
        QFETCH(int, side);
        MapScene scene = sceneOf(tokens, rows, window, ratio, side);
        const QImage usual = mapImage(scene);
        scene.transposed = true;
        const QImage turned = mapImage(scene);
        QCOMPARE(turned.size(), usual.size());
        QCOMPARE(notMirrored(turned, usual), 0);
        if (tokens > 1) QVERIFY(turned != usual);
    }

    // Lines, outlines, crosses and hairlines; of their edges' shading some levels.
    void marksAreMirrored_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("window");
        QTest::addColumn<double>("ratio");
        QTest::addRow("outlines") << 14 << 0 << 1.0;
        QTest::addRow("outlines, a window, scale 2") << 14 << 5 << 2.0;
        QTest::addRow("hairlines") << 200 << 0 << 1.0;
        QTest::addRow("hairlines, pooled, a window") << 900 << 100 << 1.0;
    }
    void marksAreMirrored() {
        QFETCH(int, tokens);
        QFETCH(int, window);
        QFETCH(double, ratio);
        MapScene scene = sceneOf(tokens, tokens, window, ratio, 420);
        scene.scale.diverging = true;
        scene.selected = MapCell{tokens - 4, tokens - 6};
        scene.locked = true;
        scene.hovered = MapCell{tokens / 2, tokens / 2 - 1};
        scene.forbidden = {{testHead, {tokens - 2, tokens - 1}, {3, 5}}};
        const auto picture = [&](bool transposed) {
            scene.transposed = transposed;
            QImage image(static_cast<int>(600 * ratio), static_cast<int>(600 * ratio),
                         QImage::Format_RGB32);
            image.setDevicePixelRatio(ratio);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintMapLines(painter, scene);
            paintForbidden(painter, scene);
            paintSelection(painter, scene);
            paintCrosshair(painter, scene);
            return image;
        };
        const QImage usual = picture(false), turned = picture(true);
        QVERIFY(notMirrored(turned, turned, 40) > 100);  // not by being the same both ways
        QVERIFY2(notMirrored(turned, usual, 40) < 12,
                 qPrintable(QString::number(notMirrored(turned, usual, 40))));
    }

    void figuresAreMirrored() {
        HeadFigure figure;
        figure.tokens = manyTokens(30);
        figure.page.labels = FigureLabels::None;
        figure.panels.push_back({testHead, {}, 0, 0, {}});
        const FigureAxes axes = figureAxes(figure, 2);
        figure.panels.front().tile = tileOf(valueOf, axes.dest, axes.src, 30);
        const FigureLayout layout = layoutOf(figure);
        const QRect map(
            QPoint(static_cast<int>(layout.mapAt(0).x() * 2),
                   static_cast<int>(layout.mapAt(0).y() * 2)),
            QSize(static_cast<int>(layout.side * 2), static_cast<int>(layout.side * 2)));
        const QImage usual = renderHeadFigure(figure, 2);
        QVERIFY(!scaleNote(figure).contains(QStringLiteral("transposed")));
        figure.transposed = true;
        const QImage turned = renderHeadFigure(figure, 2);
        QVERIFY(scaleNote(figure).contains(QStringLiteral("transposed")));
        QCOMPARE(turned.size(), usual.size());
        QCOMPARE(notMirrored(turned.copy(map), usual.copy(map)), 0);
        QVERIFY(notMirrored(turned.copy(map), turned.copy(map)) > 1000);
    }

    void cellsAreWhereTheyAreSeen_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("notches");
        QTest::addRow("1 token") << 1 << 0;
        QTest::addRow("14 tokens") << 14 << 0;
        QTest::addRow("14 tokens, zoomed") << 14 << 3;
        QTest::addRow("500 tokens, zoomed and moved") << 500 << 16;
    }
    void cellsAreWhereTheyAreSeen() {
        QFETCH(int, tokens);
        QFETCH(int, notches);
        Shown shown(tokens);
        for (int i = 0; i < notches; ++i) shown.wheel(shown.at(tokens * 3 / 4, tokens / 3), 1);
        if (tokens == 500) shown.drag(shown.map.mapRect().center(), {-37, 52});
        const MapView view = shown.map.geometry().view();
        QCOMPARE(shown.map.geometry().isWhole(), notches == 0);
        QCOMPARE(shown.map.geometry().cellsPerPixel(), 1);
        QSignalSpy clicked(&shown.map, &HeadHeatmap::cellClicked);
        const QImage picture = shown.map.grab().toImage();
        const std::int64_t step = std::max<std::int64_t>(view.count / 7, 1);
        int seen = 0;
        for (std::int64_t d = view.dest; d < view.dest + view.count; d += step)
            for (std::int64_t s = view.src; s < std::min(view.src + view.count, d + 1); s += step) {
                const QPoint place = shown.at(d, s);
                QTest::mouseMove(&shown.map, place);
                QCOMPARE(shown.readOut().content().drawn.value(),
                         static_cast<double>(valueOf(d, s)));
                QCOMPARE((Cell{shown.readOut().content().dest, shown.readOut().content().src}),
                         (Cell{d, s}));
                QCOMPARE(picture.pixel(place),
                         shown.map.scene().scale.colour(static_cast<double>(valueOf(d, s))));
                clicked.clear();
                QTest::mouseClick(&shown.map, Qt::LeftButton, {}, place);
                QCOMPARE(clicked.size(), 1);
                QCOMPARE((Cell{engine::to_int(clicked[0][0].value<engine::Position>()),
                               engine::to_int(clicked[0][1].value<engine::Position>())}),
                         (Cell{d, s}));
                ++seen;
            }
        QVERIFY(seen >= (tokens == 1 ? 1 : 15));
        // Turned back, the same place is the mirrored cell.
        shown.map.setTransposed(false);
        const QPoint place = shown.at(view.dest + view.count - 1, view.src);
        QTest::mouseMove(&shown.map, place);
        if (tokens == 14 && notches == 0) QVERIFY(!shown.readOut().content().drawn);  // masked
    }

    // The cell under the cursor stays there, and what is dragged goes with the mouse.
    void wheelAndDragGoWithThePage() {
        Shown shown(400);
        const QPoint place = shown.at(300, 100);
        QTest::mouseMove(&shown.map, place);
        for (int i = 0; i < 5; ++i) {  // while the cells fill the side
            const Cell under{shown.readOut().content().dest, shown.readOut().content().src};
            shown.wheel(place, 1);
            QTest::mouseMove(&shown.map, place + QPoint(i % 2, 0));
            QVERIFY(std::abs(shown.readOut().content().dest - under.first) <= 2);
            QVERIFY(std::abs(shown.readOut().content().src - under.second) <= 2);
        }
        QVERIFY(shown.map.geometry().view().count < 150);
        shown.map.showView({290, 90, 30});
        const MapView before = shown.map.geometry().view();
        const int cell = static_cast<int>(std::lround(shown.map.geometry().cellSize()));
        shown.drag(shown.map.mapRect().center(), {-3 * cell, 0});
        QCOMPARE(shown.map.geometry().view(), (MapView{before.dest + 3, before.src, before.count}));
        shown.drag(shown.map.mapRect().center(), {0, -2 * cell});
        QCOMPARE(shown.map.geometry().view(),
                 (MapView{before.dest + 3, before.src + 2, before.count}));
        // The axes count what lies along them.
        QCOMPARE(std::lround(shown.map.xAxis->range().lower + 0.5), before.dest + 3);
        QCOMPARE(std::lround(shown.map.yAxis->range().lower + 0.5), before.src + 2);
    }

    void shiftAndArrowsGoAsTheyPoint_data() {
        QTest::addColumn<bool>("transposed");
        QTest::addColumn<Qt::Key>("key");
        QTest::addColumn<int>("dest");
        QTest::addColumn<int>("src");
        for (const bool t : {false, true}) {
            const char* name = t ? "transposed" : "usual";
            QTest::addRow("left, %s", name) << t << Qt::Key_Left << (t ? 8 : 9) << (t ? 4 : 3);
            QTest::addRow("right, %s", name) << t << Qt::Key_Right << (t ? 10 : 9) << (t ? 4 : 5);
            QTest::addRow("up, %s", name) << t << Qt::Key_Up << (t ? 9 : 8) << (t ? 3 : 4);
            QTest::addRow("down, %s", name) << t << Qt::Key_Down << (t ? 9 : 10) << (t ? 5 : 4);
        }
    }
    void shiftAndArrowsGoAsTheyPoint() {
        QFETCH(bool, transposed);
        QFETCH(Qt::Key, key);
        QFETCH(int, dest);
        QFETCH(int, src);
        Shown shown(14, transposed);
        shown.map.setSelection(selectionOf(9, 4, true));
        QSignalSpy clicked(&shown.map, &HeadHeatmap::cellClicked);
        QTest::keyClick(&shown.map, key, Qt::ShiftModifier);
        QCOMPARE(clicked.size(), 1);
        QCOMPARE(clicked[0][0].value<engine::Position>(), engine::Position{dest});
        QCOMPARE(clicked[0][1].value<engine::Position>(), engine::Position{src});
    }

    // In the lower left, which is masked now: no value, no row or column of the cell, no label.
    void readOutHidesNothing_data() {
        QTest::addColumn<QRect>("viewport");
        QTest::addColumn<QRect>("map");
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("inCorner");
        QTest::addRow("roomy") << QRect(0, 0, 700, 600) << QRect(100, 60, 460, 460) << 10 << true;
        QTest::addRow("many") << QRect(0, 0, 700, 600) << QRect(100, 60, 460, 460) << 100 << true;
        QTest::addRow("small") << QRect(0, 0, 465, 340) << QRect(100, 55, 196, 196) << 14 << false;
    }
    void readOutHidesNothing() {
        QFETCH(QRect, viewport);
        QFETCH(QRect, map);
        QFETCH(int, count);
        QFETCH(bool, inCorner);
        const QSize size(205, 120);
        const double cell = map.width() / static_cast<double>(count);
        for (int d = 0; d < count; d += std::max(count / 14, 1))
            for (int s = 0; s <= d; s += std::max(count / 14, 1)) {
                const QRectF at(map.left() + d * cell, map.top() + s * cell, cell, cell);
                const QRect box(placeReadOut(size, {viewport, map, at, {0, 0, count}, cell, true}),
                                size);
                const QByteArray which = QByteArray::number(d) + ' ' + QByteArray::number(s);
                QVERIFY2(viewport.contains(box), which);
                QVERIFY2(!box.intersects(at.toRect()), which);
                // What names the two of them.
                QVERIFY2(!box.intersects(QRect(0, at.toRect().top(), map.left(), 8)), which);
                QVERIFY2(!box.intersects(QRect(at.toRect().left(), map.bottom() + 1, 8, 80)),
                         which);
                if (inCorner) {
                    QCOMPARE(box.bottomLeft(), QPoint(map.left() + 8, map.bottom() - 8));
                    // Its upper right corner is the nearest to the diagonal.
                    QVERIFY(box.top() - map.top() >= box.right() - map.left());
                } else {  // the source's cells, from the diagonal on
                    const QRectF row(at.left(), at.top(), map.right() + 1 - at.left(), cell);
                    QVERIFY2(!QRectF(box).intersects(row.adjusted(1, 1, -1, -1)), which);
                }
            }
    }

    // Of a dest along its sources, which lie along y: at the right; of a source above.
    void profilesStandAlongTheirAxes() {
        Shown shown(14);
        std::vector<float> p(14, 0);
        p[3] = 1;
        shown.map.setSelection(selectionOf(10, 3, true));
        shown.map.setRow(engine::Position{10}, p);
        p[3] = 0;
        p[10] = 1;
        shown.map.setColumn(engine::Position{3}, p);
        const QImage picture = shown.map.grab().toImage();
        const QRect map = shown.map.mapRect();
        const QRect right(map.right() + 4, map.top(), 36, map.height()),
            above(map.left(), map.top() - 40, map.width(), 36);
        QVERIFY(countOf(picture, right, theme().dest) > 200);
        QCOMPARE(countOf(picture, right, theme().src), 0);
        QVERIFY(countOf(picture, above, theme().src) > 200);
        QCOMPARE(countOf(picture, above, theme().dest), 0);
        // At the place of the other end.
        QCOMPARE(picture.pixel(map.right() + 20, shown.at(10, 3).y()), theme().dest.rgb());
        QCOMPARE(picture.pixel(shown.at(10, 3).x(), map.top() - 20), theme().src.rgb());
    }

    void axesNameTheirOwnTokens() {
        Shown shown(500);
        shown.map.showView({300, 100, 20});
        shown.map.setSelection(selectionOf(310, 105, true));
        QCOMPARE(shown.map.xAxis->label(), QStringLiteral("destination (query)"));
        QCOMPARE(shown.map.yAxis->label(), QStringLiteral("source (key)"));
        const auto rows = rowLabels(shown.map.scene()), columns = columnLabels(shown.map.scene());
        QCOMPARE(rows.front().position, 100);
        QCOMPARE(columns.front().position, 300);
        const auto selected = [](const std::vector<TokenLabel>& labels) {
            for (const TokenLabel& label : labels)
                if (label.selected) return label.position;
            return std::int64_t{-1};
        };
        QCOMPARE(selected(rows), 105);
        QCOMPARE(selected(columns), 310);
        // The selected ones stand on their colours' grounds: orange below, violet at the left.
        const QImage picture = shown.map.grab().toImage();
        const QRect map = shown.map.mapRect();
        const QRect left(0, map.top(), map.left() - 1, map.height()),
            below(map.left() - 40, map.bottom() + 3, map.width() + 40, 80);
        QVERIFY(hued(picture, left, theme().src) > 200);
        QCOMPARE(hued(picture, left, theme().dest), 0);
        QVERIFY(hued(picture, below, theme().dest) > 200);
        QCOMPARE(hued(picture, below, theme().src), 0);
        shown.map.setTransposed(false);
        QCOMPARE(rowLabels(shown.map.scene()).front().position, 300);
        QCOMPARE(shown.map.yAxis->label(), QStringLiteral("destination (query)"));
    }

    void overviewAndPinsFollow() {
        Shown shown(500, true, {900, 900});
        shown.page.pinnedHeads().setModel(modelOf(4, 4, 2));
        shown.page.pinnedHeads().setRun(testRun);
        shown.page.setPins({{engine::Layer(0), engine::QueryHead(3)}});
        shown.map.showView({300, 100, 100});
        MiniMap& mini = shown.page.miniMap();
        QVERIFY(mini.isVisible());
        const QRectF map = mini.picture().scene().mapRect();
        const QRectF frame(mini.viewRect());
        QVERIFY(std::abs((frame.center().x() - map.left()) / map.width() - 350.0 / 500) < 0.02);
        QVERIFY(std::abs((frame.center().y() - map.top()) / map.height() - 150.0 / 500) < 0.02);
        QTest::keyClick(&mini, Qt::Key_Right);
        QCOMPARE(shown.map.geometry().view(), (MapView{325, 100, 100}));
        QTest::keyClick(&mini, Qt::Key_Up);
        QCOMPARE(shown.map.geometry().view(), (MapView{325, 75, 100}));
        QTest::mouseClick(&mini, Qt::LeftButton, {},
                          QPoint(static_cast<int>(map.left() + map.width() * 0.8),
                                 static_cast<int>(map.top() + map.height() * 0.4)));
        QVERIFY(std::abs(shown.map.geometry().view().dest - 350) <= 4);
        QVERIFY(std::abs(shown.map.geometry().view().src - 150) <= 4);

        const PinnedMap* pin =
            shown.page.pinnedHeads().map({engine::Layer(0), engine::QueryHead(3)});
        QVERIFY(pin && pin->picture().scene().transposed);
        shown.map.setSelection(selectionOf(380, 180, true));
        const QImage picture = const_cast<PinnedMap*>(pin)->grab().toImage();
        const QRect square = pin->picture().scene().mapRect().toAlignedRect();
        const QRect left(0, square.top(), square.left(), square.height()),
            below(square.left(), square.bottom() + 1, square.width(), 9);
        QVERIFY(countOf(picture, left, theme().src) > 3);
        QCOMPARE(countOf(picture, left, theme().dest), 0);
        QVERIFY(countOf(picture, below, theme().dest) > 3);
        QCOMPARE(countOf(picture, below, theme().src), 0);
    }
};

QTEST_MAIN(MapTransposedTest)
#include "map_transposed.moc"
