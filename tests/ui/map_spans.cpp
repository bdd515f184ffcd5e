// SPDX-License-Identifier: GPL-3.0-or-later
// The map by words, sentences, lines and turns: what it asks for, draws, says and answers.
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/pinned_map.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/figure.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/text_spans.h"
#include "ui/steps/token_ticker.h"

using namespace ui;

namespace {

// 0 When | 1 Mary | 2 don 3 't | 4 go | 5 , | 6 J 7 ohn | 8 gave | 9 . : nine words, eight of one
// token.
const std::vector<std::string> texts{"When", " Mary", " don", "'t",    " go",
                                     ",",    " J",    "ohn",  " gave", "."};
const std::vector<std::int64_t> words{0, 1, 2, 4, 5, 6, 8, 9, 10};

// Row d has 1 / (d + 1) on each of its sources.
const CellValue even = [](std::int64_t d, std::int64_t) { return 1 / static_cast<float>(d + 1); };

// As the contract says: mean over the rows of dest that are there, sum over src.
engine::Tile spanTile(const engine::Axis& dest, const engine::Axis& src, std::int64_t rows,
                      const CellValue& value) {
    engine::Tile tile = tileOf(value, dest, src, rows);
    std::vector<float> values;
    for (std::int64_t y = 0; y < dest.pixels(); ++y)
        for (std::int64_t x = 0; x < src.pixels(); ++x) {
            const engine::Rows to = dest.cells_of(y), from = src.cells_of(x);
            const std::int64_t end = std::min(to.end, rows);
            double sum = 0;
            for (std::int64_t d = to.begin; d < end; ++d)
                for (std::int64_t s = from.begin; s < std::min(from.end, d + 1); ++s)
                    sum += static_cast<double>(value(d, s));
            values.push_back(
                end > to.begin ? static_cast<float>(sum / static_cast<double>(end - to.begin)) : 0);
        }
    tile.request.pooling = engine::Pooling::Mean;
    tile.data = engine::make_payload(engine::DType::F32, {1, dest.pixels(), src.pixels()},
                                     std::move(values));
    return tile;
}

struct Shown {
    HeadHeatmap map;
    engine::Axis dest, src;
    engine::Pooling pooling{};
    std::vector<std::pair<engine::Rows, engine::Rows>> blocks;
    std::vector<std::pair<std::int64_t, std::int64_t>> hovered, clicked;
    std::int64_t rows;

    explicit Shown(const std::vector<engine::Token>& tokens, std::int64_t rows_ = -1,
                   std::int64_t reserved = 0)
        : rows(rows_ < 0 ? std::ssize(tokens) : rows_) {
        QObject::connect(&map, &HeadHeatmap::viewWanted, &map,
                         [this](engine::Axis d, engine::Axis s, engine::Pooling p) {
                             dest = d;
                             src = s;
                             pooling = p;
                             map.setTile(d.edges.empty() ? tileOf(even, d, s, rows)
                                                         : spanTile(d, s, rows, even));
                         });
        const auto at = [](engine::Position d, engine::Position s) {
            return std::pair(engine::to_int(d), engine::to_int(s));
        };
        QObject::connect(&map, &HeadHeatmap::cellHovered, &map,
                         [=, this](auto d, auto s) { hovered.push_back(at(d, s)); });
        QObject::connect(&map, &HeadHeatmap::blockHovered, &map,
                         [this](auto d, auto s) { blocks.emplace_back(d, s); });
        QObject::connect(&map, &HeadHeatmap::cellClicked, &map,
                         [=, this](auto d, auto s) { clicked.push_back(at(d, s)); });
        map.resize(600, 600);
        map.setSelection(selectionOf(0, 0, false));
        map.setTokens(tokens, std::ssize(tokens), reserved);
        map.setRowsReady(rows);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        QTest::qWait(1);
    }
    QPoint at(double unitDest, double unitSrc) const {
        return QPointF(map.xAxis->coordToPixel(unitSrc), map.yAxis->coordToPixel(unitDest))
            .toPoint();
    }
    void hover(double unitDest, double unitSrc) {
        QTest::mouseMove(&map, QPoint(1, 1));
        QTest::mouseMove(&map, at(unitDest, unitSrc));
    }
    const ReadOutContent& content() { return map.findChild<ReadOut*>()->content(); }
};

}  // namespace

class MapSpansTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void asksForSpans() {
        Shown shown(tokensOf(texts));
        QVERIFY(shown.dest.edges.empty());
        shown.map.setGranularity(Granularity::Words);
        QCOMPARE(shown.dest.edges, words);
        QCOMPARE(shown.src.edges, words);
        QCOMPARE(shown.pooling, engine::Pooling::Mean);
        QCOMPARE(shown.map.geometry().tokens(), 8);
        shown.map.setGranularity(Granularity::Lines);  // one line: one cell
        QCOMPARE(shown.dest.edges, (std::vector<std::int64_t>{0, 10}));
        shown.map.setGranularity(Granularity::Tokens);
        QVERIFY(shown.dest.edges.empty());
        QCOMPARE(shown.dest.end, 10);
        QCOMPARE(shown.pooling, engine::Pooling::None);
    }

    // Of one line, or one token, nothing else would be left to see.
    void theOnlyColumnIsDrawn_data() {
        QTest::addColumn<int>("tokens");
        QTest::addRow("a line") << 10;
        QTest::addRow("a token") << 1;
    }
    void theOnlyColumnIsDrawn() {
        QFETCH(int, tokens);
        Shown shown(tokensOf({texts.begin(), texts.begin() + tokens}));
        ScaleChoice choice;
        choice.sink = SinkMode::Hidden;
        shown.map.setScale(choice);
        const auto pixel = [&] { return shown.map.grab().toImage().pixel(shown.at(0.2, 0.2)); };
        if (tokens > 1) QCOMPARE(pixel(), theme().base.rgb());
        shown.map.setGranularity(Granularity::Lines);
        QVERIFY(pixel() != theme().base.rgb());
        QVERIFY(shown.map.legend().onlyColumn);
        QCOMPARE(shown.map.legend().hiddenSources, 0);
        PinnedMap pinned({engine::Layer(0), engine::QueryHead(0)});
        pinned.resize(100, PinnedMap::heightFor(100));
        pinned.setLook({shown.map.geometry().view(), shown.map.units(), 1, tokens,
                        engine::Quantity::Pattern, false, shown.map.legend().scale,
                        shown.map.scene().hidesSink});
        pinned.setTile(*shown.map.scene().tile, 0);
        pinned.placePicture();
        QVERIFY(pinned.grab().toImage().pixel(50, 50) != theme().base.rgb());
    }

    // Each value stands where its spans are, and a row of them sums to 1.
    void drawsMass() {
        Shown shown(tokensOf(texts));
        shown.map.setGranularity(Granularity::Words);
        shown.map.setSelection(selectionOf(7, 2, true));  // "John" ← "don't"
        for (std::int64_t row = 0; row < 8; ++row) {
            double sum = 0;
            for (std::int64_t column = 0; column <= row; ++column) {
                shown.hover(static_cast<double>(row), static_cast<double>(column));
                QVERIFY(shown.content().drawn.has_value());
                sum += *shown.content().drawn;
            }
            QVERIFY(std::abs(sum - 1) < 1e-6);
        }
        shown.hover(5, 2);
        // Rows 6 and 7, two sources each.
        QVERIFY(std::abs(*shown.content().drawn - (2.0 / 7 + 2.0 / 8) / 2) < 1e-7);
        QCOMPARE(shown.content().destSpan, (engine::Rows{6, 8}));
        QCOMPARE(shown.content().srcSpan, (engine::Rows{2, 4}));
        QCOMPARE(shown.map.findChild<ReadOut*>()->header(),
                 QStringLiteral("dest tokens 6–7 ·John ← src tokens 2–3 ·don't"));
        QCOMPARE(shown.map.findChild<ReadOut*>()->fields().front().name,
                 QStringLiteral("mass, mean over dest"));
        shown.hover(2, 5);  // above the diagonal
        QCOMPARE(shown.content().kind, CellKind::Masked);
        const QImage picture = shown.map.grab().toImage();
        QCOMPARE(picture.pixel(shown.at(2, 6)), theme().maskedMap.rgb());
        QVERIFY(picture.pixel(shown.at(7, 2)) != theme().maskedMap.rgb());
    }

    void labelsAreTheSpansText() {
        Shown shown(tokensOf(texts));
        shown.map.setGranularity(Granularity::Words);
        shown.map.grab();
        const auto labels = rowLabels(shown.map.scene());
        QCOMPARE(labels.size(), 8U);
        QCOMPARE(labels[2].text(), QStringLiteral("2 ·don't"));
        QCOMPARE(labels[5].text(), QStringLiteral("6 ·John"));
        QVERIFY(shown.map.accessibleValue().contains(QStringLiteral("dest tokens 0 When")));
    }

    void hoverAndClick() {
        Shown shown(tokensOf(texts));
        shown.map.setGranularity(Granularity::Words);
        shown.hover(5, 2);
        QCOMPARE(shown.blocks.back(), std::pair(engine::Rows{6, 8}, engine::Rows{2, 4}));
        // The cell that stands for them comes from outside, and a click takes it.
        engine::Cell cell{testRun, testHead, engine::Position{7}, engine::Position{3}, true};
        cell.pattern = 0.5F;
        shown.map.setCell(cell);
        const auto fields = shown.map.findChild<ReadOut*>()->fields();
        QCOMPARE(fields[1].name, QStringLiteral("largest in cell"));
        QCOMPARE(fields[1].value, QStringLiteral("7 ← 3"));
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(5, 2));
        QCOMPARE(shown.clicked.back(), std::pair(std::int64_t{7}, std::int64_t{3}));
        shown.hover(4, 0);  // one token each
        QCOMPARE(shown.hovered.back(), std::pair(std::int64_t{5}, std::int64_t{0}));
        // Without an answer: the newest row, and a source that it sees.
        shown.hover(5, 5);
        QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.at(5, 5));
        QCOMPARE(shown.clicked.back(), std::pair(std::int64_t{7}, std::int64_t{7}));
        shown.map.setSelection(selectionOf(7, 7, true));
        QCOMPARE(*shown.map.scene().selected, (MapCell{5, 5}));
        shown.map.moveLock(0, -3);  // by spans: "don't"
        QCOMPARE(shown.clicked.back(), std::pair(std::int64_t{7}, std::int64_t{2}));
        shown.map.moveLock(1, 0);
        QCOMPARE(shown.clicked.back(), std::pair(std::int64_t{8}, std::int64_t{6}));
    }

    // What an edit forbids within two spans is said with their mass, of one token each as of a
    // cell.
    void forbiddenWithin() {
        Shown shown(tokensOf(texts));
        shown.map.setGranularity(Granularity::Words);
        shown.map.setForbidden({{testHead, {7, 8}, {3, 4}},
                                {testHead, engine::every_row, {0, 1}},
                                {testHead, {6, 7}, {7, 8}}});  // later than its row
        const auto* box = shown.map.findChild<ReadOut*>();
        shown.hover(5, 2);  // rows 6 and 7, sources 2 and 3
        QCOMPARE(box->fields()[1].name, QStringLiteral("forbidden within"));
        QCOMPARE(box->fields()[1].value, QStringLiteral("7 ← 3"));
        shown.hover(5, 5);
        QVERIFY(shown.content().forbiddenWithin.isEmpty());
        shown.hover(5, 1);
        QVERIFY(shown.content().forbiddenWithin.isEmpty() && shown.content().forbiddenBy.isEmpty());
        shown.hover(4, 0);  // one token each
        QCOMPARE(box->fields()[0].name, QStringLiteral("forbidden by the edit"));
        QCOMPARE(box->fields()[0].value, QStringLiteral("every row ← 0"));
    }

    // New tokens go on with the last span or begin another; the whole stays whole.
    void growsWithTheText() {
        Shown shown(tokensOf({"One", " two"}), 2, 12);
        shown.map.setGranularity(Granularity::Words);
        QCOMPARE(shown.dest.edges, (std::vector<std::int64_t>{0, 1, 2}));  // nothing is reserved
        shown.map.appendToken(tokensOf({"fold"}).front());
        QCOMPARE(shown.dest.edges, (std::vector<std::int64_t>{0, 1, 3}));
        shown.map.appendToken(tokensOf({" Three"}).front());
        QCOMPARE(shown.dest.edges, (std::vector<std::int64_t>{0, 1, 3, 4}));
        QVERIFY(shown.map.geometry().isWhole());
        // "fold" has no row yet: its span is the mean of those there are, "Three" is not computed.
        shown.hover(1, 0);
        QCOMPARE(shown.content().kind, CellKind::Value);
        QVERIFY(std::abs(*shown.content().drawn - 0.5) < 1e-7);
        shown.hover(2, 0);
        QCOMPARE(shown.content().kind, CellKind::NotComputed);
        QVERIFY(shown.map.legend().notComputed);
    }

    void partInViewStays() {
        std::vector<std::string> many;
        for (int i = 0; i < 120; ++i) many.push_back(i % 2 ? "x" : " a" + std::to_string(i));
        Shown shown(tokensOf(many));
        shown.map.showView({60, 40, 20});
        shown.map.setGranularity(Granularity::Words);
        QCOMPARE(shown.map.geometry().view(), (MapView{30, 20, 10}));
        shown.map.setGranularity(Granularity::Tokens);
        QCOMPARE(shown.map.geometry().view(), (MapView{60, 40, 20}));
    }

    // More spans than pixels: a pixel is a coarser span.
    void pooledSpans() {
        std::vector<std::string> many;
        for (int i = 0; i < 3000; ++i) many.push_back(i % 2 ? "x" : " a" + std::to_string(i));
        Shown shown(tokensOf(many));
        shown.map.setGranularity(Granularity::Words);
        const std::int64_t p = shown.map.geometry().cellsPerPixel();
        QVERIFY(p > 1);
        QCOMPARE(shown.dest.edges[1], 2 * p);
        ScaleColumn column;
        column.setLegend(shown.map.legend());
        QVERIFY(column.notes().contains(QStringLiteral("1 px = %1 × %1 words").arg(p)));
        shown.hover(100, 20);
        QVERIFY(shown.content().drawn.has_value());
        QCOMPARE(shown.content().destSpan.count(), 2 * p);
        QVERIFY(!shown.blocks.empty());
        // Of millions of cells none is searched for: their mass is said.
        shown.map.setGranularity(Granularity::Lines);
        shown.blocks.clear();
        shown.hover(0, 0);
        QVERIFY(shown.blocks.empty() && shown.hovered.empty());
        QVERIFY(std::abs(*shown.content().drawn - 1) < 1e-6);
    }

    void scaleColumnSays() {
        Shown shown(tokensOf(texts));
        ScaleColumn column;
        column.setLegend(shown.map.legend());
        QVERIFY(column.accessibleDescription().startsWith(QStringLiteral("p (pattern)")));
        shown.map.setGranularity(Granularity::Words);
        column.setLegend(shown.map.legend());
        QVERIFY(column.accessibleDescription().startsWith(QStringLiteral("mass, by words")));
        QVERIFY(column.notes().contains(QStringLiteral("mean over dest, sum over src")));
        const QString emptyRow = QStringLiteral("row 0 counts as 0: it sees nothing else");
        QVERIFY(!column.notes().contains(emptyRow));
        MapLegend legend = shown.map.legend();
        legend.renormalized = true;
        column.setLegend(legend);
        QVERIFY(column.notes().contains(emptyRow));
        legend.units = {};  // of tokens a row's own column says it
        column.setLegend(legend);
        QVERIFY(!column.notes().contains(emptyRow));
    }

    // A layer's window in tokens shades and outlines spans.
    void windowOfALayer() {
        Shown shown(tokensOf(texts));
        engine::AttentionRule rule;
        rule.window = 3;
        shown.map.setRule(rule);
        shown.map.setGranularity(Granularity::Words);
        shown.hover(7, 5);  // "." at 9 sees 7 to 9: a part of " John"
        QCOMPARE(shown.content().kind, CellKind::Value);
        shown.hover(7, 4);
        QCOMPARE(shown.content().kind, CellKind::OutOfWindow);
        shown.map.setSelection(selectionOf(9, 9, true));
        shown.map.moveLock(0, -9);  // no further than what the row sees
        QCOMPARE(shown.clicked.back(), std::pair(std::int64_t{9}, std::int64_t{7}));
        shown.map.grab();
    }

    void figureOfSpans() {
        HeadFigure figure;
        figure.tokens = tokensOf(texts);
        figure.units = unitsOf(figure.tokens, Granularity::Words);
        const engine::Axis axis = figureAxis(figure.units, 10, 1, 2);
        QCOMPARE(axis.edges, words);
        figure.panels = {{testHead, spanTile(axis, axis, 10, even), 0, 0, {}}};
        const QImage spans = renderHeadFigure(figure, 1);
        figure.units = {};
        const engine::Axis cells = figureAxis(10, 1, 2);
        figure.panels = {{testHead, tileOf(even, cells, cells, 10), 0, 0, {}}};
        QVERIFY(!spans.isNull() && spans.size() != renderHeadFigure(figure, 1).size());
    }
};

QTEST_MAIN(MapSpansTest)
#include "map_spans.moc"
