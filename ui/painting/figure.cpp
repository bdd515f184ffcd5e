// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/painting/colour_bar.h"
#include "ui/painting/figure_fonts.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/figure_layout.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_marks.h"
#include "ui/painting/map_scene.h"
#include "ui/painting/names.h"

namespace ui {

namespace {

using namespace figure;

QString elidedTo(const QFont& font, const QString& text, double width) {
    return QFontMetricsF(font).elidedText(text, Qt::ElideRight, width);
}

MapGeometry figureGeometry(const HeadFigure& figure, double side) {
    const std::int64_t positions = positionsOf(figure);
    return MapGeometry::filling(figure.part.value_or(MapView{0, 0, positions}), positions,
                                std::max(1, static_cast<int>(std::floor(side))));
}

// `scale`: device pixels a unit of the layout, which cell edges are rounded to.
MapScene sceneOf(const HeadFigure& figure, const HeadPanel& panel, const FigureLayout& layout,
                 const Theme& theme, double scale) {
    MapScene scene;
    scene.theme = theme;
    scene.ratio = scale;
    scene.geometry = figureGeometry(figure, layout.side * scale);
    scene.units = figure.units;
    scene.tokens = figure.tokens;
    scene.numbers = figure.numbers;
    scene.promptTokens = std::ssize(figure.tokens);
    scene.rowsReady = panel.tile.rows_ready;
    scene.window = panel.window;
    scene.tile = panel.tile;
    scene.tileHead = panel.tileHead;
    scene.labelCharacters = layout.room.characters;
    scene.transposed = figure.transposed;
    return scene;
}

void paintPanelTitle(QPainter& painter, const HeadPanel& panel, const QString& letter,
                     const Theme& theme, const QRectF& map) {
    const double baseline = map.top() - 7;
    double x = map.left();
    painter.setFont(wordFont(13, true));
    painter.setPen(theme.text);
    const QFontMetricsF metrics(painter.font());
    if (!letter.isEmpty()) {
        painter.drawText(QPointF(x, baseline), letter);
        x += metrics.horizontalAdvance(letter) + 8;
    }
    painter.drawText(QPointF(x, baseline), headName(panel.at));
    if (panel.note.isEmpty()) return;
    x += metrics.horizontalAdvance(headName(panel.at)) + 10;
    painter.setFont(wordFont(11));
    painter.setPen(theme.text2);
    painter.drawText(QPointF(x, baseline), elidedTo(painter.font(), panel.note, map.right() - x));
}

void paintPanel(QPainter& painter, const MapScene& scene, const FigureLayout& layout, int panel) {
    const Theme& theme = scene.theme;
    const QRectF map = scene.mapRect();
    QImage image = mapImage(scene);
    painter.drawImage(map, image);
    paintMapLines(painter, scene);
    paintNotComputed(painter, scene);
    if (layout.labelsRows(panel))
        paintRowLabels(painter, scene, rowLabels(scene), map.left() - layout.gutter + axisTitle);
    if (layout.labelsColumns(panel)) paintColumnLabels(painter, scene, columnLabels(scene));
    painter.setFont(wordFont(11));
    painter.setPen(theme.text2);
    if (layout.labelsColumns(panel) || layout.isAtBottom(panel)) {
        const QRectF under(map.left() - 40, map.bottom() + layout.below - axisTitle,
                           map.width() + 80, axisTitle);
        painter.drawText(under, Qt::AlignCenter, columnAxisTitle(scene.transposed));
    }
    if (!layout.isAtLeft(panel)) return;
    painter.save();
    painter.translate(map.left() - layout.gutter + axisTitle / 2, map.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-100, -axisTitle / 2, 200, axisTitle), Qt::AlignCenter,
                     rowAxisTitle(scene.transposed));
    painter.restore();
}

ColourScale scaleOfAll(const HeadFigure& figure, const ValueExtent& extent, bool difference) {
    const HeadPanel& first = figure.panels.front();
    ColourScale scale =
        scaleFor(figure.choice, first.tile.request.quantity, extent, figure.scheme, difference);
    if (!figure.choice.rank) return scale;
    scale.ranked = figure.ranked ? figure.ranked
                                 : rankedMagnitudes(first.tile, first.tileHead, first.window,
                                                    figure.choice.sink);
    if (!scale.ranked->empty() && scale.ranked->back() > 0)
        scale.high = static_cast<double>(scale.ranked->back());
    return scale;
}

void paintFooter(QPainter& painter, const HeadFigure& figure, const FigureLayout& layout,
                 const Theme& theme, const ColourScale& scale, bool exceeded) {
    const double left = layout.legend.x(), right = layout.width - edge;
    double y = layout.legend.y() + 11;
    painter.setFont(wordFont(11, true));
    painter.setPen(theme.text);
    const QString title = colourBarTitle(figure);
    painter.drawText(QPointF(left, y), title);
    const double after = left + QFontMetricsF(painter.font()).horizontalAdvance(title) + noteGap;
    painter.setFont(wordFont(10));
    painter.setPen(theme.text2);
    if (layout.noteBeside)
        painter.drawText(QPointF(after, y),
                         elidedTo(painter.font(), layout.note.value(0), right - after));
    else
        for (const QString& line : layout.note)
            painter.drawText(QPointF(left, y += noteLine), line);
    y += titleHeight - 4 - 11;
    paintColourBar(painter, theme,
                   QRectF(left, y, std::min(barWidth, right - left), colourBarHeight), scale,
                   exceeded);
    y = layout.captionTop + 11;
    painter.setFont(wordFont(11));
    painter.setPen(theme.text);
    for (const QString& line : layout.caption) {
        painter.drawText(QPointF(edge, y), line);
        y += captionLine;
    }
}

}  // namespace

engine::Axis figureAxis(std::int64_t tokens, int panels, double scale) {
    return wholeAxis(tokens,
                     std::max(1, static_cast<int>(std::floor(naturalSide(panels) * scale))));
}

engine::Axis figureAxis(const MapUnits& units, std::int64_t tokens, int panels, double scale) {
    return units.tokensOf(figureAxis(units.areTokens() ? tokens : units.spans(), panels, scale));
}

FigureAxes figureAxes(const HeadFigure& figure, double scale) {
    const FigureLayout layout = layoutOf(figure);
    const double ratio = scale * layout.text;
    const MapGeometry geometry = figureGeometry(figure, layout.side * ratio);
    return {figure.units.tokensOf(geometry.dest()), figure.units.tokensOf(geometry.src())};
}

QSizeF headFigureSize(const HeadFigure& figure) {
    return layoutOf(figure).size;
}

void paintHeadFigure(QPainter& painter, const HeadFigure& figure, double scale) {
    const FigureFonts fonts;
    const FigureLayout layout = layoutOf(figure);
    const Theme theme = themeOf(figure.scheme);
    if (!figure.page.transparent) painter.fillRect(QRectF(QPointF(), layout.size), theme.base);
    if (figure.panels.empty()) return;
    painter.save();
    painter.scale(layout.text, layout.text);
    const double ratio = scale * layout.text;
    if (!figure.title.isEmpty()) {
        painter.setFont(wordFont(13, true));
        painter.setPen(theme.text);
        double y = edge + 12;
        for (const QString& line : layout.title) {
            painter.drawText(QPointF(edge, y), line);
            y += titleLine;
        }
    }
    ValueExtent extent;
    for (const HeadPanel& panel : figure.panels)
        extent.include(extentOf(panel.tile, panel.tileHead, panel.window));
    const engine::TileRequest& request = figure.panels.front().tile.request;
    const bool hidesSink = request.renormalized ? request.src.cells_of(0).count() == 1
                                                : hidesSinkOf(figure.choice, positionsOf(figure));
    const double sink = extent.sink;
    if (figure.largest) extent = {*figure.largest, 0};
    const ColourScale colours = scaleOfAll(figure, extent, request.minus.has_value());
    for (int i = 0; i < layout.panels; ++i) {
        const HeadPanel& panel = figure.panels[static_cast<std::size_t>(i)];
        MapScene scene = sceneOf(figure, panel, layout, theme, ratio);
        scene.scale = colours;
        scene.hidesSink = hidesSink;
        const QPointF at = layout.mapAt(i);
        scene.origin =
            QPointF(std::round(at.x() * ratio) / ratio, std::round(at.y() * ratio) / ratio);
        paintPanelTitle(painter, panel,
                        figure.page.letters && layout.panels > 1 ? panelLetter(i) : QString(),
                        theme, scene.mapRect());
        paintPanel(painter, scene, layout, i);
    }
    paintFooter(painter, figure, layout, theme, colours,
                (!hidesSink && colours.exceeds(sink)) || colours.exceeds(extent.withoutSink));
    painter.restore();
}

QImage renderHeadFigure(const HeadFigure& figure, double scale) {
    const QColor ground =
        figure.page.transparent ? QColor(Qt::transparent) : themeOf(figure.scheme).base;
    const QSizeF size = headFigureSize(figure);
    QImage image = figureGround(size, scale, ground);
    {
        QPainter painter(&image);
        painter.scale(scale, scale);
        paintHeadFigure(painter, figure, scale);
    }
    setFigureDpi(image, size);
    return image;
}

}  // namespace ui
