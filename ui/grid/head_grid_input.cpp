// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of the grid.
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "ui/grid/head_grid_parts.h"

namespace ui {

void HeadGrid::setHovered(std::optional<engine::LayerHead> head) {
    if (head == m->hovered) return;
    m->hovered = head;
    viewport()->update();
    if (head)
        Q_EMIT headHovered(*head);
    else
        Q_EMIT hoverLeft();
}

void HeadGrid::focusByUser(engine::LayerHead head) {
    if (m->focused == head) return;  // a second click does nothing
    setFocusedHead(head);
    Q_EMIT headFocused(head);
}

bool HeadGrid::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) setHovered(std::nullopt);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString hint = marginHint(help->pos());
        if (hint.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), hint, viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void HeadGrid::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    if (pressMargin(event)) return;
    const auto head = headAt(event->pos());
    if (!head) return;
    if (event->modifiers() & Qt::ControlModifier)
        Q_EMIT headPinToggled(*head);
    else
        focusByUser(*head);
}

void HeadGrid::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const bool margin =
        event->pos().x() < GridLayout::gutter || event->pos().y() < GridLayout::header;
    if (margin || (event->modifiers() & Qt::ControlModifier))
        return mousePressEvent(event);  // two clicks
    if (const auto head = headAt(event->pos())) {
        focusByUser(*head);
        Q_EMIT headActivated(*head);
    }
}

void HeadGrid::mouseMoveEvent(QMouseEvent* event) {
    if (m->dragged) {
        const int to = m->layout.rowAt(event->pos().y() - contentOrigin().y());
        m->dragged = engine::Rows{std::min(m->dragFrom, to), std::max(m->dragFrom, to) + 1};
        return viewport()->update();
    }
    setHovered(headAt(event->pos()));
    viewport()->setCursor(marginHint(event->pos()).isEmpty() ? Qt::ArrowCursor
                                                             : Qt::PointingHandCursor);
}

void HeadGrid::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QAbstractScrollArea::wheelEvent(event);
    const int notches = event->angleDelta().y() / 120;
    const int step = std::max(1, m->layout.pitch() / 8);
    if (notches != 0)
        setPitch(std::clamp(m->layout.pitch() + notches * step, GridLayout::smallestPitch,
                            GridLayout::largestPitch));
    event->accept();
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (!plain || m->layout.layers() == 0) return event->ignore();
    const engine::LayerHead from = m->focused.value_or(engine::LayerHead{});
    int rows = 0, columns = 0;
    switch (event->key()) {
        case Qt::Key_Left: columns = -1; break;
        case Qt::Key_Right: columns = 1; break;
        case Qt::Key_Up: rows = -1; break;
        case Qt::Key_Down: rows = 1; break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m->focused) Q_EMIT headActivated(*m->focused);
            return;
        default: return event->ignore();
    }
    if (!m->focused) return focusByUser(from);  // the first key only shows where one is
    focusByUser(neighbour(from, rows, columns));
}

void HeadGrid::contextMenuEvent(QContextMenuEvent* event) {
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const auto head = byKey ? m->focused : headAt(event->pos());
    if (!head) return event->ignore();
    const QPoint at = byKey ? headRect(*head).center() : event->pos();
    Q_EMIT menuRequested(*head, viewport()->mapToGlobal(at));
}

void HeadGrid::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void HeadGrid::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace ui
