// SPDX-License-Identifier: GPL-3.0-or-later
// The views on axes, the grid and the strip as pictures, light and dark, from values made here,
// compared with the committed ones; reference_pages.cpp has the rest.
#include <QTest>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/qt_warnings.h"
#include "tests/ui/reference_views.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/figure.h"
#include "ui/strip/token_strip.h"

using namespace ui;
using engine::LayerHead;
using namespace reference;

namespace {

// Cell by cell, of both signs.
engine::Tile scoresOf(const engine::Axis& dest, const engine::Axis& src) {
    engine::Tile tile = tileOf([](auto, auto) { return 0.0F; }, dest, src, dest.end);
    tile.request.quantity = engine::Quantity::Scores;
    std::vector<float> values;
    for (std::int64_t d = dest.begin; d < dest.end; ++d)
        for (std::int64_t s = src.begin; s < src.end; ++s)
            values.push_back(s <= d ? static_cast<float>((d * 7 + s * 11) % 17 - 8) / 2
                                    : -std::numeric_limits<float>::infinity());
    tile.data = engine::make_payload(engine::DType::F32, {1, dest.pixels(), src.pixels()},
                                     std::move(values));
    return tile;
}

QImage patternMap(std::vector<engine::Token> tokens, std::optional<MapView> view) {
    const auto count = static_cast<std::int64_t>(tokens.size());
    const CellValue value = patternOf(count);
    Map shown(std::move(tokens), [=](const engine::Axis& dest, const engine::Axis& src) {
        return tileOf(value, dest, src, count);
    });
    if (count < 20) {
        shown.map->setSelection(selectionOf(9, 2, true));
        shown.map->setCell({testRun, testHead, engine::Position{9}, engine::Position{2}, true, 1.5F,
                            value(9, 2), 0, 3, 10, 2.25F, -0.5F});
    }
    if (view) {
        shown.picture();  // sized, so that there is something to zoom into
        shown.map->showView(*view);
    }
    return shown.picture();
}

QImage scoresMap() {
    Map shown(sentence(), scoresOf);
    return shown.picture();
}

// Head (l, h) looks h tokens back, and at source 2 · l.
QImage grid() {
    HeadGrid grid;
    QObject::connect(&grid, &HeadGrid::thumbnailsWanted, &grid,
                     [&grid](const QVector<LayerHead>& heads, int pixels) {
                         engine::Tile tile;
                         tile.request.heads.assign(heads.begin(), heads.end());
                         tile.request.dest = tile.request.src = engine::Axis{0, 14, 1, {}};
                         tile.request.format = engine::PixelFormat::U8;
                         tile.rows_ready = 14;
                         std::vector<std::uint8_t> bytes;
                         for (const LayerHead head : heads)
                             for (int d = 0; d < 14; ++d)
                                 for (int s = 0; s < 14; ++s)
                                     bytes.push_back(s > d                                 ? 0
                                                     : s == d - engine::to_int(head.head)  ? 230
                                                     : s == 2 * engine::to_int(head.layer) ? 150
                                                                                           : 20);
                         tile.data = engine::make_payload(engine::DType::U8, {heads.size(), 14, 14},
                                                          std::move(bytes));
                         Q_UNUSED(pixels)
                         grid.setThumbnails(tile);
                     });
    grid.setModel(modelOf(5, 6, 2));
    grid.setRowsReady(14);
    grid.setFocusedHead(at(3, 1));
    grid.setRanking({at(1, 4), at(3, 1), at(4, 0)}, false);
    return pictureOf(grid, {320, 260});
}

engine::ContributionTable writes() {
    engine::ContributionTable table;
    table.layers = 5;
    table.query_heads = 6;
    table.embedding_norm = 2;
    table.embedding_attribution = 0.5F;
    table.logit = table.embedding_attribution;
    for (int l = 0; l < table.layers; ++l) {
        table.attention_attribution.push_back(0);
        for (int h = 0; h < table.query_heads; ++h) {
            const float write = static_cast<float>((l * 5 + h * 3) % 11 - 4) / 8;
            table.head_attribution.push_back(write);
            table.head_norm.push_back(1 + std::abs(write));
            table.attention_attribution.back() += write;
        }
        table.attention_norm.push_back(2);
        table.mlp_attribution.push_back(static_cast<float>(l) / 2 - 0.75F);
        table.mlp_norm.push_back(3);
        table.logit += table.attention_attribution.back() + table.mlp_attribution.back();
    }
    return table;
}

QImage bars() {
    ContributionBars bars;
    bars.setTable(writes(), 2, QStringLiteral("·Mary"), {});
    bars.setFocusedHead(at(3, 1));
    return pictureOf(bars, {326, 420});
}

QImage finder() {
    engine::HeadTable table;
    table.layers = 5;
    table.query_heads = 6;
    for (int i = 0; i < table.layers * table.query_heads; ++i) {
        table.sink.push_back(static_cast<float>(i * 7 % 30) / 30);
        table.entropy.push_back(static_cast<float>(i * 11 % 30) / 12);
        table.max_pattern.push_back(static_cast<float>(1 + i % 9) / 10);
        table.distance.push_back(static_cast<float>(i % 5));
        table.previous_token.push_back(static_cast<float>(i % 7) / 10);
        table.duplicate_token.push_back(static_cast<float>(i % 4) / 50);
        table.induction.push_back(i == 9 ? 0.8F : 0.02F);
    }
    HeadFinder finder;
    finder.setModel(modelOf(5, 6, 2));
    finder.setMetrics(table);
    finder.setContributions(writes(), QStringLiteral("13 ·to"), QStringLiteral("·Mary"));
    pictureOf(finder, {620, 380});  // the points are drawn once they are seen
    finder.setFocusedHead(at(3, 1));
    return pictureOf(finder, {620, 380});
}

QImage strip() {
    TokenStrip strip;
    strip.setTokens(sentence(), 11);
    strip.setRows(13);
    strip.setSelection(engine::Position{9}, engine::Position{2});
    std::vector<float> row, column;
    const CellValue value = patternOf(14);
    for (int i = 0; i < 14; ++i) {
        row.push_back(i <= 9 ? value(9, i) : 0);
        column.push_back(i >= 2 ? value(i, 2) : 0);
    }
    strip.setRow(row);
    strip.setColumn(column);
    return pictureOf(strip, {760, 80});
}

// As exported: two heads with their labels on one scale, and its bar.
QImage figure() {
    HeadFigure figure;
    figure.tokens = sentence();
    figure.scheme = theme().scheme;
    figure.title = QStringLiteral("two heads");
    const engine::Axis axis = figureAxis(14, 2, 1);
    const CellValue value = patternOf(14);
    for (int i = 0; i < 2; ++i) {
        HeadPanel panel;
        panel.at = at(2, i);
        panel.tile = tileOf(
            [&](std::int64_t d, std::int64_t s) { return i == 0 ? value(d, s) : value(d, d - s); },
            axis, axis, 14, panel.at);
        figure.panels.push_back(panel);
    }
    return renderHeadFigure(figure, 1).convertToFormat(QImage::Format_RGB32);
}

}  // namespace

class ReferenceImages : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        QVERIFY(onlyBundledFonts);
        loadFonts();
        QApplication::setCursorFlashTime(0);
    }
    void cleanup() { setTheme(Scheme::Light); }

    void views_data() {
        QTest::addColumn<std::function<QImage()>>("draw");
        QTest::addColumn<Scheme>("scheme");
        const auto row = [](const char* name, const std::function<QImage()>& draw) {
            QTest::addRow("%s-light", name) << draw << Scheme::Light;
            QTest::addRow("%s-dark", name) << draw << Scheme::Dark;
        };
        row("map", [] { return patternMap(sentence(), {}); });
        row("map-pooled", [] { return patternMap(manyTokens(900), {}); });
        row("map-zoomed", [] { return patternMap(manyTokens(900), MapView{40, 30, 16}); });
        row("map-scores", scoresMap);
        row("grid", grid);
        row("bars", bars);
        row("finder", finder);
        row("strip", strip);
        row("figure", figure);
    }
    void views() {
        QFETCH(std::function<QImage()>, draw);
        QFETCH(Scheme, scheme);
        setTheme(scheme);
        const QString problem =
            reference::compare(draw(), QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    // What the comparison is for: each of these is one mistake in painting, and is refused.
    void mistakesAreRefused_data() {
        QTest::addColumn<std::function<void(Map&, QImage&)>>("spoil");
        const auto row = [](const char* name, const std::function<void(Map&, QImage&)>& spoil) {
            QTest::newRow(name) << spoil;
        };
        row("dest upside down", [](Map& shown, QImage& picture) {
            const QRect place = shown.map->mapRect().translated(shown.map->pos());
            const QImage flipped = picture.copy(place).mirrored(false, true);
            QPainter(&picture).drawImage(place.topLeft(), flipped);
        });
        row("no scale", [](Map& shown, QImage&) { shown.scale->hide(); });
        row("no colour bar, but its numbers", [](Map& shown, QImage& picture) {
            const QRect bar(shown.scale->x(), shown.scale->y() + 24, shown.scale->width(), 14);
            QPainter(&picture).fillRect(bar, theme().base);
        });
        row("another palette", [](Map& shown, QImage& picture) {
            const QRect place = shown.map->mapRect().translated(shown.map->pos());
            const QImage swapped = picture.copy(place).rgbSwapped();
            QPainter(&picture).drawImage(place.topLeft(), swapped);
        });
    }
    void mistakesAreRefused() {
        using Spoil = std::function<void(Map&, QImage&)>;
        QFETCH(Spoil, spoil);
        const CellValue value = patternOf(14);
        Map shown(sentence(), [=](const engine::Axis& dest, const engine::Axis& src) {
            return tileOf(value, dest, src, 14);
        });
        const QImage right = shown.picture();
        QImage wrong = right;
        spoil(shown, wrong);
        if (wrong == right) wrong = shown.picture();  // it changed the view, not the picture
        const double share = reference::shareOfDifferent(right, wrong);
        QVERIFY2(share > 2 * reference::toleratedShare, qPrintable(QString::number(share)));
    }
};

QTEST_MAIN(ReferenceImages)
#include "reference_images.moc"
