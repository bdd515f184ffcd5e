// SPDX-License-Identifier: GPL-3.0-or-later
// The grid of heads under a real mouse and keyboard, and the controls beside the map.
#include <QComboBox>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <limits>
#include <set>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/grid_layout.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/map_image.h"
#include "ui/painting/palette.h"
#include "ui/painting/thumbnail.h"
#include "ui/widgets/labelled_combo.h"
#include "ui/widgets/segment_bar.h"

using namespace ui;

namespace {

engine::LayerHead at(int layer, int head) {
    return {engine::Layer{layer}, engine::QueryHead{head}};
}

// Head (l, h) has all of its weight on source h.
engine::Tile thumbnails(const QVector<engine::LayerHead>& heads, int tokens, int pixels,
                        std::int64_t rows) {
    engine::Tile tile;
    tile.request.heads.assign(heads.begin(), heads.end());
    tile.request.dest = tile.request.src = wholeAxis(tokens, pixels);
    tile.request.format = engine::PixelFormat::U8;
    tile.rows_ready = rows;
    const std::int64_t side = tile.request.src.pixels();
    std::vector<std::uint8_t> bytes;
    for (const engine::LayerHead head : heads)
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x)
                bytes.push_back(x == engine::to_int(head.head) ? 255 : 0);
    tile.data =
        engine::make_payload(engine::DType::U8, {heads.size(), side, side}, std::move(bytes));
    return tile;
}

struct Shown {
    HeadGrid grid;
    QVector<engine::LayerHead> asked;
    int pixels = 0, requests = 0;

    Shown(int layers, int heads, int kvHeads, QSize size) {
        QObject::connect(&grid, &HeadGrid::thumbnailsWanted, &grid,
                         [this](QVector<engine::LayerHead> wanted, int side) {
                             asked = wanted;
                             pixels = side;
                             ++requests;
                         });
        grid.resize(size);
        grid.setModel(modelOf(layers, heads, kvHeads));
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        QTest::qWait(5);
    }
};

}  // namespace

class MapGridTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void layoutFindsEveryHead_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addRow("SmolLM2") << 30 << 9 << 3;
        QTest::addRow("GPT-2") << 12 << 12 << 12;
        QTest::addRow("multi query") << 2 << 8 << 1;
        QTest::addRow("one") << 1 << 1 << 1;
    }
    void layoutFindsEveryHead() {
        QFETCH(int, layers);
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        const GridLayout layout(layers, heads, kvHeads, 20);
        for (int l = 0; l < layers; ++l)
            for (int h = 0; h < heads; ++h) {
                const QRect rect = layout.rectOf(at(l, h));
                QCOMPARE(layout.headAt(rect.topLeft()), std::optional(at(l, h)));
                QCOMPARE(layout.headAt(rect.bottomRight()), std::optional(at(l, h)));
                QVERIFY(layout.groupRect(layout.groupOf(h)).contains(rect));
                if (h > 0)
                    QCOMPARE(rect.left() - layout.rectOf(at(l, h - 1)).left(),
                             layout.groupOf(h) == layout.groupOf(h - 1) ? 20 : 26);
            }
        QVERIFY(!layout.headAt({-1, 3}) && !layout.headAt({3, -1}) &&
                !layout.headAt({3, layers * 20}));
    }

    void fitShowsEveryHead() {
        QCOMPARE(GridLayout::fittingPitch(30, 9, 3, {274, 760}), 24);
        QCOMPARE(GridLayout::fittingPitch(2, 2, 1, {1000, 1000}), 96);
        QCOMPARE(GridLayout::fittingPitch(80, 64, 8, {274, 760}), 13);
    }

    // What is computed but no number looks like no value, in a head's picture and in its map.
    void nanIsNotZero() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const Theme theme = themeOf(Scheme::Light);
        const QRgb zero = sequentialTable(Scheme::Light)[0];
        engine::Tile tile = tileOf([](std::int64_t, std::int64_t) { return 0.0F; }, wholeAxis(4, 4),
                                   wholeAxis(4, 4), 4);
        std::vector<float> values(16, 0);
        for (std::size_t i = 8; i < 16; ++i) values[i] = nan;
        tile.data = engine::make_payload(engine::DType::F32, {1, 4, 4}, std::move(values));
        MapScene scene;
        scene.theme = theme;
        scene.geometry = MapGeometry({0, 0, 4}, 4, 40, 10);
        scene.tokens = manyTokens(4);
        scene.rowsReady = 4;
        scene.tile = tile;
        scene.scale = scaleFor({}, engine::Quantity::Pattern, {}, Scheme::Light);
        for (const QImage& image : {thumbnailImage(tile, 0, 0, 40, 1, theme), mapImage(scene)}) {
            std::set<QRgb> known, unknown;
            for (int y = 0; y < 10; ++y)
                for (int x = 0; x < 10; ++x) {
                    known.insert(image.pixel(x, y));
                    unknown.insert(image.pixel(x, 30 + y));
                }
            QCOMPARE(known, std::set<QRgb>{zero});
            QVERIFY(unknown.count(theme.outOfWindowLine.rgb()) == 1 && unknown.count(zero) == 0);
        }
        const auto folded =
            foldedTile({{std::make_shared<engine::Tile>(tile), 0}}, FoldPooling::Max);
        QVERIFY(folded && std::isnan(folded->data.as<float>()[12]) &&
                folded->data.as<float>()[4] == 0);
    }

    void asksForVisibleHeadsOnly() {
        Shown shown(80, 4, 2, {200, 400});
        QCOMPARE(shown.grid.pitch(), 13);
        QCOMPARE(shown.pixels, 12);
        const int before = static_cast<int>(shown.asked.size());
        QVERIFY(before > 4 && before < 80 * 4);
        QCOMPARE(shown.asked.front(), at(0, 0));
        shown.grid.verticalScrollBar()->setValue(shown.grid.verticalScrollBar()->maximum());
        QTest::qWait(5);
        QCOMPARE(shown.asked.back(), at(79, 3));
        QVERIFY(shown.asked.front() > at(20, 0));
        const int requests = shown.requests;
        shown.grid.setRowsReady(5);  // a longer run: the same heads anew
        QTest::qWait(5);
        QCOMPARE(shown.requests, requests + 1);
    }

    void thumbnailsShowTheirOwnHead() {
        Shown shown(6, 4, 2, {300, 400});
        shown.grid.setThumbnails(thumbnails(shown.asked, 8, shown.pixels, 6));
        QTest::qWait(5);
        const QImage picture = shown.grid.grab().toImage();
        const QRgb hot = sequentialTable(Scheme::Light)[255],
                   cold = sequentialTable(Scheme::Light)[0];
        for (int h = 0; h < 4; ++h) {
            const QRect rect = shown.grid.headRect(at(3, h));
            const auto pixel = [&](double dest, double src) {
                return picture.pixel(rect.left() + int(rect.width() * (src + 0.5) / 8),
                                     rect.top() + int(rect.height() * (dest + 0.5) / 8));
            };
            for (int s = 0; s < 4; ++s) QCOMPARE(pixel(5, s), s == h ? hot : cold);
            QCOMPARE(pixel(2, 6), theme().maskedThumbnail.rgb());
            const std::set<QRgb> uncomputed{theme().notComputedGround.rgb(),
                                            theme().notComputedDot.rgb()};
            QVERIFY(uncomputed.count(pixel(7, 2)));
        }
    }

    void keysMoveTheFocusIntoView() {
        Shown shown(60, 4, 2, {200, 300});
        QSignalSpy focused(&shown.grid, &HeadGrid::headFocused),
            activated(&shown.grid, &HeadGrid::headActivated);
        shown.grid.setFocus();
        for (int i = 0; i < 45; ++i) QTest::keyClick(&shown.grid, Qt::Key_Down);
        QTest::keyClick(&shown.grid, Qt::Key_Right);
        QCOMPARE(shown.grid.focusedHead(), std::optional(at(44, 1)));
        QCOMPARE(focused.count(), 46);
        QVERIFY(shown.grid.visibleHeads().contains(at(44, 1)));
        const QRect area =
            shown.grid.viewport()->rect().adjusted(GridLayout::gutter, GridLayout::header, 0, 0);
        QVERIFY(area.contains(shown.grid.headRect(at(44, 1))));
        for (int i = 0; i < 9; ++i) QTest::keyClick(&shown.grid, Qt::Key_Left);
        QCOMPARE(shown.grid.focusedHead(), std::optional(at(44, 0)));
        QTest::keyClick(&shown.grid, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].value<engine::LayerHead>(), at(44, 0));
        QCOMPARE(shown.grid.accessibleValue(),
                 QStringLiteral("L44.H0, KV 0, layer 45 of 60, head 1 of 4"));
    }

    void clickFocusesOnce() {
        Shown shown(6, 4, 2, {300, 400});
        QSignalSpy focused(&shown.grid, &HeadGrid::headFocused);
        const QPoint where = shown.grid.headRect(at(4, 2)).center();
        QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {}, where);
        QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {}, where);
        QCOMPARE(focused.count(), 1);
        QCOMPARE(focused[0][0].value<engine::LayerHead>(), at(4, 2));
        QTest::mouseClick(shown.grid.viewport(), Qt::LeftButton, {},
                          QPoint(5, 5));  // the header is no head
        QCOMPARE(focused.count(), 1);
    }

    void ctrlWheelOverridesFitReturns() {
        Shown shown(30, 9, 3, {276, 760});
        const int fitted = shown.grid.pitch();
        QWheelEvent event(QPointF(100, 100), shown.grid.mapToGlobal(QPointF(100, 100)), {},
                          {0, 240}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(shown.grid.viewport(), &event);
        QVERIFY(shown.grid.pitch() > fitted);
        QTest::qWait(5);
        QCOMPARE(shown.pixels, shown.grid.pitch() - 1);
        shown.grid.fit();
        QCOMPARE(shown.grid.pitch(), fitted);
    }

    void hostileValues() {
        Shown shown(3, 2, 1, {300, 200});
        shown.grid.setFocusedHead(at(9, 0));
        QVERIFY(!shown.grid.focusedHead());
        engine::Tile lying = thumbnails({at(0, 0), at(7, 7), at(-1, 0)}, 8, 20, 8);
        shown.grid.setThumbnails(lying);  // heads that do not exist are passed over
        lying.data.shape = {1};
        shown.grid.setThumbnails(lying);
        shown.grid.grab();
        shown.grid.setModel({});
        shown.grid.grab();
        shown.grid.setThumbnails(thumbnails({at(0, 0)}, 8, 20, 8));
    }

    void headBarSaysWhoShares_data() {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("head");
        QTest::addColumn<QString>("text");
        QTest::addRow("group of 3")
            << 9 << 3 << 3 << QStringLiteral("KV 1, shares K and V with H4, H5");
        QTest::addRow("alone") << 4 << 4 << 2 << QStringLiteral("KV 2, shared with no other head");
        QTest::addRow("many") << 16 << 1 << 2
                              << QStringLiteral("KV 0, shares K and V with 15 heads");
    }
    void headBarSaysWhoShares() {
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        QFETCH(int, head);
        QFETCH(QString, text);
        HeadBar bar;
        bar.setModel(modelOf(2, heads, kvHeads));
        bar.setHead(at(1, head));
        QCOMPARE(bar.kvText(), text);
        engine::HeadTable table;
        table.layers = 2;
        table.query_heads = heads;
        table.sink.assign(static_cast<std::size_t>(2 * heads), 0.6912F);
        table.entropy.assign(static_cast<std::size_t>(2 * heads), 0.634F);
        bar.setMetrics(table);
        QCOMPARE(bar.metricsText(), QStringLiteral("sink 0.69 · entropy 0.63 nat"));
        bar.setRows(4096, 8192);
        QCOMPARE(bar.metricsText(), QStringLiteral("4,096 of 8,192 rows"));
        QVERIFY(bar.ruleText().isEmpty());
        engine::ModelInfo windowed = modelOf(2, heads, kvHeads);
        windowed.attention[1].window = 4;
        bar.setModel(windowed);
        bar.setHead(at(1, head));
        QCOMPARE(bar.ruleText(), QStringLiteral("window 4"));
        QVERIFY(bar.accessibleDescription().contains(QStringLiteral("window 4")));
        bar.setHead(at(0, head));
        QVERIFY(bar.ruleText().isEmpty());
    }

    void quantityButtons() {
        HeadBar bar;
        bar.setModel(modelOf(2, 4, 2));
        bar.setHead(at(0, 0));
        bar.resize(800, 36);
        bar.show();
        QSignalSpy chosen(&bar, &HeadBar::quantityChosen);
        auto* segments = bar.findChild<SegmentBar*>();
        QTest::mouseClick(segments->segment(3), Qt::LeftButton);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(bar.quantity(), engine::Quantity::Attribution);
        bar.setQuantity(engine::Quantity::Scores);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(segments->current(), 0);
    }

    void scaleColumnSaysWhatItDoes() {
        ScaleColumn column;
        column.resize(200, 400);
        column.show();
        QSignalSpy changed(&column, &ScaleColumn::scaleChanged);
        MapLegend legend;
        legend.hasData = true;
        legend.exceeded = legend.onlySinkExceeds = true;
        legend.cellPixels = 33;
        legend.scale = scaleFor({}, engine::Quantity::Pattern, {0.83, 1}, Scheme::Light);
        column.setLegend(legend);
        QCOMPARE(column.notes(), (QStringList{QStringLiteral("▸ source 0 exceeds the range"),
                                              QStringLiteral("no pooling, 1 cell = 33 px")}));
        const auto combos = column.findChildren<LabelledCombo*>();
        QCOMPARE(combos[1]->currentText(), QStringLiteral("head, 0–0.83"));
        QVERIFY(!combos[3]->isVisible());
        column.nextPooling();
        QCOMPARE(changed.count(), 0);
        legend.cellsPerPixel = 4;
        legend.exceeded = false;
        column.setLegend(legend);
        QVERIFY(combos[3]->isVisible());
        QCOMPARE(column.notes(), QStringList{QStringLiteral("1 px = 4 × 4 cells, max")});
        column.nextPooling();
        QCOMPARE(column.choice().pooling, engine::Pooling::Mean);
        column.nextScale();
        column.nextRange();
        column.nextSink();
        QCOMPARE(changed.count(), 4);
        QCOMPARE(changed.last()[0].value<ScaleChoice>(), column.choice());
        QCOMPARE(column.choice().transfer, engine::Transfer::Linear);
        QCOMPARE(column.choice().range, RangeMode::Fixed);
        QCOMPARE(column.choice().sink, SinkMode::InScale);
        column.nextSink();
        QCOMPARE(column.choice().sink, SinkMode::Hidden);
        column.nextSink();
        QCOMPARE(column.choice().sink, SinkMode::Renormalized);
        QCOMPARE(combos[2]->currentText(), QStringLiteral("renormalized"));
        QVERIFY(!column.notes().contains(QStringLiteral("rows sum to 1 without source 0")));
        legend.renormalized = true;  // the map follows
        column.setLegend(legend);
        QCOMPARE(column.title(), QStringLiteral("p, renormalized"));
        QCOMPARE(column.notes().front(), QStringLiteral("rows sum to 1 without source 0"));
        QCOMPARE(column.notes().at(1), QStringLiteral("profiles and lists: p as it is"));
        legend.renormalized = false;
        legend.quantity = engine::Quantity::Value;  // of a pattern only: here as out of scale
        column.setLegend(legend);
        QCOMPARE(combos[2]->currentText(), QStringLiteral("out of scale"));
        column.nextSink();
        QCOMPARE(column.choice().sink, SinkMode::InScale);
        column.nextSink();
        QCOMPARE(column.choice().sink, SinkMode::Hidden);
        column.nextSink();
        QCOMPARE(column.choice().sink, SinkMode::OutOfScale);
        legend.quantity = engine::Quantity::Scores;
        column.setLegend(legend);
        column.nextScale();
        QVERIFY(column.choice().rank);  // log is for what has no sign
        QVERIFY(column.notes().contains(QStringLiteral("rank: compare places, not values")));
        column.nextScale();
        QVERIFY(!column.choice().rank);
        QCOMPARE(column.choice().transfer, engine::Transfer::Sqrt);
        // A range is offered where the metrics know it.
        column.nextRange();
        QCOMPARE(combos[1]->currentText(), QStringLiteral("head, ±0.83"));
        legend.offersWider = true;
        legend.scale.diverging = true;
        column.setLegend(legend);
        column.nextRange();
        QCOMPARE(column.choice().range, RangeMode::Layer);
        column.nextRange();
        QCOMPARE(combos[1]->currentText(), QStringLiteral("model, ±0.83"));
    }
};

QTEST_MAIN(MapGridTest)
#include "map_grid.moc"
