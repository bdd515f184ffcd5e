// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/painting/colour_bar.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_marks.h"
#include "ui/painting/map_scene.h"
#include "ui/painting/names.h"

namespace ui {

namespace {

constexpr double edge = 14, titleHeight = 22, panelTitle = 20, axisTitle = 18, panelGap = 16,
                 barGap = 10;
constexpr double barWidth = 220, tickRoom = 9;
constexpr int largestCell = 48;

// Logical side of a panel's map: the more panels, the smaller.
int panelSide(int panels) {
    return panels <= 1 ? 520 : panels <= 3 ? 300 : 220;
}
int columnsOf(int panels) {
    return panels <= 3 ? std::max(panels, 1) : panels <= 8 ? 4 : 5;
}

struct Measures {
    int columns = 1, rows = 1;
    double side = 0;  // of the map, logical
    LabelRoom room;
    double gutter = 0, below = 0, panelWidth = 0, panelHeight = 0, top = 0;
    QSize size;
};

// Of an axis, in its units.
std::int64_t positionsOf(const HeadFigure& figure) {
    if (figure.panels.empty()) return 0;
    return figure.units.areTokens() ? figure.panels.front().tile.request.dest.end
                                    : figure.units.spans();
}

Measures measure(const HeadFigure& figure) {
    Measures m;
    const int panels = static_cast<int>(figure.panels.size());
    const std::int64_t positions = positionsOf(figure);
    m.columns = columnsOf(panels);
    m.rows = std::max(1, (panels + m.columns - 1) / m.columns);
    const double cell =
        positions > 0 ? static_cast<double>(panelSide(panels)) / static_cast<double>(positions) : 1;
    m.side = cell >= 4 ? std::min(std::floor(cell), static_cast<double>(largestCell)) *
                             static_cast<double>(positions)
                       : panelSide(panels);
    m.room = figure.units.areTokens() ? labelRoom(figure.tokens, positions, positions)
                                      : spanLabelRoom(figure.units, std::ssize(figure.tokens));
    m.gutter = axisTitle + m.room.rowWidth + tickRoom;
    m.below = m.room.columnHeight(columnLabelAngle(
                  m.side / static_cast<double>(std::max<std::int64_t>(positions, 1)))) +
              axisTitle;
    m.panelWidth = std::max(m.gutter + m.side, m.columns == 1 ? m.gutter + barWidth : 0.0);
    m.panelHeight = panelTitle + m.side + m.below;
    m.top = edge + (figure.title.isEmpty() ? 0 : titleHeight);
    m.size = QSize(static_cast<int>(
                       std::ceil(2 * edge + m.columns * m.panelWidth + (m.columns - 1) * panelGap)),
                   static_cast<int>(std::ceil(m.top + m.rows * (m.panelHeight + panelGap) + barGap +
                                              titleHeight + colourBarHeight + edge)));
    return m;
}

QString elidedTo(const QFont& font, const QString& text, double width) {
    return QFontMetricsF(font).elidedText(text, Qt::ElideRight, width);
}

// The device resolution that cell edges are rounded to.
MapScene sceneOf(const HeadFigure& figure, const HeadPanel& panel, const Measures& m,
                 const Theme& theme, double scale) {
    MapScene scene;
    scene.theme = theme;
    scene.ratio = scale;
    const std::int64_t positions = positionsOf(figure);
    scene.geometry =
        MapGeometry({0, 0, positions}, positions, static_cast<int>(std::floor(m.side * scale)),
                    static_cast<int>(std::lround(largestCell * scale)));
    scene.units = figure.units;
    scene.tokens = figure.tokens;
    scene.promptTokens = std::ssize(figure.tokens);
    scene.rowsReady = panel.tile.rows_ready;
    scene.window = panel.window;
    scene.tile = panel.tile;
    scene.tileHead = panel.tileHead;
    scene.labelCharacters = m.room.characters;
    return scene;
}

void paintPanel(QPainter& painter, const HeadPanel& panel, const MapScene& scene, const Measures& m,
                bool rowTexts) {
    const Theme& theme = scene.theme;
    const QRectF map = scene.mapRect();
    painter.setFont(wordFont(13, true));
    painter.setPen(theme.text);
    const double baseline = map.top() - 7;
    painter.drawText(QPointF(map.left(), baseline), headName(panel.at));
    if (!panel.note.isEmpty()) {
        const double after =
            map.left() + QFontMetricsF(painter.font()).horizontalAdvance(headName(panel.at)) + 10;
        painter.setFont(wordFont(11));
        painter.setPen(theme.text2);
        painter.drawText(QPointF(after, baseline),
                         elidedTo(painter.font(), panel.note, map.right() - after));
    }
    QImage image = mapImage(scene);
    painter.drawImage(map, image);
    paintMapLines(painter, scene);
    paintNotComputed(painter, scene);
    paintRowLabels(painter, scene, rowLabels(scene), map.left() - m.gutter + axisTitle);
    paintColumnLabels(painter, scene, columnLabels(scene));
    painter.setFont(wordFont(11));
    painter.setPen(theme.text2);
    const QRectF under(map.left() - 40, map.bottom() + m.below - axisTitle, map.width() + 80,
                       axisTitle);
    painter.drawText(under, Qt::AlignCenter, QStringLiteral("source (key)"));
    if (!rowTexts) return;
    painter.save();
    painter.translate(map.left() - m.gutter + axisTitle / 2, map.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-100, -axisTitle / 2, 200, axisTitle), Qt::AlignCenter,
                     QStringLiteral("destination (query)"));
    painter.restore();
}

QString rangeNote(const HeadFigure& figure) {
    const engine::TileRequest& request = figure.panels.front().tile.request;
    const engine::Transfer transfer = figure.choice.transfer;
    QString note =
        transfer == engine::Transfer::Linear ? QStringLiteral("linear")
        : transfer == engine::Transfer::Sqrt || isSigned(request.quantity) || request.minus
            ? QStringLiteral("√")
            : QStringLiteral("log");
    if (figure.choice.rank) note = QStringLiteral("rank");
    note += request.renormalized                      ? QStringLiteral(", source 0 left out")
            : figure.choice.sink == SinkMode::InScale ? QStringLiteral(", sink in scale")
            : figure.choice.sink == SinkMode::Hidden  ? QStringLiteral(", sink not drawn")
                                                      : QStringLiteral(", sink out of scale");
    if (!figure.units.areTokens()) {
        note += QStringLiteral(", ") + spanPoolingNote(request.quantity);
        const std::int64_t p =
            wholeAxis(figure.units.spans(), static_cast<int>(request.src.pixels())).cells_per_pixel;
        if (p > 1)
            note += QStringLiteral(", 1 px = %1 × %1 %2")
                        .arg(thousands(p), unitsName(figure.units.granularity()));
        return note;
    }
    if (request.src.cells_per_pixel <= 1) return note;
    const QString how = request.pooling == engine::Pooling::Mean  ? QStringLiteral("mean")
                        : request.pooling == engine::Pooling::Sum ? QStringLiteral("sum")
                                                                  : QStringLiteral("max");
    return note + QStringLiteral(", 1 px = %1 × %1 cells, %2")
                      .arg(thousands(request.src.cells_per_pixel), how);
}

}  // namespace

engine::Axis figureAxis(std::int64_t tokens, int panels, double scale) {
    return wholeAxis(tokens, std::max(1, static_cast<int>(std::floor(panelSide(panels) * scale))));
}

engine::Axis figureAxis(const MapUnits& units, std::int64_t tokens, int panels, double scale) {
    return units.tokensOf(figureAxis(units.areTokens() ? tokens : units.spans(), panels, scale));
}

QSize headFigureSize(const HeadFigure& figure) {
    return measure(figure).size;
}

void paintHeadFigure(QPainter& painter, const HeadFigure& figure, double scale) {
    const Measures m = measure(figure);
    const Theme theme = themeOf(figure.scheme);
    painter.fillRect(QRectF(QPointF(), QSizeF(m.size)), theme.base);
    if (figure.panels.empty()) return;
    if (!figure.title.isEmpty()) {
        painter.setFont(wordFont(13, true));
        painter.setPen(theme.text);
        painter.drawText(QPointF(edge, edge + 12),
                         elidedTo(painter.font(), figure.title, m.size.width() - 2 * edge));
    }
    ValueExtent extent;
    for (const HeadPanel& panel : figure.panels)
        extent.include(extentOf(panel.tile, panel.tileHead, panel.window));
    const engine::Quantity quantity = figure.panels.front().tile.request.quantity;
    const engine::TileRequest& request = figure.panels.front().tile.request;
    const bool hidesSink = request.renormalized ? request.src.cells_of(0).count() == 1
                                                : figure.choice.sink == SinkMode::Hidden;
    const double sink = extent.sink;
    if (figure.largest) extent = {*figure.largest, 0};
    const bool difference = figure.panels.front().tile.request.minus.has_value();
    ColourScale scaleOfAll = scaleFor(figure.choice, quantity, extent, figure.scheme, difference);
    if (figure.choice.rank) {
        const HeadPanel& first = figure.panels.front();
        scaleOfAll.ranked =
            rankedMagnitudes(first.tile, first.tileHead, first.window, figure.choice.sink);
        if (!scaleOfAll.ranked->empty() && scaleOfAll.ranked->back() > 0)
            scaleOfAll.high = static_cast<double>(scaleOfAll.ranked->back());
    }
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        const int column = static_cast<int>(i) % m.columns, row = static_cast<int>(i) / m.columns;
        MapScene scene = sceneOf(figure, figure.panels[i], m, theme, scale);
        scene.scale = scaleOfAll;
        scene.hidesSink = hidesSink;
        const QPointF at(edge + column * (m.panelWidth + panelGap) + m.gutter,
                         m.top + row * (m.panelHeight + panelGap) + panelTitle);
        scene.origin =
            QPointF(std::round(at.x() * scale) / scale, std::round(at.y() * scale) / scale);
        paintPanel(painter, figure.panels[i], scene, m, column == 0);
    }
    const double left = edge + m.gutter, top = m.top + m.rows * (m.panelHeight + panelGap) + barGap;
    painter.setFont(wordFont(11, true));
    painter.setPen(theme.text);
    const QString title = (difference ? QStringLiteral("Δ ") : QString()) +
                          mapTitle(quantity, request.renormalized, figure.units);
    painter.drawText(QPointF(left, top + 11), title);
    const double after = left + QFontMetricsF(painter.font()).horizontalAdvance(title) + 10;
    painter.setFont(wordFont(10));
    painter.setPen(theme.text2);
    painter.drawText(QPointF(after, top + 11),
                     elidedTo(painter.font(), rangeNote(figure), m.size.width() - edge - after));
    paintColourBar(
        painter, theme, QRectF(left, top + titleHeight - 4, barWidth, colourBarHeight), scaleOfAll,
        (!hidesSink && scaleOfAll.exceeds(sink)) || scaleOfAll.exceeds(extent.withoutSink));
}

QImage renderHeadFigure(const HeadFigure& figure, double scale) {
    QImage image = figureGround(headFigureSize(figure), scale, themeOf(figure.scheme).base);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paintHeadFigure(painter, figure, scale);
    return image;
}

}  // namespace ui
