// SPDX-License-Identifier: GPL-3.0-or-later
// The strip without a mouse: a span grows from the selected token.
#include <QKeyEvent>
#include <algorithm>

#include "ui/strip/strip_keys.h"
#include "ui/strip/token_strip.h"

namespace ui {

namespace {

constexpr std::int64_t toTheEnd = std::int64_t{1} << 40;  // more tokens than there can be

}  // namespace

std::optional<std::int64_t> spanStep(const QKeyEvent& event) {
    const Qt::KeyboardModifiers held = event.modifiers() & ~Qt::KeypadModifier;
    if (!(held & Qt::ShiftModifier) || (held & ~(Qt::ShiftModifier | Qt::ControlModifier)))
        return std::nullopt;
    const std::int64_t by = held & Qt::ControlModifier ? 10 : 1;
    switch (event.key()) {
        case Qt::Key_Left: return -by;
        case Qt::Key_Right: return by;
        case Qt::Key_Home: return -toTheEnd;
        case Qt::Key_End: return toTheEnd;
        default: return std::nullopt;
    }
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
    if (const auto by = spanStep(*event))
        moveSpan(*by);
    else
        QWidget::keyPressEvent(event);
}

void TokenStrip::beginSpan() {
    setSpan({});
    moveSpan(0);
    setFocus(Qt::ShortcutFocusReason);
}

void TokenStrip::moveSpan(std::int64_t by) {
    if (m_tokens.empty()) return;
    const bool goesOn =
        m_span && m_spanTo >= 0 &&
        *m_span == engine::Rows{std::min(m_spanFrom, m_spanTo), std::max(m_spanFrom, m_spanTo) + 1};
    if (!goesOn && m_span) {  // made by the mouse: its end on that side moves
        m_spanFrom = by < 0 ? m_span->end - 1 : m_span->begin;
        m_spanTo = by < 0 ? m_span->begin : m_span->end - 1;
    } else if (!goesOn) {
        const auto selected = m_clicksSource ? m_src : m_dest;
        m_spanFrom = m_spanTo = selected ? engine::to_int(*selected) : m_layout.first();
    }
    m_spanTo = std::clamp<std::int64_t>(m_spanTo + by, 0, std::ssize(m_tokens) - 1);
    spanTo(m_spanTo);
    m_layout.scrollTo(m_spanTo);
    update();
}

}  // namespace ui
