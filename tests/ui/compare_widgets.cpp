// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned heads and two runs side by side, on values given by formulas, driven by clicks and keys.
#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <set>

#include "tests/ui/map_support.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/painting/theme.h"

using namespace ui;

namespace {

constexpr engine::RunId kA{1}, kB{2};

engine::LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

float pattern(std::int64_t dest, std::int64_t src) {
    return 1.0F / static_cast<float>(dest + src + 1);
}

std::vector<engine::Token> numbered(const std::vector<std::string>& texts) {
    std::vector<engine::Token> tokens = tokensOf(texts);
    std::hash<std::string> hash;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i].id = engine::TokenId(static_cast<std::int32_t>(hash(texts[i]) % 100000));
    return tokens;
}

QColor at(const QImage& image, QPointF logical) {
    return image.pixelColor((logical * image.devicePixelRatio()).toPoint());
}

}  // namespace

class CompareWidgets : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() { loadFonts(); }
    void init() { setTheme(Scheme::Light); }

    void gridPinsOnCtrlClick();
    void pinsFollowTheMap_data();
    void pinsFollowTheMap();
    void pinsAnswerMouseAndKeys();
    void manyPinsScroll();
    void differenceDivergesAroundZero();
    void rowsOfOneRunLookTheirOwn();
    void cellsAndZoom();
    void transposedCellsAndLabels();
    void stripMarksWhatDiffers();
    void tableIsSortedByChange();
    void fewerThanTwoRunsSayHow();
};

void CompareWidgets::gridPinsOnCtrlClick() {
    HeadGrid grid;
    grid.resize(276, 700);
    grid.setModel(modelOf(6, 4, 2));
    grid.show();
    QSignalSpy pinned(&grid, &HeadGrid::headPinToggled), focused(&grid, &HeadGrid::headFocused),
        activated(&grid, &HeadGrid::headActivated);
    const QPoint place = grid.headRect(head(3, 1)).center();
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, place);
    QCOMPARE(pinned.size(), 1);
    QCOMPARE(pinned[0][0].value<engine::LayerHead>(), head(3, 1));
    QCOMPARE(focused.size(), 0);
    QVERIFY(!grid.focusedHead());
    QTest::mouseDClick(grid.viewport(), Qt::LeftButton, Qt::ControlModifier, place);
    QCOMPARE(activated.size(), 0);
    grid.setPinned({head(3, 1)});
    QVERIFY(grid.isPinned(head(3, 1)) && !grid.isPinned(head(3, 2)));
    const QImage image = grid.viewport()->grab().toImage();
    const QRectF rect = grid.headRect(head(3, 1));
    const QColor frame = at(image, {rect.left(), rect.center().y()});
    QVERIFY2(frame.lightness() < 120, qPrintable(frame.name()));
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, place);
    QVERIFY(grid.accessibleDescription().endsWith(QStringLiteral(", pinned")));
}

void CompareWidgets::pinsFollowTheMap_data() {
    QTest::addColumn<int>("tokens");
    for (const int tokens : {1, 14, 500}) QTest::addRow("%d tokens", tokens) << tokens;
}

// The same range, quantity, pooling and scale.
void CompareWidgets::pinsFollowTheMap() {
    QFETCH(int, tokens);
    HeadPage page;
    page.resize(900, 760);
    page.pinnedHeads().setModel(modelOf(4, 4, 2));
    page.pinnedHeads().setRun(testRun);
    QSignalSpy wanted(&page.pinnedHeads(), &PinnedHeads::viewWanted);
    page.show();
    HeadHeatmap& map = page.heatmap();
    map.setTokens(manyTokens(tokens), tokens, tokens);
    map.setSelection(selectionOf(tokens - 1, tokens / 2, true));
    map.setRowsReady(tokens);
    map.setTile(tileOf(pattern, map.geometry().dest(), map.geometry().src(), tokens));
    QVERIFY(page.pinnedHeads().isHidden());
    page.setPins({head(0, 3), head(1, 1)});
    QVERIFY(!page.pinnedHeads().isHidden());
    QVERIFY(!wanted.isEmpty());
    const auto dest = wanted.last()[0].value<engine::Axis>();
    const auto src = wanted.last()[1].value<engine::Axis>();
    QCOMPARE(dest.begin, 0);
    QCOMPARE(dest.end, tokens);
    const PinnedMap& pin = *page.pinnedHeads().map(head(1, 1));
    QVERIFY(!pin.accessibleName().isEmpty());
    page.pinnedHeads().setTile(tileOf(pattern, dest, src, tokens, head(1, 1)));
    const MapScene& scene = pin.picture().scene();
    QVERIFY(scene.tile);
    QVERIFY(scene.scale == map.legend().scale);
    QCOMPARE(scene.selected, map.scene().selected);
    QCOMPARE(
        *pin.picture().valueAt({tokens - 1, 0}),
        static_cast<double>(
            tileOf(pattern, dest, src, tokens)
                .data.as<float>()[static_cast<std::size_t>((dest.pixels() - 1) * src.pixels())]));
    QVERIFY(!page.pinnedHeads().map(head(0, 3))->picture().valueAt({0, 0}));
    // What is drawn is the value through the large map's scale.
    const QImage image = page.pinnedHeads().map(head(1, 1))->grab().toImage();
    const QRectF cell = scene.logical(scene.geometry.rectOf({0, 0}));
    const QRgb drawn = scene.scale.colour(*pin.picture().valueAt({0, 0}));
    if (tokens == 14) QCOMPARE(at(image, cell.center()).rgb(), drawn);

    if (tokens == 500) {
        wanted.clear();
        map.zoom(1);
        // In whole blocks of cells a pixel, of which the smaller picture has the larger.
        const MapGeometry& shown = pin.picture().scene().geometry;
        const MapView view = shown.view(), large = map.geometry().view();
        const std::int64_t block = shown.cellsPerPixel();
        QVERIFY(view.count >= large.count && view.count < large.count + block);
        QVERIFY(std::abs(view.dest - large.dest) < block && std::abs(view.src - large.src) < block);
        QVERIFY(!wanted.isEmpty());
    }
    // Another quantity's values are not drawn through this one's scale.
    engine::Tile other = tileOf(pattern, dest, src, tokens, head(1, 1));
    other.request.quantity = engine::Quantity::Scores;
    page.pinnedHeads().setTile(other);
    QVERIFY(!scene.tile);
    page.pinnedHeads().setRun(engine::RunId(99));
    page.pinnedHeads().setTile(tileOf(pattern, dest, src, tokens, head(1, 1)));
    QVERIFY(!scene.tile);
    page.setPins({});
    QVERIFY(page.pinnedHeads().isHidden());
}

void CompareWidgets::pinsAnswerMouseAndKeys() {
    PinnedHeads pins;
    pins.resize(220, 400);
    pins.setModel(modelOf(4, 4, 2));
    pins.setPins({head(0, 3), head(1, 1)});
    pins.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pins));
    PinnedMap* pin = pins.map(head(1, 1));
    QSignalSpy chosen(&pins, &PinnedHeads::headChosen), alone(&pins, &PinnedHeads::headActivated),
        gone(&pins, &PinnedHeads::unpinRequested);
    const QPoint middle = pin->rect().center();
    QTest::mouseClick(pin, Qt::LeftButton, {}, middle);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<engine::LayerHead>(), head(1, 1));
    QTest::mouseDClick(pin, Qt::LeftButton, {}, middle);
    QCOMPARE(alone.size(), 1);
    QTest::mouseClick(pin, Qt::LeftButton, Qt::ControlModifier, middle);
    QCOMPARE(gone.size(), 1);
    QTest::mouseClick(pin, Qt::LeftButton, {}, pin->unpinRect().center());
    QCOMPARE(gone.size(), 2);
    QTest::keyClick(pin, Qt::Key_Delete);
    QCOMPARE(gone.size(), 3);
    chosen.clear();
    QTest::keyClick(pin, Qt::Key_Space);
    QCOMPARE(chosen.size(), 1);
    QTest::keyClick(pin, Qt::Key_Return);
    QCOMPARE(alone.size(), 2);
    QCOMPARE(pins.accessibleDescription(), QStringLiteral("L0.H3, L1.H1"));
    pins.setPins({head(0, 3)});
    QVERIFY(!pins.map(head(1, 1)));
}

void CompareWidgets::manyPinsScroll() {
    PinnedHeads pins;
    pins.resize(200, 260);
    pins.setModel(modelOf(8, 4, 2));
    std::vector<engine::LayerHead> many;
    for (int i = 0; i < 24; ++i) many.push_back(head(i / 4, i % 4));
    pins.setPins(many);
    QVERIFY(pins.heightFor(200) > 260);
    for (const engine::LayerHead each : many) {
        const QRect place = pins.map(each)->geometry();
        QVERIFY(place.right() <= 200 && place.width() > 60);
    }
    QCOMPARE(pins.pins(), many);
}

namespace {

// Two runs of one prompt: the second has two tokens more, and another one at 5.
struct Pair {
    CompareSide a{kA, QStringLiteral("A"), {}, 5, 7, 7}, b{kB, QStringLiteral("B"), {}, 5, 9, 9};
    Pair() {
        a.tokens = numbered({"The", " cat", " sat", " on", " the", " mat", "."});
        b.tokens = numbered({"The", " cat", " sat", " on", " the", " dog", ".", " It", " ran"});
    }
};

float moved(std::int64_t dest, std::int64_t src) {
    return dest < 5 ? 0.0F : (src % 2 ? 0.4F : -0.2F) / static_cast<float>(dest);
}

engine::Tile tileFor(engine::RunId run, std::optional<engine::RunId> minus, std::int64_t rows,
                     const engine::Axis& axis, const CellValue& value) {
    engine::Tile tile = tileOf([](auto, auto) { return 0.0F; }, axis, axis, rows);
    tile.request.run = run;
    tile.request.minus = minus;
    tile.rows_ready = rows;
    std::vector<float> values;
    for (std::int64_t d = axis.begin; d < axis.end; ++d)
        for (std::int64_t s = axis.begin; s < axis.end; ++s)
            values.push_back(s <= d && d < rows ? value(d, s) : 0.0F);
    tile.data = engine::make_payload(engine::DType::F32, {1, axis.pixels(), axis.pixels()},
                                     std::move(values));
    return tile;
}

void fill(CompareMaps& maps, const Pair& pair) {
    maps.resize(900, 460);
    maps.setHead(testHead, 0);
    maps.setSides(pair.a, pair.b);
    const engine::Axis axis = maps.picture(CompareMaps::A).scene().geometry.dest();
    maps.setTile(tileFor(kA, {}, 7, axis, pattern));
    maps.setTile(
        tileFor(kB, {}, 9, axis, [](auto d, auto s) { return pattern(d, s) + moved(d, s); }));
    maps.setTile(tileFor(kB, kA, 9, axis, [](auto d, auto s) { return d < 7 ? moved(d, s) : 0; }));
}

}  // namespace

void CompareWidgets::differenceDivergesAroundZero() {
    const Pair pair;
    CompareMaps maps;
    fill(maps, pair);
    const MapScene& difference = maps.picture(CompareMaps::Difference).scene();
    QVERIFY(difference.scale.diverging);
    QVERIFY(std::abs(difference.scale.high - 0.4 / 5) < 1e-6);  // the largest, source 0 left out
    QCOMPARE(difference.scale.entry(0), divergingTable(Scheme::Light).size() / 2);
    QVERIFY(!maps.picture(CompareMaps::A).scene().scale.diverging);
    QVERIFY(maps.picture(CompareMaps::A).scene().scale ==
            maps.picture(CompareMaps::B).scene().scale);
    QCOMPARE(maps.title(CompareMaps::Difference), QStringLiteral("B − A"));
    const CompareMaps::Values values = maps.valuesAt({6, 3});
    QVERIFY(std::abs(*values.b - *values.a - *values.difference) < 1e-6);
    QVERIFY(std::abs(*values.difference - 0.4 / 6) < 1e-6);
    const QString said = maps.describe({6, 3});
    QVERIFY2(said.contains(QStringLiteral("B − A +0.0667")), qPrintable(said));
    // A tile of another pair or head is no part of it.
    maps.setTile(tileFor(engine::RunId(3), kA, 9, difference.geometry.dest(),
                         [](auto, auto) { return 5.0F; }));
    QVERIFY(std::abs(*maps.valuesAt({6, 3}).difference - 0.4 / 6) < 1e-6);
}

void CompareWidgets::rowsOfOneRunLookTheirOwn() {
    const Pair pair;
    CompareMaps maps;
    fill(maps, pair);
    QVERIFY(!maps.valuesAt({8, 1}).a);
    QVERIFY(maps.valuesAt({8, 1}).b);
    QVERIFY(!maps.valuesAt({8, 1}).difference);
    maps.show();
    const QImage image = maps.grab().toImage();
    const auto colours = [&](CompareMaps::Panel panel, std::int64_t dest, std::int64_t src) {
        const MapScene& scene = maps.picture(panel).scene();
        const QRectF cell =
            scene.logical(scene.geometry.rectOf({dest, src})).adjusted(2, 2, -2, -2);
        std::set<QRgb> seen;
        for (int y = int(cell.top()); y < int(cell.bottom()); ++y)
            for (int x = int(cell.left()); x < int(cell.right()); ++x)
                seen.insert(at(image, QPointF(x, y)).rgb());
        return seen;
    };
    const QRgb line = theme().outOfWindowLine.rgb(), ground = theme().notComputedGround.rgb();
    for (const CompareMaps::Panel panel : {CompareMaps::A, CompareMaps::Difference})
        QVERIFY(colours(panel, 8, 8).count(line) && colours(panel, 8, 8).count(ground));
    QVERIFY(!colours(CompareMaps::B, 8, 1).count(line));
    QVERIFY(!colours(CompareMaps::Difference, 6, 3).count(line));
    setTheme(Scheme::Dark);
    QTRY_VERIFY(maps.picture(CompareMaps::Difference).scene().theme.scheme == Scheme::Dark);
}

void CompareWidgets::cellsAndZoom() {
    const Pair pair;
    CompareMaps maps;
    QSignalSpy wanted(&maps, &CompareMaps::viewWanted), clicked(&maps, &CompareMaps::cellClicked),
        described(&maps, &CompareMaps::cellDescribed);
    fill(maps, pair);
    maps.show();
    QVERIFY(QTest::qWaitForWindowExposed(&maps));
    const auto place = [&](CompareMaps::Panel panel, std::int64_t dest, std::int64_t src) {
        const MapScene& scene = maps.picture(panel).scene();
        return scene.logical(scene.geometry.rectOf({dest, src})).center().toPoint();
    };
    for (const CompareMaps::Panel panel :
         {CompareMaps::A, CompareMaps::B, CompareMaps::Difference}) {
        QTest::mouseClick(&maps, Qt::LeftButton, {}, place(panel, 6, 2));
        QCOMPARE(clicked.last()[0].value<engine::Position>(), engine::Position(6));
        QCOMPARE(clicked.last()[1].value<engine::Position>(), engine::Position(2));
    }
    clicked.clear();
    QTest::mouseClick(&maps, Qt::LeftButton, {}, place(CompareMaps::A, 1, 5));  // masked
    QCOMPARE(clicked.size(), 0);
    QTest::mouseMove(&maps, place(CompareMaps::Difference, 5, 1));
    QVERIFY(described.last()[0].toString().contains(QStringLiteral("dest 5 ← src 1")));
    wanted.clear();
    maps.zoom(1);
    QVERIFY(maps.picture(CompareMaps::B).scene().geometry.view().count < 9);
    QCOMPARE(maps.picture(CompareMaps::A).scene().geometry.view(),
             maps.picture(CompareMaps::Difference).scene().geometry.view());
    QCOMPARE(wanted.size(), 1);
    maps.zoom(0);
    QCOMPARE(maps.picture(CompareMaps::B).scene().geometry.view().count, 9);
}

// Destinations along x: by each map's place on the page alone.
void CompareWidgets::transposedCellsAndLabels() {
    const Pair pair;
    CompareMaps maps;
    QSignalSpy clicked(&maps, &CompareMaps::cellClicked), wanted(&maps, &CompareMaps::viewWanted);
    fill(maps, pair);
    maps.show();
    QVERIFY(QTest::qWaitForWindowExposed(&maps));
    const QImage usual = maps.grab().toImage();
    wanted.clear();
    maps.setTransposed(true);
    QCOMPARE(wanted.size(), 0);  // the same tiles
    const QImage turned = maps.grab().toImage();
    for (const CompareMaps::Panel panel :
         {CompareMaps::A, CompareMaps::B, CompareMaps::Difference}) {
        const MapScene& scene = maps.picture(panel).scene();
        const QRect map = scene.mapRect().toRect();
        const double cell = scene.cellPixels();
        const auto place = [&](double across, double down) {
            return (scene.origin + QPointF((across + 0.5) * cell, (down + 0.5) * cell)).toPoint();
        };
        QTest::mouseClick(&maps, Qt::LeftButton, {}, place(6, 2));
        QCOMPARE(clicked.last()[0].value<engine::Position>(), engine::Position(6));
        QCOMPARE(clicked.last()[1].value<engine::Position>(), engine::Position(2));
        clicked.clear();
        QTest::mouseClick(&maps, Qt::LeftButton, {}, place(2, 6));  // masked
        QCOMPARE(clicked.size(), 0);
        for (int d = 0; d < 7; ++d)  // the rows that both have
            for (int s = 0; s <= d; ++s)
                QCOMPARE(turned.pixel(place(d, s)), usual.pixel(place(s, d)));
        QVERIFY(turned.pixel(place(6, 3)) != usual.pixel(place(6, 3)));
        // The token names of both runs stand at the left, where the sources are now.
        QVERIFY(map.left() > 0);
    }
    // Dragged to the left, later destinations come into view.
    maps.zoom(1);
    maps.zoom(1);
    const MapView before = maps.picture(CompareMaps::A).scene().geometry.view();
    QVERIFY(before.count < 8);
    const QPoint from = maps.picture(CompareMaps::A).scene().mapRect().center().toPoint();
    const QPoint by(before.dest > 0 ? 60 : -60, 0);
    QTest::mousePress(&maps, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, from + by, maps.mapToGlobal(from + by), Qt::NoButton,
                     Qt::LeftButton, {});
    QCoreApplication::sendEvent(&maps, &move);
    QTest::mouseRelease(&maps, Qt::LeftButton, {}, from + by);
    const MapView after = maps.picture(CompareMaps::A).scene().geometry.view();
    QVERIFY(after.dest != before.dest);
    QCOMPARE(after.src, before.src);
}

void CompareWidgets::stripMarksWhatDiffers() {
    const Pair pair;
    CompareStrip strip;
    strip.resize(600, strip.sizeHint().height());
    strip.setSides({pair.a.tokens, 5, 7}, {pair.b.tokens, 5, 9});
    strip.show();
    QCOMPARE(strip.differing(), 3);
    QVERIFY(!strip.differs(4) && strip.differs(5) && !strip.differs(6) && strip.differs(7));
    QCOMPARE(strip.tokenRect(0, 6).left(), strip.tokenRect(1, 6).left());
    QSignalSpy clicked(&strip, &CompareStrip::tokenClicked);
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.tokenRect(1, 3).center());
    QTest::mouseClick(&strip, Qt::LeftButton, Qt::ControlModifier, strip.tokenRect(0, 2).center());
    QCOMPARE(clicked.size(), 2);
    QCOMPARE(clicked[0][0].value<engine::Position>(), engine::Position(3));
    QCOMPARE(clicked[0][1].toBool(), false);
    QCOMPARE(clicked[1][1].toBool(), true);
}

void CompareWidgets::tableIsSortedByChange() {
    ComparePage page;
    page.resize(820, 720);
    page.setModel(modelOf(3, 2, 1));
    const Pair pair;
    page.setRuns({{kA, QStringLiteral("A"), {}}, {kB, QStringLiteral("B"), {}}});
    page.setSides(pair.a, pair.b);
    page.show();
    ChangeTable changes;
    changes.a = kA;
    changes.b = kB;
    changes.rows = {5, 7};
    changes.layers = 3;
    changes.query_heads = 2;
    changes.moved = {0.1F, 0.2F, 0.5F, 0.1F, 0, 0, 0.9F, 0.7F, 0.3F, 0.3F, 0.2F, 0.9F};
    changes.largest.assign(6, {0.25F, engine::Position(6), engine::Position(5)});
    QSignalSpy ranking(&page, &ComparePage::rankingChanged);
    page.setChanges(changes, false);
    QVERIFY(!ranking.isEmpty());
    const std::vector expected{head(1, 1), head(2, 1), head(0, 1), head(2, 0), head(0, 0)};
    QCOMPARE(page.ranked(), expected);  // the sixth did not move
    QCOMPARE(page.rankText(), QStringLiteral("moved"));
    QVERIFY(std::abs(*page.model().value(3, ChangeModel::Moved) - 0.8) < 1e-6);
    page.setSelection({kB, head(0, 0), engine::Position(6), engine::Position(5)});
    QCOMPARE(*page.model().value(0, ChangeModel::RowMoved), double(0.2F));
    QCOMPARE(page.model().headerData(ChangeModel::RowMoved, Qt::Horizontal, Qt::DisplayRole),
             QVariant(QStringLiteral("row 6 moved")));
    page.setSelection({kB, head(0, 0), engine::Position(2), engine::Position(1)});
    QCOMPARE(*page.model().value(0, ChangeModel::RowMoved), 0.0);  // the same in both
    page.setSelection({kB, head(0, 0), engine::Position(8), engine::Position(1)});
    QVERIFY(!page.model().value(0, ChangeModel::RowMoved));  // only one has it
    page.setSelection({kB, head(0, 0), engine::Position(6), engine::Position(5)});
    page.table().sortByColumn(ChangeModel::RowMoved, Qt::DescendingOrder);
    QCOMPARE(page.ranked().front(), head(2, 1));
    QCOMPARE(page.rankText(), QStringLiteral("row 6 moved"));
    QSignalSpy chosen(&page, &ComparePage::headChosen);
    QTest::mouseClick(page.table().viewport(), Qt::LeftButton, {},
                      page.table().visualRect(page.table().model()->index(1, 0)).center());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<engine::LayerHead>(), page.ranked()[1]);
    const QString where = page.table().model()->index(0, ChangeModel::Where).data().toString();
    QCOMPARE(where, QStringLiteral("6 . ← 5 ·dog"));
    // Of another model: nothing of it is shown.
    changes.layers = 2;
    page.setChanges(changes, false);
    QVERIFY(page.ranked().empty());
}

void CompareWidgets::fewerThanTwoRunsSayHow() {
    ComparePage page;
    page.setModel(modelOf(3, 2, 1));
    QVERIFY(page.isEmpty());
    const Pair pair;
    page.setRuns({{kA, QStringLiteral("A"), {}}, {kB, QStringLiteral("B"), {}}});
    page.setSides(pair.a, pair.b);
    QVERIFY(!page.isEmpty());
    QCOMPARE(page.note(), QStringLiteral("aligned by position, 1 of 7 differ; 2 only in B"));
    QSignalSpy chosen(&page, &ComparePage::pairChosen);
    QComboBox& first = page.picker(CompareMaps::A);
    first.setCurrentIndex(1);
    Q_EMIT first.activated(1);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), 1);
    QCOMPARE(chosen[0][1].toInt(), 1);
    page.clear();
    QVERIFY(page.isEmpty());
}

QTEST_MAIN(CompareWidgets)
#include "compare_widgets.moc"
