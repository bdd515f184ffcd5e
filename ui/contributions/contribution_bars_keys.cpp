// SPDX-License-Identifier: GPL-3.0-or-later
// The contribution bars without a mouse.
#include <qcustomplot.h>

#include <QKeyEvent>
#include <QScrollArea>
#include <algorithm>

#include "ui/contributions/contribution_bars.h"

namespace ui {

namespace {

bool movesOverBars(const QKeyEvent& event) {
    if (event.modifiers() & ~Qt::KeypadModifier) return false;
    switch (event.key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Home:
        case Qt::Key_End:
        case Qt::Key_Return:
        case Qt::Key_Enter: return true;
        default: return false;
    }
}

}  // namespace

int ContributionBars::rowsOf(const QCustomPlot* plot) const {
    return plot == m_heads ? headRows(m_view) : m_table.layers + 1;
}

int ContributionBars::markedRow(const QCustomPlot* plot) const {
    const int hovered = plot == m_heads ? m_hoveredHead : m_hoveredLayer;
    if (hovered >= 0 || !plot->hasFocus()) return hovered;
    return plot == m_heads ? m_cursorHead : m_cursorLayer;
}

void ContributionBars::placeCursors() {
    m_cursorHead = engine::to_int(m_view.focus.head);
    m_cursorLayer = engine::to_int(m_view.focus.layer) + 1;
}

void ContributionBars::moveTo(QCustomPlot* plot, int row) {
    const int rows = rowsOf(plot);
    int& cursor = plot == m_heads ? m_cursorHead : m_cursorLayer;
    cursor = std::clamp(row, 0, std::max(0, rows - 1));
    (plot == m_heads ? m_hoveredHead : m_hoveredLayer) = -1;
    refresh();
    QScrollArea* area = plot == m_heads ? m_headsScroll : m_layersScroll;
    const int each = plot->height() / std::max(1, rows);
    area->ensureVisible(0, (2 * cursor + 1) * plot->height() / (2 * std::max(1, rows)), 0, each);
}

bool ContributionBars::keyOn(QCustomPlot* plot, QEvent* event) {
    switch (event->type()) {
        case QEvent::FocusIn:
        case QEvent::FocusOut: refresh(); return false;
        case QEvent::ShortcutOverride:
            if (!movesOverBars(static_cast<const QKeyEvent&>(*event))) return false;
            event->accept();
            return true;
        case QEvent::KeyPress: break;
        default: return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (!movesOverBars(key)) return false;
    const int cursor = plot == m_heads ? m_cursorHead : m_cursorLayer;
    switch (key.key()) {
        case Qt::Key_Up: moveTo(plot, cursor - 1); break;
        case Qt::Key_Down: moveTo(plot, cursor + 1); break;
        case Qt::Key_Home: moveTo(plot, 0); break;
        case Qt::Key_End: moveTo(plot, rowsOf(plot) - 1); break;
        default: activate(plot, cursor);
    }
    return true;
}

void ContributionBars::describePlots() {
    for (QCustomPlot* plot : {m_heads, m_layers})
        plot->setAccessibleDescription(
            toolTipOf(plot, plot == m_heads ? m_cursorHead : m_cursorLayer));
}

}  // namespace ui
