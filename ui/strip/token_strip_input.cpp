// SPDX-License-Identifier: GPL-3.0-or-later
// The strip's mouse: a click selects, Shift-click and dragging select a span, the wheel and the
// track scroll.
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>

#include "ui/strip/token_strip.h"

namespace ui {

namespace {

constexpr int dragDistance = 6;

}  // namespace

void TokenStrip::scrollToTrack(int x) {
    const QRect track = trackRect();
    if (track.width() <= 0) return;
    const double at = static_cast<double>(x - track.left()) / track.width();
    m_layout.startAt(static_cast<std::int64_t>(at * static_cast<double>(m_layout.count())));
    m_layout.scrollBy(-rowRect().width() / 2);
    update();
}

void TokenStrip::setHovered(std::int64_t index, bool asSource) {
    if (index == m_hovered && asSource == m_hoversSource) return;
    m_hovered = index;
    m_hoversSource = asSource;
    m_preview.clear();
    update();
    Q_EMIT tokenHovered(
        index < 0 || index >= m_rows ? std::nullopt : std::optional(engine::Position{index}),
        asSource);
}

void TokenStrip::spanTo(std::int64_t index) {
    if (index < 0 || m_spanFrom < 0) return;
    setSpan(engine::Rows{std::min(m_spanFrom, index), std::max(m_spanFrom, index) + 1});
}

// Past an end of the row the tokens behind it come into view.
void TokenStrip::dragTo(int x) {
    const QRect row = rowRect();
    if (x < row.left()) m_layout.scrollBy(x - row.left());
    if (x > row.right()) m_layout.scrollBy(x - row.right());
    const std::vector<PlacedToken> seen = m_layout.visible();
    if (seen.empty()) return;
    const int at = std::clamp(x, row.left(), row.right()) - row.left();
    std::int64_t index = seen.front().index;  // the last that begins left of it
    for (const PlacedToken& placed : seen)
        if (placed.x <= at) index = placed.index;
    spanTo(index);
    update();
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const QPoint at = event->position().toPoint();
    m_pressX = at.x();
    m_spanTo = -1;
    if (m_hasTrack && trackRect().adjusted(0, -4, 0, 4).contains(at)) {
        m_press = Press::Track;
        scrollToTrack(at.x());
        return;
    }
    m_press = Press::Token;
    const std::int64_t index = tokenAt(at);
    if (!(event->modifiers() & Qt::ShiftModifier)) {
        m_spanFrom = index;
        return;
    }
    // On from the last press, else from the span that is there, else from what is selected.
    const auto selected = m_clicksSource ? m_src : m_dest;
    if (m_spanFrom < 0)
        m_spanFrom = m_span ? m_span->begin : selected ? engine::to_int(*selected) : index;
    m_press = Press::Span;
    spanTo(index);
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_press == Press::Track) return scrollToTrack(at.x());
    if (m_press == Press::Token && m_spanFrom >= 0 && std::abs(at.x() - m_pressX) > dragDistance)
        m_press = Press::Span;
    if (m_press == Press::Span) return dragTo(at.x());
    setHovered(tokenAt(at), m_clicksSource != bool(event->modifiers() & Qt::ControlModifier));
}

void TokenStrip::mouseReleaseEvent(QMouseEvent* event) {
    const std::int64_t index = tokenAt(event->position().toPoint());
    const bool clicked = m_press == Press::Token && event->button() == Qt::LeftButton;
    m_press = Press::None;
    if (clicked && index >= 0)
        Q_EMIT tokenClicked(engine::Position{index},
                            m_clicksSource != bool(event->modifiers() & Qt::ControlModifier));
}

void TokenStrip::leaveEvent(QEvent* event) {
    setHovered(-1, m_hoversSource);
    QWidget::leaveEvent(event);
}

void TokenStrip::wheelEvent(QWheelEvent* event) {
    const QPoint pixels =
        event->pixelDelta().isNull() ? event->angleDelta() / 2 : event->pixelDelta();
    const int by = std::abs(pixels.x()) > std::abs(pixels.y()) ? pixels.x() : pixels.y();
    m_layout.scrollBy(-by);
    setHovered(tokenAt(event->position().toPoint()), m_hoversSource);
    update();
    event->accept();
}

}  // namespace ui
