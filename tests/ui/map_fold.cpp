// SPDX-License-Identifier: GPL-3.0-or-later
// Layers and KV groups of the grid that share a picture: what it shows, and how mouse and methods
// fold and unfold them.
#include <QSignalSpy>
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/figure.h"
#include "ui/painting/grid_layout.h"
#include "ui/painting/palette.h"
#include "ui/painting/thumbnail.h"

using namespace ui;

namespace {

constexpr int tokens = 4;

engine::LayerHead at(int layer, int head) {
    return {engine::Layer{layer}, engine::QueryHead{head}};
}

// p of cell (dest, src) of a head, a whole number of 255ths of a root.
int rootOf(engine::LayerHead head, int dest, int src) {
    return (37 * engine::to_int(head.layer) + 53 * engine::to_int(head.head) + 91 * dest +
            17 * src) %
           256;
}

engine::Tile thumbnails(const std::vector<engine::LayerHead>& heads, std::int64_t rows = tokens) {
    engine::Tile tile;
    tile.request.heads = heads;
    tile.request.dest = tile.request.src = engine::Axis{0, tokens, 1, {}};
    tile.rows_ready = rows;
    std::vector<std::uint8_t> bytes;
    for (const engine::LayerHead head : heads)
        for (int dest = 0; dest < tokens; ++dest)
            for (int src = 0; src < tokens; ++src)
                bytes.push_back(static_cast<std::uint8_t>(rootOf(head, dest, src)));
    tile.data = engine::make_payload(engine::DType::U8, {std::ssize(heads), tokens, tokens},
                                     std::move(bytes));
    return tile;
}

struct Shown {
    HeadGrid grid;
    QVector<engine::LayerHead> asked;
    bool answers = true;

    explicit Shown(int layers = 6, int heads = 6, int kvHeads = 2) {
        QObject::connect(&grid, &HeadGrid::thumbnailsWanted, &grid,
                         [this](const QVector<engine::LayerHead>& wanted, int) {
                             asked = wanted;
                             if (answers)
                                 grid.setThumbnails(thumbnails({wanted.begin(), wanted.end()}));
                         });
        grid.resize(320, 260);
        grid.setModel(modelOf(layers, heads, kvHeads));
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        QTest::qWait(5);
    }
    void click(QPoint where, Qt::KeyboardModifiers held = {}) {
        QTest::mouseClick(grid.viewport(), Qt::LeftButton, held, where);
        QTest::qWait(5);
    }
    QPoint layerName(int layer) const { return {10, grid.headRect(at(layer, 0)).center().y()}; }
    QPoint groupName(int firstHead) const {
        return {grid.headRect(at(0, firstHead)).center().x(), 12};
    }
    void drag(int from, int to) {
        QTest::mousePress(grid.viewport(), Qt::LeftButton, {}, layerName(from));
        QTest::mouseMove(grid.viewport(), layerName(to));
        QTest::mouseRelease(grid.viewport(), Qt::LeftButton, {}, layerName(to));
        QTest::qWait(5);
    }
};

}  // namespace

class MapFoldTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void rangesJoinWhatTheyTouch_data() {
        QTest::addColumn<QList<int>>("folds");  // begin, end, …
        QTest::addColumn<QList<int>>("rows");
        QTest::addRow("one layer is no range") << QList{3, 4} << QList<int>{};
        QTest::addRow("beside") << QList{4, 6, 0, 2, 2, 4} << QList{0, 2, 2, 4, 4, 6};
        QTest::addRow("across") << QList{1, 3, 5, 8, 2, 6} << QList{1, 8};
        QTest::addRow("inside") << QList{1, 6, 2, 4} << QList{1, 6};
    }
    void rangesJoinWhatTheyTouch() {
        QFETCH(QList<int>, folds);
        QFETCH(QList<int>, rows);
        GridFold fold;
        for (int i = 0; i < folds.size(); i += 2) fold.foldLayers({folds[i], folds[i + 1]});
        QList<int> found;
        for (const engine::Rows& range : fold.layers)
            found << static_cast<int>(range.begin) << static_cast<int>(range.end);
        QCOMPARE(found, rows);
    }

    void layoutGivesAPictureOnePlace() {
        GridFold fold;
        fold.foldLayers({1, 4});
        fold.toggleGroup(1);
        const GridLayout layout(6, 6, 2, 20, fold);
        QCOMPARE(layout.rows(), 4);
        QCOMPARE(layout.columns(), 4);
        QCOMPARE(layout.rectOf(at(1, 3)), layout.rectOf(at(3, 5)));
        QCOMPARE(layout.rectOf(at(4, 0)).top(), 40);
        QCOMPARE(layout.headsWith(at(2, 4)).size(), std::size_t(9));
        QCOMPARE(layout.headAt(layout.rectOf(at(3, 5)).center()), std::optional(at(1, 3)));
        QCOMPARE(layout.headAt(layout.rectOf(at(5, 2)).center()), std::optional(at(5, 2)));
        QVERIFY(layout.groupRect(1).contains(layout.rectOf(at(0, 5))));
        QVERIFY(!layout.headAt({3, 4 * 20}));
        QVERIFY(GridLayout::fittingPitch(6, 6, 2, {200, 400}, fold) >
                GridLayout::fittingPitch(6, 6, 2, {200, 400}));
    }

    void pictureIsTheLargestOrTheMean_data() {
        QTest::addColumn<bool>("mean");
        QTest::addRow("max") << false;
        QTest::addRow("mean") << true;
    }
    void pictureIsTheLargestOrTheMean() {
        QFETCH(bool, mean);
        const std::vector<engine::LayerHead> heads{at(1, 0), at(1, 2), at(4, 1)};
        // From two answers, as they arrive in parts.
        const auto two =
            std::make_shared<const engine::Tile>(thumbnails({at(0, 0), heads[0], heads[1]}, 4));
        const auto one = std::make_shared<const engine::Tile>(thumbnails({heads[2]}, 3));
        const auto folded =
            foldedTile({{two, 1}, {two, 2}, {one, 0}}, mean ? FoldPooling::Mean : FoldPooling::Max);
        QVERIFY(folded.has_value());
        QCOMPARE(folded->rows_ready, std::int64_t(3));
        const auto bytes = folded->data.as<std::uint8_t>();
        for (int dest = 0; dest < tokens; ++dest)
            for (int src = 0; src < tokens; ++src) {
                double most = 0, sum = 0;
                for (const engine::LayerHead head : heads) {
                    const double p = std::pow(rootOf(head, dest, src) / 255.0, 2);
                    most = std::max(most, p);
                    sum += p;
                }
                const double expected = 255 * std::sqrt(mean ? sum / 3 : most);
                const int found = bytes[static_cast<std::size_t>(dest * tokens + src)];
                QVERIFY(std::abs(found - expected) < 0.51);
            }
        engine::Tile longer = *one;
        longer.request.src.end = longer.request.dest.end = 8;
        longer.request.src.cells_per_pixel = longer.request.dest.cells_per_pixel = 2;
        const auto other = std::make_shared<const engine::Tile>(longer);
        QVERIFY(!foldedTile({{two, 0}, {other, 0}}, FoldPooling::Max));
        QVERIFY(!foldedTile({{two, 0}, {nullptr, 0}}, FoldPooling::Max));
    }

    void groupNameFoldsItsHeads() {
        Shown shown;
        QSignalSpy folded(&shown.grid, &HeadGrid::foldChanged);
        const QRect before = shown.grid.headRect(at(0, 3));
        shown.click(shown.groupName(1));
        QCOMPARE(folded.count(), 1);
        QCOMPARE(shown.grid.fold().groups, std::vector<int>{0});
        QCOMPARE(shown.grid.pictures(), 6 * 4);
        QCOMPARE(shown.grid.headRect(at(2, 0)), shown.grid.headRect(at(2, 2)));
        QVERIFY(shown.grid.headRect(at(0, 3)) != before);
        // Every head of the picture is asked for, and what they give is what it shows.
        QCOMPARE(shown.asked.size(), 36);
        const QImage picture = shown.grid.viewport()->grab().toImage();
        const QRect rect = shown.grid.headRect(at(2, 0));
        const int cell = rect.height() / tokens;
        const QPoint where = rect.topLeft() + QPoint(cell / 2, 3 * cell + cell / 2);
        int most = 0;
        for (int head = 0; head < 3; ++head) most = std::max(most, rootOf(at(2, head), 3, 0));
        QCOMPARE(picture.pixel(where),
                 sequentialTable(Scheme::Light)[static_cast<std::size_t>(most)]);
        shown.click(shown.groupName(1));
        QVERIFY(shown.grid.fold().isEmpty());
        QCOMPARE(shown.grid.headRect(at(0, 3)), before);
    }

    void layersFoldByDragAndKey() {
        Shown shown;
        shown.grid.setFocusedHead(at(5, 2));
        shown.drag(3, 1);
        QCOMPARE(shown.grid.fold().layers, (std::vector<engine::Rows>{{1, 4}}));
        QCOMPARE(shown.grid.headRect(at(1, 4)), shown.grid.headRect(at(3, 4)));
        shown.click(shown.layerName(0));  // one layer alone stays what it is
        QCOMPARE(shown.grid.fold().layers.size(), std::size_t(1));
        shown.click(shown.layerName(4), Qt::ShiftModifier);
        QCOMPARE(shown.grid.fold().layers, (std::vector<engine::Rows>{{1, 4}, {4, 6}}));
        shown.click(shown.layerName(2));
        QCOMPARE(shown.grid.fold().layers, (std::vector<engine::Rows>{{4, 6}}));
        QSignalSpy begun(&shown.grid, &HeadGrid::foldBegun);
        shown.grid.foldLayers();  // focused in the folded row: unfolds it
        QVERIFY(shown.grid.fold().isEmpty());
        QCOMPARE(begun.count(), 0);
        shown.grid.foldLayers();
        QCOMPARE(begun.count(), 1);
        shown.grid.setFocusedHead(at(2, 2));
        shown.grid.foldLayers();
        QCOMPARE(shown.grid.fold().layers, (std::vector<engine::Rows>{{2, 6}}));
        shown.grid.foldGroups();
        QCOMPARE(shown.grid.fold().groups, (std::vector<int>{0, 1}));
        shown.click({10, 28});  // the corner says what is shown, and changes it
        QCOMPARE(shown.grid.fold().pooling, FoldPooling::Mean);
        QVERIFY(shown.grid.describe(at(3, 1)).contains(
            QStringLiteral("L3.H1 · mean of 12: L2–L5, H0–H2")));
        QVERIFY(shown.grid.accessibleValue().contains(QStringLiteral("mean of 12")));
        shown.grid.unfoldAll();
        QVERIFY(shown.grid.fold().isEmpty());
        QCOMPARE(shown.grid.describe(at(3, 1)), QStringLiteral("L3.H1"));
    }

    void pictureStandsForTheBestRanked() {
        Shown shown;
        shown.grid.foldGroups();
        QTest::qWait(5);
        shown.grid.setRanking({at(2, 4), at(2, 5), at(2, 1)}, false);
        QSignalSpy focused(&shown.grid, &HeadGrid::headFocused);
        QSignalSpy pinned(&shown.grid, &HeadGrid::headPinToggled);
        shown.click(shown.grid.headRect(at(2, 3)).center());
        QCOMPARE(focused.last()[0].value<engine::LayerHead>(), at(2, 4));
        shown.click(shown.grid.headRect(at(2, 0)).center(), Qt::ControlModifier);
        QCOMPARE(pinned.last()[0].value<engine::LayerHead>(), at(2, 1));
        shown.click(shown.grid.headRect(at(3, 0)).center());
        QCOMPARE(focused.last()[0].value<engine::LayerHead>(), at(3, 0));
        shown.grid.setFocusedHead(at(2, 5));
        QCOMPARE(shown.grid.headAt(shown.grid.headRect(at(2, 3)).center()),
                 std::optional(at(2, 5)));
    }

    void arrowsGoFromPictureToPicture_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("layer");
        QTest::addColumn<int>("head");
        QTest::addRow("down past the range") << static_cast<int>(Qt::Key_Down) << 4 << 1;
        QTest::addRow("up") << static_cast<int>(Qt::Key_Up) << 0 << 1;
        QTest::addRow("right: the next group's first") << static_cast<int>(Qt::Key_Right) << 2 << 3;
        QTest::addRow("left: stays") << static_cast<int>(Qt::Key_Left) << 2 << 1;
    }
    void arrowsGoFromPictureToPicture() {
        QFETCH(int, key);
        QFETCH(int, layer);
        QFETCH(int, head);
        Shown shown;
        shown.grid.foldGroups();
        GridFold fold = shown.grid.fold();
        fold.foldLayers({1, 4});
        shown.grid.setFold(fold);
        shown.grid.setFocusedHead(at(2, 1));
        shown.grid.setFocus();
        QTest::keyClick(&shown.grid, static_cast<Qt::Key>(key));
        QCOMPARE(shown.grid.focusedHead(), std::optional(at(layer, head)));
    }

    void aPictureWaitsForAllOfItsHeads() {
        Shown shown;
        shown.grid.foldGroups();
        QTest::qWait(5);
        const QImage before = shown.grid.viewport()->grab().toImage();
        shown.answers = false;
        engine::Tile longer = thumbnails({at(0, 0)});
        longer.request.dest.end = longer.request.src.end = 2 * tokens;
        longer.request.dest.cells_per_pixel = longer.request.src.cells_per_pixel = 2;
        shown.grid.setThumbnails(longer);  // one head alone has gone on
        QCOMPARE(shown.grid.viewport()->grab().toImage(), before);
    }

    void manyKvHeadsHaveNoGroupToFold() {
        Shown shown(3, 4, 4);
        QVERIFY(!shown.grid.canFoldGroups());
        shown.grid.foldGroups();
        shown.click(shown.groupName(1));
        QVERIFY(shown.grid.fold().isEmpty());
    }

    void figureSaysWhatIsFolded() {
        GridFigure figure;
        figure.model = modelOf(4, 4, 2);
        std::vector<engine::LayerHead> heads;
        for (int i = 0; i < 16; ++i) heads.push_back(at(i / 4, i % 4));
        figure.tile = thumbnails(heads);
        const QSize whole = gridFigureSize(figure);
        figure.fold.foldLayers({0, 3});
        figure.fold.toggleGroup(0);
        const QSize folded = gridFigureSize(figure);
        QVERIFY(folded.height() < whole.height());
        const QImage max = renderGridFigure(figure, 1);
        QCOMPARE(max.size(), folded);
        figure.fold.pooling = FoldPooling::Mean;
        QVERIFY(renderGridFigure(figure, 1) != max);
    }
};

QTEST_MAIN(MapFoldTest)
#include "map_fold.moc"
