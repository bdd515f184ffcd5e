// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the map: hover, lock, zoom, pan.
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/heatmap/head_heatmap_parts.h"

namespace ui {

namespace {

// Cells that are searched for the largest while the mouse is over them: some milliseconds.
constexpr std::int64_t mostHovered = 1 << 20;

}  // namespace

std::optional<MapCell> HeadHeatmap::cellUnder(QPointF position) const {
    const QPointF at = m->scene.toMap(position);
    return m->scene.geometry.cellAt(at.x(), at.y());
}

void HeadHeatmap::setHovered(std::optional<MapCell> cell) {
    if (cell == m->scene.hovered) return;
    m->scene.hovered = cell;
    m->hoveredCell.reset();
    refreshMarks();
    if (!cell || m->kindAt(*cell) != CellKind::Value) {
        Q_EMIT hoverLeft();
        return;
    }
    engine::Rows dest = m->scene.destTokens(*cell);
    const engine::Rows src = m->scene.srcTokens(*cell);
    dest.end = std::min(dest.end, m->scene.rowsReady);
    if (dest.count() == 1 && src.count() == 1)
        Q_EMIT cellHovered(engine::Position{dest.begin}, engine::Position{src.begin});
    else if (dest.count() * src.count() <= mostHovered)
        Q_EMIT blockHovered(dest, src);
    else
        Q_EMIT hoverLeft();  // the spans' mass is all that is said of them
}

void HeadHeatmap::setView(MapView view) {
    m->view = view;
    relayout();
}

void HeadHeatmap::zoomAt(QPointF position, double factor) {
    if (m->scene.geometry.isEmpty()) return;
    const QPointF at = m->scene.toMap(position);
    const MapView next = zoomedView(m->scene.geometry, m->availableSide, at.x(), at.y(), factor);
    if (next == m->scene.geometry.view()) return;
    setView(next);
    setHovered(underMouse() ? cellUnder(mapFromGlobal(QPointF(QCursor::pos()))) : std::nullopt);
}

void HeadHeatmap::zoom(int direction) {
    if (direction == 0) return setView({0, 0, m->axisCount()});
    QRectF at = m->scene.mapRect();
    if (m->scene.selected && m->scene.geometry.rectOf(*m->scene.selected).isValid())
        at = m->scene.logical(m->scene.geometry.rectOf(*m->scene.selected));
    zoomAt(at.center(), direction > 0 ? 1 / 1.5 : 1.5);
}

void HeadHeatmap::moveLock(int dests, int srcs) {
    const MapScene& scene = m->scene;
    if (!scene.selected || scene.rowsReady <= 0) return;
    const std::int64_t dest =
        std::clamp<std::int64_t>(scene.selected->dest + dests, 0, scene.unitsReady() - 1);
    // Of a span its last row, which sees all of its sources.
    const std::int64_t row = std::min(scene.units.tokensOf(dest).end, scene.rowsReady) - 1;
    const std::int64_t first =
        scene.window > 0 ? std::max<std::int64_t>(0, row - scene.window + 1) : 0;
    const std::int64_t src =
        std::clamp<std::int64_t>(scene.selected->src + srcs, scene.units.unitOf(first), dest);
    if (MapCell{dest, src} == *scene.selected && scene.locked) return;
    Q_EMIT cellClicked(engine::Position{row},
                       engine::Position{std::max(first, scene.units.tokensOf(src).begin)});
}

void HeadHeatmap::moveLockOnPage(int down, int right) {
    if (m->scene.transposed)
        moveLock(right, down);
    else
        moveLock(down, right);
}

void HeadHeatmap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m->pressed = event->position();
    m->pressedView = m->scene.geometry.view();
    m->dragging = false;
}

void HeadHeatmap::mouseMoveEvent(QMouseEvent* event) {
    if (!m->pressed || !(event->buttons() & Qt::LeftButton))
        return setHovered(cellUnder(event->position()));
    const QPointF moved = event->position() - *m->pressed;
    if (!m->dragging && moved.manhattanLength() < QApplication::startDragDistance()) return;
    m->dragging = true;
    if (m->scene.geometry.isWhole() || m->scene.geometry.isEmpty()) return;
    const QPointF cells = m->scene.turned(moved * m->scene.ratio / m->scene.geometry.cellSize());
    setCursor(Qt::ClosedHandCursor);
    setHovered(std::nullopt);
    setView({std::max<std::int64_t>(0, m->pressedView.dest - std::llround(cells.y())),
             std::max<std::int64_t>(0, m->pressedView.src - std::llround(cells.x())),
             m->pressedView.count});
}

void HeadHeatmap::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const bool click = m->pressed && !m->dragging;
    m->pressed.reset();
    m->dragging = false;
    unsetCursor();
    if (!click) return;
    const std::optional<MapCell> cell = cellUnder(event->position());
    if (!cell || m->kindAt(*cell) != CellKind::Value) return;
    // Of several cells the one the read-out names, else the newest row's earliest source.
    const engine::Rows dest = m->scene.destTokens(*cell), src = m->scene.srcTokens(*cell);
    if (dest.count() == 1 && src.count() == 1) {
        Q_EMIT cellClicked(engine::Position{dest.begin}, engine::Position{src.begin});
        return;
    }
    if (m->hoveredCell && m->scene.hovered == cell) {
        Q_EMIT cellClicked(m->hoveredCell->dest, m->hoveredCell->src);
    } else {
        const std::int64_t last = std::min(dest.end, m->scene.rowsReady) - 1;
        Q_EMIT cellClicked(engine::Position{last}, engine::Position{std::min(src.end - 1, last)});
    }
}

void HeadHeatmap::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m->pressed.reset();
    if (m->scene.geometry.isWhole())
        Q_EMIT soloRequested();
    else
        zoom(0);
}

void HeadHeatmap::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0) zoomAt(event->position(), std::pow(1.25, -notches));
    event->accept();
}

void HeadHeatmap::keyPressEvent(QKeyEvent* event) {
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const int step = event->modifiers() & Qt::ControlModifier ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: return zoom(1);
        case Qt::Key_Minus: return zoom(-1);
        case Qt::Key_0: return zoom(0);
        case Qt::Key_Return:
        case Qt::Key_Enter: return Q_EMIT soloRequested();
        case Qt::Key_Left:
            if (shift) return moveLockOnPage(0, -step);
            break;
        case Qt::Key_Right:
            if (shift) return moveLockOnPage(0, step);
            break;
        case Qt::Key_Up:
            if (shift) return moveLockOnPage(-step, 0);
            break;
        case Qt::Key_Down:
            if (shift) return moveLockOnPage(step, 0);
            break;
        default: break;
    }
    event->ignore();  // letters, plain arrows: the window's
}

void HeadHeatmap::contextMenuEvent(QContextMenuEvent* event) {
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const auto cell = byKey ? m->scene.selected : cellUnder(event->pos());
    if (!cell || m->kindAt(*cell) != CellKind::Value) return event->ignore();
    engine::Rows dest = m->scene.destTokens(*cell);
    dest.end = std::min(dest.end, m->scene.rowsReady);
    engine::Rows src = m->scene.srcTokens(*cell);
    src.end = std::min(src.end, dest.end);
    const QPointF middle = m->scene.logical(m->scene.geometry.rectOf(*cell)).center();
    Q_EMIT menuRequested(dest, src, byKey ? mapToGlobal(middle.toPoint()) : event->globalPos());
}

void HeadHeatmap::leaveEvent(QEvent*) {
    setHovered(std::nullopt);
}

void HeadHeatmap::focusInEvent(QFocusEvent* event) {
    QCustomPlot::focusInEvent(event);
    update();
}

void HeadHeatmap::focusOutEvent(QFocusEvent* event) {
    QCustomPlot::focusOutEvent(event);
    update();
}

}  // namespace ui
