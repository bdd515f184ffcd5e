// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_marks.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace ui {

namespace {

constexpr double outlineFrom = 6;  // logical pixels a cell; below, hairlines
constexpr double opening = 8;      // of the hairlines around the cell

struct Span {
    int from = 0, to = 0;  // device pixels
};

// Visible sources of a row and destinations of a column, as far as they are in view.
Span rowSpan(const MapScene& scene, std::int64_t dest) {
    const std::int64_t row = scene.units.tokensOf(dest).begin;
    const std::int64_t first =
        scene.window > 0 ? std::max<std::int64_t>(0, row - scene.window + 1) : 0;
    return {scene.geometry.xOf(scene.units.unitOf(first)), scene.geometry.xOf(dest + 1)};
}

Span columnSpan(const MapScene& scene, std::int64_t src) {
    std::int64_t last = scene.unitsReady();
    if (scene.window > 0)
        last = std::min(
            last, scene.units.unitOf(scene.units.tokensOf(src).end - 1 + scene.window - 1) + 1);
    return {scene.geometry.yOf(src), scene.geometry.yOf(std::max(last, src + 1))};
}

void strokeRect(QPainter& painter, const QRectF& rect, const QColor& colour, double width) {
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    const double inset = width / 2;
    painter.drawRect(rect.adjusted(inset, inset, -inset, -inset));
}

// A rectangle in `colour`, one device pixel of halo inside it.
void outline(QPainter& painter, const MapScene& scene, const QRectF& rect, const QColor& colour) {
    strokeRect(painter, rect.adjusted(1, 1, -1, -1), scene.theme.halo, 1.5);
    strokeRect(painter, rect, colour, 1.5);
}

// Lines through the cell as far as its row and column reach, open around the cell itself.
void hairlines(QPainter& painter, const MapScene& scene, MapCell cell, double alpha) {
    const MapGeometry& geometry = scene.geometry;
    const QRectF row = geometry.rectOf({cell.dest, geometry.src().begin});
    const QRectF column = geometry.rectOf({geometry.dest().begin, cell.src});
    // In device pixels of the map.
    const auto line = [&](QPointF a, QPointF b, const QColor& colour) {
        if (a.x() > b.x() || a.y() > b.y()) return;
        const QRectF at = scene.logical(QRectF(a, b));
        painter.setOpacity(0.5 * alpha);
        painter.setPen(QPen(scene.theme.halo, 2.5, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(at.topLeft(), at.bottomRight());
        painter.setOpacity(alpha);
        painter.setPen(QPen(colour, 1, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(at.topLeft(), at.bottomRight());
    };
    const bool both = row.isValid() && column.isValid();
    const double open = opening * scene.ratio;
    const QPointF centre(column.center().x(), row.center().y());
    if (row.isValid()) {
        const Span reach = rowSpan(scene, cell.dest);
        const double from = reach.from, to = reach.to, y = centre.y();
        if (!both) line({from, y}, {to, y}, scene.theme.dest);
        if (both) line({from, y}, {centre.x() - open, y}, scene.theme.dest);
        if (both) line({centre.x() + open, y}, {to, y}, scene.theme.dest);
    }
    if (column.isValid()) {
        const Span reach = columnSpan(scene, cell.src);
        const double from = reach.from, to = reach.to, x = centre.x();
        if (!both) line({x, from}, {x, to}, scene.theme.src);
        if (both) line({x, from}, {x, centre.y() - open}, scene.theme.src);
        if (both) line({x, centre.y() + open}, {x, to}, scene.theme.src);
    }
    painter.setOpacity(1);
}

void outlineRowAndColumn(QPainter& painter, const MapScene& scene, MapCell cell) {
    const QRect row = scene.geometry.rectOf({cell.dest, scene.geometry.src().begin});
    const QRect column = scene.geometry.rectOf({scene.geometry.dest().begin, cell.src});
    const Span across = rowSpan(scene, cell.dest), down = columnSpan(scene, cell.src);
    if (column.isValid() && down.to > down.from)
        outline(painter, scene,
                scene.logical(QRect(column.left(), down.from, column.width(), down.to - down.from)),
                scene.theme.src);
    if (row.isValid() && across.to > across.from)
        outline(painter, scene,
                scene.logical(QRect(across.from, row.top(), across.to - across.from, row.height())),
                scene.theme.dest);
}

}  // namespace

QRectF notComputedRect(const MapScene& scene) {
    if (scene.geometry.isEmpty() || scene.unitsReady() >= scene.geometry.dest().end) return {};
    const int top = scene.geometry.yOf(scene.unitsReady()), side = scene.geometry.side();
    return scene.logical(QRect(0, top, side, side - top));
}

void paintMapLines(QPainter& painter, const MapScene& scene) {
    if (scene.geometry.isEmpty()) return;
    painter.save();
    const QRectF map = scene.mapRect();
    const engine::Axis dest = scene.geometry.dest(), src = scene.geometry.src();
    const std::int64_t computed = std::min(dest.end, scene.unitsReady());
    if (scene.cellPixels() >= 16) {
        QColor line = scene.theme.base;
        line.setAlphaF(0.22F);
        for (std::int64_t d = dest.begin; d < computed; ++d) {
            const Span across = rowSpan(scene, d);
            const int top = scene.geometry.yOf(d);
            painter.fillRect(scene.logical(QRectF(across.from, top, across.to - across.from, 1)),
                             line);
        }
        for (std::int64_t s = src.begin + 1; s < std::min(src.end, computed); ++s) {
            const Span down = columnSpan(scene, s);
            painter.fillRect(
                scene.logical(QRectF(scene.geometry.xOf(s), down.from, 1, down.to - down.from)),
                line);
        }
    }
    // vik's centre and the masked grey are too close to tell apart.
    if (scene.scale.diverging && scene.cellPixels() >= 2) {
        for (std::int64_t d = std::max(dest.begin, src.begin); d < std::min(computed, src.end);
             ++d) {
            const QRectF cell = scene.geometry.rectOf({d, d});
            painter.fillRect(scene.logical(QRectF(cell.right() - 1, cell.top(), 1, cell.height())),
                             scene.theme.text3);
            painter.fillRect(scene.logical(QRectF(cell.left(), cell.top(), cell.width(), 1)),
                             scene.theme.text3);
        }
    }
    // A span that goes from the prompt into what was generated has no edge there.
    const std::int64_t generated = scene.units.unitOf(scene.promptTokens);
    if (scene.units.tokensOf(generated).begin == scene.promptTokens && generated > dest.begin &&
        generated < dest.end && scene.promptTokens < std::ssize(scene.tokens) &&
        scene.rowsReady > scene.promptTokens) {
        const Span across = rowSpan(scene, generated - 1);
        const QRectF line(across.from, scene.geometry.yOf(generated), across.to - across.from,
                          std::max(1.0, scene.ratio));
        painter.fillRect(scene.logical(line), scene.theme.text2);
    }
    painter.setPen(QPen(scene.theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(map.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.restore();
}

void paintForbidden(QPainter& painter, const MapScene& scene) {
    if (scene.geometry.isEmpty() || scene.forbidden.empty()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(scene.mapRect());
    const engine::Axis dests = scene.geometry.dest(), srcs = scene.geometry.src();
    for (const engine::EdgeEdit& edge : scene.forbidden) {
        // What of it is visible and in view; a span is crossed out where one of its cells is.
        const std::int64_t rows = std::min<std::int64_t>(edge.dest.end, scene.rowsReady);
        const std::int64_t first = std::max(edge.dest.begin, edge.src.begin);
        if (first >= rows) continue;
        const std::int64_t top = std::max(scene.units.unitOf(first), dests.begin),
                           bottom = std::min(scene.units.unitOf(rows - 1) + 1, dests.end),
                           left = std::max(scene.units.unitOf(edge.src.begin), srcs.begin),
                           right = std::min(
                               scene.units.unitOf(std::min(edge.src.end, rows) - 1) + 1, srcs.end);
        if (top >= bottom || left >= right) continue;
        const QRectF box =
            scene.logical(QRectF(QPointF(scene.geometry.xOf(left), scene.geometry.yOf(top)),
                                 QPointF(scene.geometry.xOf(right), scene.geometry.yOf(bottom))));
        const QRectF cross = box.adjusted(2, 2, -2, -2);
        for (const auto& [colour, width] :
             {std::pair(scene.theme.halo, 3.5), std::pair(scene.theme.error, 1.5)}) {
            painter.setPen(QPen(colour, width));
            painter.drawLine(cross.topLeft(), cross.bottomRight());
            painter.drawLine(cross.bottomLeft(), cross.topRight());
        }
    }
    painter.restore();
}

namespace {

// A sentence on its own ground, in areas that have the room.
void paintChip(QPainter& painter, const MapScene& scene, const QRectF& area, const QString& text) {
    painter.setFont(wordFont(11));
    const QFontMetricsF metrics(painter.font());
    QRectF chip(0, 0, metrics.horizontalAdvance(text) + 16, metrics.height() + 5);
    if (area.height() < chip.height() + 8 || area.width() < chip.width() + 8) return;
    chip.moveCenter(area.center());
    painter.save();
    painter.fillRect(chip, scene.theme.base);
    painter.setPen(scene.theme.text2);
    painter.drawText(chip, Qt::AlignCenter, text);
    painter.restore();
}

}  // namespace

void paintNotComputed(QPainter& painter, const MapScene& scene) {
    paintChip(painter, scene, notComputedRect(scene),
              scene.rowsReady == 0 ? QStringLiteral("not computed yet")
                                   : QStringLiteral("%1 %2 and later: not computed yet")
                                         .arg(scene.destWord(), thousands(scene.rowsReady)));
}

void paintOneRunOnly(QPainter& painter, const MapScene& scene) {
    const engine::Rows rows = scene.oneRunOnly;
    if (rows.count() <= 0 || scene.geometry.isEmpty()) return;
    const int top = scene.geometry.yOf(rows.begin), bottom = scene.geometry.yOf(rows.end);
    const QRectF area = scene.logical(QRect(0, top, scene.geometry.side(), bottom - top));
    const QString which =
        rows.count() == 1
            ? QStringLiteral("%1 %2").arg(scene.destWord(), thousands(rows.begin))
            : QStringLiteral("%1s %2–%3")
                  .arg(scene.destWord(), thousands(rows.begin), thousands(rows.end - 1));
    paintChip(painter, scene, area, which + QStringLiteral(": ") + scene.oneRunOnlyText);
}

void paintSelection(QPainter& painter, const MapScene& scene) {
    if (!scene.selected || scene.geometry.isEmpty()) return;
    const MapCell cell = *scene.selected;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(scene.mapRect().adjusted(-3, -3, 3, 3));
    if (scene.cellPixels() >= outlineFrom)
        outlineRowAndColumn(painter, scene, cell);
    else
        hairlines(painter, scene, cell, 0.75);
    const QRect device = scene.geometry.rectOf(cell);
    if (scene.locked && device.isValid()) {
        QRectF box = scene.logical(device);
        if (box.width() < 6) box = QRectF(box.center() - QPointF(4, 4), QSizeF(8, 8));
        strokeRect(painter, box.adjusted(0, 0, 0, 0), scene.theme.halo, 1);
        strokeRect(painter, box.adjusted(-2, -2, 2, 2), scene.theme.text, 2);
        strokeRect(painter, box.adjusted(-3, -3, 3, 3), scene.theme.halo, 1);
    }
    painter.restore();
}

void paintCrosshair(QPainter& painter, const MapScene& scene) {
    // A row that is not computed yet attends to nothing that could be outlined.
    if (!scene.hovered || scene.hovered == scene.selected ||
        scene.hovered->dest >= scene.unitsReady())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(scene.mapRect().adjusted(-2, -2, 2, 2));
    if (scene.cellPixels() >= outlineFrom) {
        const QRect device = scene.geometry.rectOf(*scene.hovered);
        const QRectF cell = scene.logical(device);
        const Span across = rowSpan(scene, scene.hovered->dest),
                   down = columnSpan(scene, scene.hovered->src);
        painter.setOpacity(0.7);
        strokeRect(
            painter,
            scene.logical(QRect(device.left(), down.from, device.width(), down.to - down.from)),
            scene.theme.src, 1);
        strokeRect(painter,
                   scene.logical(
                       QRect(across.from, device.top(), across.to - across.from, device.height())),
                   scene.theme.dest, 1);
        painter.setOpacity(1);
        strokeRect(painter, cell.adjusted(1, 1, -1, -1), scene.theme.halo, 1);
        strokeRect(painter, cell, scene.theme.text, 1);
    } else {
        hairlines(painter, scene, *scene.hovered, 0.6);
        QRectF box = scene.logical(scene.geometry.rectOf(*scene.hovered));
        box = QRectF(box.center() - QPointF(4, 4), QSizeF(8, 8));
        strokeRect(painter, box.adjusted(1, 1, -1, -1), scene.theme.halo, 1);
        strokeRect(painter, box, scene.theme.text, 1);
    }
    painter.restore();
}

}  // namespace ui
