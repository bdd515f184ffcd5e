// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/compare/compare_maps.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/map_marks.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int axisTitleHeight = 18, titleTop = 0, titleHeight = 18, barTop = 20;

QString elidedTo(const QFont& font, const QString& text, double width) {
    return QFontMetricsF(font).elidedText(text, Qt::ElideRight, std::max(width, 0.0));
}

}  // namespace

bool CompareMaps::showsNoDifference() const {
    const MapScene& scene = m_pictures[Difference].scene();
    if (!scene.tile || !scene.scale.isZero) return false;
    const auto values = scene.tile->data.as<float>();
    return std::any_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

QString CompareMaps::caption(Panel panel) const {
    if (panel == Difference && showsNoDifference())
        return m_pictures[panel].scene().geometry.isWhole() ? tr("no difference")
                                                            : tr("no difference in view");
    QString text = panel == Difference ? tr("symmetric") : tr("shared range");
    const bool linear = m_choice.transfer == engine::Transfer::Linear;
    const bool log =
        m_choice.transfer == engine::Transfer::Log && panel != Difference && !isSigned(m_quantity);
    text += linear ? tr(", linear") : log ? tr(", log") : QStringLiteral(", √");
    switch (sinkOf(m_choice, m_quantity)) {
        case SinkMode::OutOfScale: text += tr(", sink out of scale"); break;
        case SinkMode::InScale: text += tr(", sink in scale"); break;
        case SinkMode::Hidden:
            if (positions() > 1) text += tr(", sink not drawn");
            break;
        case SinkMode::Renormalized: text += tr(", renormalized without source 0"); break;
    }
    if (const QString below = thresholdNote(m_pictures[panel].scene().scale); !below.isEmpty())
        text += QStringLiteral(", ") + below;
    const std::int64_t p = m_pictures[panel].scene().geometry.cellsPerPixel();
    if (p > 1) {
        const QString how = m_choice.pooling == engine::Pooling::Mean  ? tr("mean")
                            : m_choice.pooling == engine::Pooling::Sum ? tr("sum")
                            : panel == Difference                      ? tr("largest")
                                                                       : tr("max");
        text += tr(", 1 px = %1 × %1 cells, %2").arg(thousands(p), how);
    }
    return text;
}

void CompareMaps::paintPanel(QPainter& painter, Panel panel) {
    MapPicture& picture = m_pictures[panel];
    const MapScene& scene = picture.scene();
    const Theme& t = scene.theme;
    const QRectF map = scene.mapRect();
    painter.setFont(wordFont(13, true));
    painter.setPen(t.text);
    const double baseline = titleTop + titleHeight - 4;
    painter.drawText(QPointF(map.left(), baseline), title(panel));
    const double after =
        map.left() + QFontMetricsF(painter.font()).horizontalAdvance(title(panel)) + 10;
    painter.setFont(wordFont(10));
    painter.setPen(t.text2);
    painter.drawText(QPointF(after, baseline),
                     elidedTo(painter.font(), caption(panel),
                              std::min(map.left() + m_pitch - 10.0, width() - 4.0) - after));
    const auto& tile = scene.tile;
    const ValueExtent extent = tile ? extentOf(*tile, 0, shownWindow()) : ValueExtent();
    const bool exceeded = scene.scale.exceeds(extent.withoutSink) ||
                          (!scene.hidesSink && scene.scale.exceeds(extent.sink));
    paintColourBar(painter, t, QRectF(map.left(), barTop, m_side, colourBarHeight), scene.scale,
                   exceeded);
    picture.paint(painter);
    // The same rows said twice would be one sentence over the other.
    if (scene.oneRunOnly.count() <= 0 || scene.oneRunOnly.begin != scene.rowsReady)
        paintNotComputed(painter, scene);
    paintOneRunOnly(painter, scene);
    if (panel == A) {
        LabelWish wish{scene.geometry.dest(), scene.cellPixels(), 12, 12, {}, m_room.characters, {},
                       &m_rowNumbers};
        if (m_transposed) wish.axis = scene.geometry.src();
        if (m_selected) wish.selected = m_transposed ? m_selected->src : m_selected->dest;
        paintRowLabels(painter, scene, tokenLabels(m_rowTokens, wish), axisTitleHeight);
    }
    paintColumnLabels(painter, scene, columnLabels(scene));
    paintSelection(painter, scene);
    paintCrosshair(painter, scene);
    if (!hasColumnTitle()) return;
    painter.setFont(wordFont(11));
    painter.setPen(t.text2);
    painter.drawText(QRectF(map.left() - 40, map.bottom() + m_below - axisTitleHeight,
                            map.width() + 80, axisTitleHeight),
                     Qt::AlignCenter, columnAxisTitle(m_transposed));
}

// In the corner where the difference is masked, as on the large map; where that has no room, beside
// the map or over the labels below it.
QRectF CompareMaps::readOutBox(MapCell cell, double tall) const {
    constexpr double usual = 148, least = 110, edge = 4;
    const MapScene& scene = m_pictures[Difference].scene();
    const QRectF map = scene.mapRect();
    const double beside = width() - edge - map.right() - 2 * edge;
    QRectF box(map.right() - edge - usual, map.top() + edge, usual, tall);
    if (m_transposed) box.moveBottomLeft({map.left() + edge, map.bottom() - edge});
    // The corner that is the last to leave the masked triangle.
    const MapView& view = scene.geometry.view();
    const double cells = std::max(scene.cellPixels(), 1e-9);
    const double src = static_cast<double>(view.src) +
                       (m_transposed ? box.top() - map.top() : box.left() - map.left()) / cells;
    const double dest =
        static_cast<double>(view.dest) +
        (m_transposed ? box.right() - map.left() : box.bottom() - map.top()) / cells;
    if (box.left() >= map.left() && box.right() <= map.right() && src >= dest + 1) return box;
    if (beside < least && !scene.geometry.isWhole() && map.width() >= 2 * usual) {
        if (scene.logical(scene.geometry.rectOf(cell)).intersects(box))  // zoomed in
            box.moveTop(m_transposed ? map.top() + edge : map.bottom() - edge - tall);
    } else if (beside >= least) {
        box.setWidth(std::min(usual, beside));
        box.moveTopLeft({map.right() + 2 * edge, map.top()});
    } else {
        box.moveTop(std::min(map.bottom() + edge, height() - tall - 1));
        box.moveRight(width() - edge);
    }
    return box;
}

void CompareMaps::paintReadOut(QPainter& painter) const {
    const auto cell = m_hovered ? m_hovered : m_locked ? m_selected : std::nullopt;
    const MapScene& scene = m_pictures[Difference].scene();
    if (!cell || cell->src > cell->dest || !scene.geometry.rectOf(*cell).isValid()) return;
    const Theme& t = scene.theme;
    const Values values = valuesAt(*cell);
    const std::array<std::pair<QString, QString>, 3> lines{
        {{m_sides[A].name, number(values.a, false)},
         {m_sides[B].name, number(values.b, false)},
         {title(Difference), number(values.difference, true)}}};
    constexpr double line = 15, pad = 8, headLine = 17;
    QStringList notes;
    if (sinkOf(m_choice, m_quantity) == SinkMode::Renormalized) notes << tr("p, renormalized");
    if (const QString pooled = pooledText(); !pooled.isEmpty())
        notes << tr("each the %1").arg(pooled);
    std::vector<std::int64_t> places{cell->dest};
    if (cell->src != cell->dest) places.push_back(cell->src);
    for (const std::int64_t at : places)
        if (scene.geometry.cellsPerPixel() == 1 && differs(at))
            notes << numberOf(at) + u' ' + visibleToken(tokenAt(A, at)->bytes) +
                         QStringLiteral(" ≠ ") + visibleToken(tokenAt(B, at)->bytes);
    if (const QString lacks = lackText(*cell); !lacks.isEmpty()) notes << lacks;
    const auto boxOf = [&] {
        return readOutBox(*cell,
                          headLine + (3 + static_cast<double>(notes.size())) * line + 2 * pad - 2);
    };
    QRectF box = boxOf();
    // Below a small map the numbers come first, and no value is hidden.
    if (box.bottom() > scene.mapRect().bottom() && box.intersects(scene.mapRect())) {
        notes.clear();
        box = boxOf();
    }
    painter.save();
    painter.fillRect(box, t.base);
    painter.setPen(QPen(t.text3, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    const QRectF inside = box.adjusted(pad, pad - 2, -pad, 0);
    painter.setFont(monoFont(11, true));
    const QString dest = numberOf(cell->dest), arrow = QStringLiteral(" ← "),
                  src = numberOf(cell->src);
    const QFontMetricsF metrics(painter.font());
    double x = inside.left();
    const double baseline = inside.top() + metrics.ascent();
    for (const auto& [text, colour] :
         {std::pair(dest, t.dest), std::pair(arrow, t.text2), std::pair(src, t.src)}) {
        painter.setPen(colour);
        painter.drawText(QPointF(x, baseline), text);
        x += metrics.horizontalAdvance(text);
    }
    double y = inside.top() + headLine;
    painter.setFont(wordFont(10));
    painter.setPen(t.text2);
    for (const QString& note : notes) {
        painter.drawText(QRectF(inside.left(), y, inside.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         elidedTo(painter.font(), note, inside.width()));
        y += line;
    }
    for (const auto& [name, value] : lines) {
        const QRectF row(inside.left(), y, inside.width(), line);
        painter.setFont(wordFont(11));
        painter.setPen(t.text2);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setFont(monoFont(11));
        painter.setPen(t.text);
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, value);
        y += line;
    }
    painter.restore();
}

// Rows and columns that stand for other tokens in one run than in the other: a mark at the edge.
void CompareMaps::paintOtherTokens(QPainter& painter) const {
    const MapScene& scene = m_pictures[Difference].scene();
    const QRectF map = scene.mapRect();
    const auto mark = [&](const engine::Axis& axis, bool isDest) {
        const bool isRow = isDest != m_transposed;  // of the page
        for (std::int64_t pixel = 0; pixel < axis.pixels(); ++pixel) {
            const engine::Rows cells = axis.cells_of(pixel);
            std::int64_t at = cells.begin;
            while (at < cells.end && !differs(at)) ++at;
            if (at == cells.end) continue;
            const MapCell cell{isDest ? at : scene.geometry.dest().begin,
                               isDest ? scene.geometry.src().begin : at};
            const QRectF place = scene.logical(scene.geometry.rectOf(cell));
            painter.fillRect(isRow ? QRectF(map.left() - 5, place.top(), 3, place.height())
                                   : QRectF(place.left(), map.top() - 5, place.width(), 3),
                             scene.theme.text2);
        }
    };
    mark(scene.geometry.dest(), true);
    mark(scene.geometry.src(), false);
}

void CompareMaps::paintEvent(QPaintEvent*) {
    if (m_pictures[A].scene().ratio != devicePixelRatioF()) relayout();  // on another screen
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    const MapScene& first = m_pictures[A].scene();
    if (first.geometry.isEmpty()) return;
    painter.setFont(wordFont(11));
    painter.setPen(first.theme.text2);
    painter.save();
    painter.translate(axisTitleHeight / 2.0, first.mapRect().center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-100, -axisTitleHeight / 2.0, 200, axisTitleHeight), Qt::AlignCenter,
                     rowAxisTitle(m_transposed));
    painter.restore();
    for (const Panel panel : {A, B, Difference}) paintPanel(painter, panel);
    paintOtherTokens(painter);
    paintReadOut(painter);
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(first.theme.accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace ui
