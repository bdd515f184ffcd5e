// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse of the three maps: hover, lock, zoom, pan, as on the large one.
#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <cmath>

#include "ui/compare/compare_maps.h"
#include "ui/widgets/plain_text.h"

namespace ui {

std::optional<CompareMaps::Panel> CompareMaps::panelAt(QPointF at) const {
    for (const Panel panel : {A, B, Difference})
        if (m_pictures[panel].scene().mapRect().contains(at)) return panel;
    return std::nullopt;
}

std::optional<MapCell> CompareMaps::cellAt(QPointF at) const {
    const auto panel = panelAt(at);
    return panel ? m_pictures[*panel].cellUnder(at) : std::nullopt;
}

// What the colours stand for, whole where the line above a map is cut.
bool CompareMaps::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    for (const Panel panel : {A, B, Difference}) {
        const QRectF map = m_pictures[panel].scene().mapRect();
        if (QRectF(map.left(), 0, m_pitch, map.top()).contains(help->pos()))
            text = title(panel) + QStringLiteral(": ") + caption(panel);
    }
    QToolTip::showText(help->globalPos(), text.isEmpty() ? text : literalToolTip(text), this);
    return true;
}

void CompareMaps::setHovered(std::optional<MapCell> cell) {
    if (cell == m_hovered) return;
    m_hovered = cell;
    for (MapPicture& picture : m_pictures) picture.setHovered(cell);
    Q_EMIT cellDescribed(cell ? describe(*cell) : QString());
    update();
}

void CompareMaps::setView(MapView view) {
    m_view = view;
    relayout();
}

void CompareMaps::zoomAt(Panel panel, QPointF at, double factor) {
    const MapPicture& picture = m_pictures[panel];
    const QPointF inside = picture.scene().toMap(at);
    const MapView next = zoomedView(picture.scene().geometry, picture.availableSide(), inside.x(),
                                    inside.y(), factor);
    if (next == picture.scene().geometry.view()) return;
    setHovered(std::nullopt);
    setView(next);
}

void CompareMaps::zoom(int direction) {
    if (direction == 0) return setView({0, 0, positions()});
    const MapScene& scene = m_pictures[Difference].scene();
    QRectF at = scene.mapRect();
    if (m_selected && scene.geometry.rectOf(*m_selected).isValid())
        at = scene.logical(scene.geometry.rectOf(*m_selected));
    zoomAt(Difference, at.center(), direction > 0 ? 1 / 1.5 : 1.5);
}

void CompareMaps::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_pressed = event->position();
    m_pressedView = m_pictures[A].scene().geometry.view();
    m_dragging = false;
}

void CompareMaps::mouseMoveEvent(QMouseEvent* event) {
    if (!m_pressed || !(event->buttons() & Qt::LeftButton))
        return setHovered(cellAt(event->position()));
    const QPointF moved = event->position() - *m_pressed;
    if (!m_dragging && moved.manhattanLength() < QApplication::startDragDistance()) return;
    m_dragging = true;
    const MapScene& scene = m_pictures[A].scene();
    if (scene.geometry.isEmpty() || scene.geometry.isWhole()) return;
    const QPointF cells = scene.turned(moved * scene.ratio / scene.geometry.cellSize());
    setHovered(std::nullopt);
    setView({std::max<std::int64_t>(0, m_pressedView.dest - std::llround(cells.y())),
             std::max<std::int64_t>(0, m_pressedView.src - std::llround(cells.x())),
             m_pressedView.count});
}

void CompareMaps::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const bool click = m_pressed && !m_dragging;
    m_pressed.reset();
    m_dragging = false;
    if (!click) return;
    const auto cell = cellAt(event->position());
    if (!cell || cell->src > cell->dest) return;
    Q_EMIT cellClicked(engine::Position(cell->dest), engine::Position(cell->src));
}

void CompareMaps::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_pressed.reset();
    if (m_pictures[A].scene().geometry.isWhole())
        Q_EMIT soloRequested();
    else
        zoom(0);
}

void CompareMaps::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    const auto panel = panelAt(event->position());
    if (notches != 0 && panel) zoomAt(*panel, event->position(), std::pow(1.25, -notches));
    event->accept();
}

void CompareMaps::leaveEvent(QEvent*) {
    setHovered(std::nullopt);
}

void CompareMaps::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void CompareMaps::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace ui
