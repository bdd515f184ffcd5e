// SPDX-License-Identifier: GPL-3.0-or-later
// As reference_images.cpp, of what is not drawn on axes: whole pages, the text, the steps, a
// dialog; and of what a map and the grid make of a coarser choice.
#include <QComboBox>
#include <QTest>
#include <functional>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "tests/ui/reference_views.h"
#include "ui/compare/compare_page.h"
#include "ui/composer/figure_composer.h"
#include "ui/composer/figure_preview.h"
#include "ui/contributions/logits_panel.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/figure.h"
#include "ui/steps/step_bar.h"
#include "ui/steps/step_lane.h"
#include "ui/strip/text_view.h"
#include "ui/window/empty_page.h"

using namespace ui;
using namespace reference;

namespace {

// On the theme's ground, as in the window.
QImage pageOf(QWidget& widget, QSize size) {
    widget.setPalette(theme().palette());
    widget.setAutoFillBackground(true);
    return pictureOf(widget, size);
}

QImage text() {
    TextView view;
    std::vector<engine::Token> tokens = sentence();
    tokens[0] = {engine::TokenId{1}, "<|im_start|>", 0, 0, true};
    tokens[8].bytes = ",\n";
    tokens.push_back(tokensOf({" Mary"})[0]);  // generated, and without a row
    view.setTokens(tokens, 14);
    view.setRows(14);
    view.setSelection(engine::Position{9}, engine::Position{2});
    const CellValue value = patternOf(14);
    std::vector<float> row, column;
    for (int i = 0; i < 14; ++i) {
        row.push_back(i <= 9 ? value(9, i) : 0);
        column.push_back(i >= 2 ? value(i, 2) : 0);
    }
    view.setRow(row);
    view.setColumn(column);
    view.setSpan(engine::Rows{5, 8});
    return pageOf(view, {420, 130});
}

// A prompt's candidates, or the steps after it with a run beside them.
QImage steps(bool generated) {
    StepBar bar;
    bar.startRun(14);
    bar.setPrefill(14);
    bar.setForkable(true);
    bar.setCandidates(frame::candidates({" Mary", " the", " John", " her", " him", "\n"}));
    if (generated) {
        const std::vector<std::string> texts{" Mary", ".", "\n", "<b>", " She"};
        bar.setPlan(QStringLiteral("greedy"), 9);
        for (int i = 0; i < 5; ++i) {
            bar.appendStep(frame::step(14 + i, texts[static_cast<std::size_t>(i)]));
            bar.appendText(texts[static_cast<std::size_t>(i)], {});
        }
        bar.setRuns(QStringLiteral("A"), {},
                    {{QStringLiteral("B"),
                      QStringLiteral("fork of A at 2"),
                      2,
                      {frame::step(14, " Mary"), frame::step(15, "."), frame::step(16, " John"),
                       frame::step(17, " ran")}}});
        bar.setSelected(engine::Position{16});
        pageOf(bar, {560, 230});
        QTest::qWait(150);  // the text gathers what is added to it
    }
    return pageOf(bar, {560, generated ? 230 : 92});
}

QImage next() {
    LogitsPanel panel;
    engine::TopTokens top{testRun, engine::Position{13}, {}};
    top.candidates = frame::candidates({" Mary", " the", " John", " her", " him", "\n"});
    panel.setTopTokens(top);
    panel.setDistractor(top.candidates[2]);
    panel.setLogit(2);
    return pageOf(panel, {326, 206});
}

constexpr engine::RunId runA{1}, runB{2};

engine::Tile tileOfRun(engine::RunId run, std::optional<engine::RunId> minus,
                       const engine::Axis& axis) {
    const CellValue value = patternOf(axis.end);
    const auto moved = [](std::int64_t d, std::int64_t s) {
        return d < 10 ? 0.0F : (s % 2 ? 0.3F : -0.2F) / static_cast<float>(d - s + 1);
    };
    engine::Tile tile = tileOf([](auto, auto) { return 0.0F; }, axis, axis, axis.end);
    std::vector<float> values;
    for (std::int64_t d = axis.begin; d < axis.end; ++d)
        for (std::int64_t s = axis.begin; s < axis.end; ++s)
            values.push_back(s > d         ? 0.0F
                             : minus       ? moved(d, s)
                             : run == runB ? value(d, s) + moved(d, s)
                                           : value(d, s));
    tile.request.run = run;
    tile.request.minus = minus;
    tile.data = engine::make_payload(engine::DType::F32, {1, axis.pixels(), axis.pixels()},
                                     std::move(values));
    return tile;
}

QImage comparison() {
    ComparePage page;
    page.setModel(modelOf(5, 6, 2));
    page.setRuns({{runA, QStringLiteral("A"), {}},
                  {runB, QStringLiteral("B"), QStringLiteral("fork of A at 10")}});
    CompareSide a{runA, QStringLiteral("A"), sentence(), 9, 14, 14};
    CompareSide b{runB, QStringLiteral("B"), sentence(), 9, 14, 14};
    b.tokens[10] = {engine::TokenId{5}, " took", 0, 0, false};
    page.setSides(a, b);
    page.setSelection({runB, testHead, engine::Position{11}, engine::Position{3}, true});
    pageOf(page, {760, 520});
    const engine::Axis axis = page.maps().picture(CompareMaps::A).scene().geometry.dest();
    page.maps().setTile(tileOfRun(runA, {}, axis));
    page.maps().setTile(tileOfRun(runB, {}, axis));
    page.maps().setTile(tileOfRun(runB, runA, axis));
    ChangeTable changes;
    changes.a = runA;
    changes.b = runB;
    changes.rows = {10, 14};
    changes.layers = 5;
    changes.query_heads = 6;
    for (int i = 0; i < 30; ++i) {
        for (int row = 10; row < 14; ++row)
            changes.moved.push_back(static_cast<float>((i * 7 + row) % 30) / 40);
        changes.largest.push_back({static_cast<float>(i * 11 % 30 - 15) / 20, engine::Position{12},
                                   engine::Position{i % 12}});
    }
    page.setChanges(changes, false);
    return pageOf(page, {760, 520});
}

// The dialog with what it will write.
QImage composer() {
    FigureWish wish;
    wish.heads = {at(2, 0), at(3, 1)};
    wish.page.letters = true;
    engine::ModelInfo model = modelOf(5, 6, 2);
    model.name = "tiny";
    FigureComposer dialog(model, wish, nullptr);
    dialog.setPinned(wish.heads);
    dialog.setFocused(at(3, 1));
    dialog.setShows(QStringLiteral("p (pattern), √, sink out of scale"));
    HeadFigure figure;
    figure.tokens = sentence();
    figure.title = QStringLiteral("tiny");
    const engine::Axis axis = figureAxis(14, 2, 1);
    const CellValue value = patternOf(14);
    for (const engine::LayerHead head : wish.heads) {
        HeadPanel panel;
        panel.at = head;
        panel.tile = tileOf(value, axis, axis, 14, head);
        figure.panels.push_back(panel);
    }
    pageOf(dialog, {760, 440});
    const QSizeF size = headFigureSize(figure);
    const QSizeF room = dialog.preview().room();
    dialog.setPicture(renderHeadFigure(figure, std::min(room.width() / size.width(),
                                                        room.height() / size.height())),
                      size.toSize());
    return pageOf(dialog, {760, 440});
}

// A range of layers in one row, and a KV group in one column.
QImage foldedGrid() {
    HeadGrid grid;
    QObject::connect(&grid, &HeadGrid::thumbnailsWanted, &grid,
                     [&grid](const QVector<engine::LayerHead>& heads, int) {
                         engine::Tile tile;
                         tile.request.heads.assign(heads.begin(), heads.end());
                         tile.request.dest = tile.request.src = engine::Axis{0, 14, 1, {}};
                         tile.request.format = engine::PixelFormat::U8;
                         tile.rows_ready = 14;
                         std::vector<std::uint8_t> bytes;
                         for (const engine::LayerHead head : heads)
                             for (int d = 0; d < 14; ++d)
                                 for (int s = 0; s < 14; ++s)
                                     bytes.push_back(s > d                                 ? 0
                                                     : s == d - engine::to_int(head.head)  ? 230
                                                     : s == 2 * engine::to_int(head.layer) ? 150
                                                                                           : 20);
                         tile.data = engine::make_payload(engine::DType::U8, {heads.size(), 14, 14},
                                                          std::move(bytes));
                         grid.setThumbnails(tile);
                     });
    grid.setModel(modelOf(6, 6, 2));
    grid.setRowsReady(14);
    GridFold fold;
    fold.foldLayers({2, 5});
    fold.toggleGroup(1);
    grid.setFold(fold);
    grid.setFocusedHead(at(3, 1));
    grid.setRanking({at(1, 4), at(3, 1), at(4, 0)}, false);
    return pictureOf(grid, {300, 240});
}

// Mean over the dests of a span, sum over its sources.
engine::Tile spanTile(const engine::Axis& dest, const engine::Axis& src, const CellValue& value) {
    engine::Tile tile = tileOf(value, dest, src, dest.end);
    std::vector<float> values;
    for (std::int64_t y = 0; y < dest.pixels(); ++y)
        for (std::int64_t x = 0; x < src.pixels(); ++x) {
            const engine::Rows to = dest.cells_of(y), from = src.cells_of(x);
            double sum = 0;
            for (std::int64_t d = to.begin; d < to.end; ++d)
                for (std::int64_t s = from.begin; s < std::min(from.end, d + 1); ++s)
                    sum += static_cast<double>(value(d, s));
            values.push_back(static_cast<float>(sum / static_cast<double>(to.end - to.begin)));
        }
    tile.request.pooling = engine::Pooling::Mean;
    tile.data = engine::make_payload(engine::DType::F32, {1, dest.pixels(), src.pixels()},
                                     std::move(values));
    return tile;
}

QImage wordsMap() {
    const std::vector<engine::Token> tokens =
        tokensOf({"When", " Ma", "ry", " don", "'t", " go", ",", " J", "ohn", " ga", "ve", "."});
    const CellValue value = patternOf(12);
    Map shown(tokens, [=](const engine::Axis& dest, const engine::Axis& src) {
        return dest.edges.empty() ? tileOf(value, dest, src, 12) : spanTile(dest, src, value);
    });
    shown.map->setGranularity(Granularity::Words);
    return shown.picture();
}

QImage empty() {
    EmptyPage page;
    engine::ModelInfo large = frame::model("a-larger-one", 12'300'000'000);
    page.setModels(
        {frame::model("tiny", 90'000'000), large, frame::model("another-kind", 1'000'000, false)});
    page.setPrompts(
        {{QStringLiteral("Indirect object"),
          QStringLiteral("When Mary and John went to the store, John gave a drink to"),
          QStringLiteral("Which head moves the name?")},
         {QStringLiteral("Induction"), QStringLiteral("one two three four one two three"), {}}});
    return pageOf(page, {640, 420});
}

}  // namespace

class ReferencePages : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        QVERIFY(onlyBundledFonts);
        loadFonts();
        QApplication::setCursorFlashTime(0);
    }
    void cleanup() { setTheme(Scheme::Light); }

    void pages_data() {
        QTest::addColumn<std::function<QImage()>>("draw");
        QTest::addColumn<Scheme>("scheme");
        const auto row = [](const char* name, const std::function<QImage()>& draw) {
            QTest::addRow("%s-light", name) << draw << Scheme::Light;
            QTest::addRow("%s-dark", name) << draw << Scheme::Dark;
        };
        row("text", text);
        row("candidates", [] { return steps(false); });
        row("steps", [] { return steps(true); });
        row("next", next);
        row("compare", comparison);
        row("composer", composer);
        row("grid-folded", foldedGrid);
        row("map-words", wordsMap);
        row("empty", empty);
    }
    void pages() {
        QFETCH(std::function<QImage()>, draw);
        QFETCH(Scheme, scheme);
        setTheme(scheme);
        const QString problem =
            reference::compare(draw(), QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
};

QTEST_MAIN(ReferencePages)
#include "reference_pages.moc"
