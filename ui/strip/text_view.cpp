// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/text_view.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/strip/strip_painting.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int margin = 10, gutter = 46, air = 4;

QFont textFont() {
    return monoFont(13);
}

}  // namespace

TextView::TextView(QWidget* parent)
    : QAbstractScrollArea(parent), m_flow([this](const QString& text) {
          const auto known = m_widths.constFind(text);
          if (known != m_widths.constEnd()) return *known;
          // What nothing is written of can still be pointed at.
          const double advance = QFontMetricsF(textFont()).horizontalAdvance(text);
          const int width = std::max(static_cast<int>(std::ceil(advance)), 8);
          m_widths.insert(text, width);
          return width;
      }) {
    setAccessibleName(tr("Prompt as text"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // a width of its own would wrap anew
    viewport()->setMouseTracking(true);
    verticalScrollBar()->setSingleStep(lineHeight());
}

int TextView::lineHeight() {
    return QFontMetrics(textFont()).height() + 2 * air;
}

int TextView::textWidth() const {
    return std::max(1, viewport()->width() - gutter - margin);
}

void TextView::setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens) {
    m_tokens = std::move(tokens);
    m_prompt = promptTokens;
    m_rows = 0;
    m_row.clear();
    m_column.clear();
    m_preview.clear();
    m_dest.reset();
    m_src.reset();
    m_span.reset();
    m_hovered = m_pressed = -1;
    m_flow.setTokens(m_tokens);
    verticalScrollBar()->setValue(0);
    setScrollRange();
}

void TextView::appendToken(const engine::Token& token) {
    m_tokens.push_back(token);
    m_flow.append(token);
    const bool atEnd = verticalScrollBar()->value() == verticalScrollBar()->maximum();
    setScrollRange();
    if (atEnd) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void TextView::setRows(std::int64_t published) {
    m_rows = published;
    viewport()->update();
}

void TextView::setSelection(std::optional<engine::Position> dest,
                            std::optional<engine::Position> src) {
    const bool moved = dest != m_dest;
    m_dest = dest;
    m_src = src;
    QStringList said;
    if (dest) said << tr("dest %1").arg(label(engine::to_int(*dest)));
    if (src) said << tr("src %1").arg(label(engine::to_int(*src)));
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    // What is clicked is in view, and stays where it is.
    if (moved && dest) showToken(engine::to_int(*dest));
    viewport()->update();
}

void TextView::setRow(std::vector<float> p) {
    m_row = std::move(p);
    viewport()->update();
}

void TextView::setColumn(std::vector<float> p) {
    m_column = std::move(p);
    viewport()->update();
}

void TextView::setPreview(engine::Position position, bool asSource, std::vector<float> p) {
    if (engine::to_int(position) != m_hovered || asSource != m_hoversSource) return;
    m_preview = std::move(p);
    viewport()->update();
}

void TextView::forgetPreview() {
    if (m_hovered < 0) return;
    const std::int64_t token = std::exchange(m_hovered, -1);
    setHovered(token, m_hoversSource);
}

void TextView::setSpan(std::optional<engine::Rows> span) {
    m_span = span;
    viewport()->update();
}

QString TextView::label(std::int64_t token) const {
    const QString text = token >= 0 && token < std::ssize(m_tokens)
                             ? visibleToken(m_tokens[static_cast<std::size_t>(token)].bytes)
                             : QString();
    return text.isEmpty() ? thousands(token) : thousands(token) + u' ' + text;
}

// ---- layout

void TextView::relayout() {
    const bool held = m_dest && (!isVisible() ||
                                 viewport()->rect().intersects(tokenRect(engine::to_int(*m_dest))));
    // The line at the top stays there.
    const std::int64_t line = verticalScrollBar()->value() / lineHeight();
    const std::int64_t top =
        line < m_flow.lines() ? m_flow.pieces()[m_flow.begin(line)].token : std::int64_t{0};
    m_flow.setWidth(textWidth());
    setScrollRange();
    const std::int64_t now = m_flow.lineOf(top);
    if (now > 0) verticalScrollBar()->setValue(static_cast<int>(now) * lineHeight());
    if (held) showToken(engine::to_int(*m_dest));  // but what is selected stays in view
}

void TextView::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    if (m_dest) showToken(engine::to_int(*m_dest));
}

void TextView::setScrollRange() {
    const int whole = static_cast<int>(m_flow.lines()) * lineHeight() + 2 * margin;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setRange(0, std::max(0, whole - viewport()->height()));
    viewport()->update();
}

void TextView::showToken(std::int64_t token) {
    const std::int64_t line = m_flow.lineOf(token);
    if (line < 0) return;
    const int top = margin + static_cast<int>(line) * lineHeight();
    QScrollBar* bar = verticalScrollBar();
    if (top < bar->value() + lineHeight()) {
        bar->setValue(top - 2 * lineHeight());
    } else if (top + 2 * lineHeight() > bar->value() + viewport()->height()) {
        bar->setValue(top + 3 * lineHeight() - viewport()->height());
    }
}

QRect TextView::tokenRect(std::int64_t token) const {
    const std::int64_t line = m_flow.lineOf(token);
    if (line < 0) return {};
    for (std::size_t i = m_flow.begin(line); i < m_flow.end(line); ++i) {
        const FlowPiece& piece = m_flow.pieces()[i];
        if (piece.token == token)
            return {gutter + piece.x,
                    margin + static_cast<int>(line) * lineHeight() - verticalScrollBar()->value(),
                    piece.width, lineHeight()};
    }
    return {};
}

std::int64_t TextView::tokenAt(QPoint at) const {
    const int y = at.y() - margin + verticalScrollBar()->value();
    return y < 0 ? -1 : m_flow.tokenAt(y / lineHeight(), at.x() - gutter);
}

void TextView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    relayout();
}

void TextView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        m_widths.clear();
        m_flow.forgetWidths();
        verticalScrollBar()->setSingleStep(lineHeight());
        relayout();
    }
    if (event->type() == QEvent::PaletteChange) viewport()->update();
    QAbstractScrollArea::changeEvent(event);
}

// ---- painting

float TextView::attended(std::int64_t token) const {
    const bool previews = m_hovered >= 0 && !m_hoversSource && !m_preview.empty();
    const std::vector<float>& p = previews ? m_preview : m_row;
    return token < std::ssize(p) ? p[static_cast<std::size_t>(token)] : 0;
}

float TextView::attends(std::int64_t token) const {
    const bool previews = m_hovered >= 0 && m_hoversSource && !m_preview.empty();
    const std::vector<float>& p = previews ? m_preview : m_column;
    return token < std::ssize(p) ? p[static_cast<std::size_t>(token)] : 0;
}

void TextView::paintPiece(QPainter& painter, std::size_t at, int top) const {
    const FlowPiece& piece = m_flow.pieces()[at];
    const bool isFirst = at == 0 || m_flow.pieces()[at - 1].token != piece.token;
    const Theme& t = theme();
    const engine::Token& token = m_tokens[static_cast<std::size_t>(piece.token)];
    const auto is = [&](const std::optional<engine::Position>& end) {
        return end && engine::to_int(*end) == piece.token;
    };
    const QRect box(gutter + piece.x, top + 1, piece.width, lineHeight() - 2);
    TokenBox look;
    look.text = piece.text;
    look.attended = attended(piece.token);
    look.attends = attends(piece.token);
    look.isDest = is(m_dest);
    look.isSrc = is(m_src);
    look.hovered = piece.token == m_hovered;
    look.control = token.control;
    look.noRow = piece.token >= m_rows;
    paintFlowToken(painter, box, look, textFont());
    if (m_span && piece.token >= m_span->begin && piece.token < m_span->end)
        painter.fillRect(QRect(box.left(), box.bottom() - 1, box.width(), 2), t.text);
    // Where the prompt ends.
    if (piece.token == m_prompt && isFirst)
        painter.fillRect(QRect(box.left() - 1, box.top(), 2, box.height()), t.text2);
}

void TextView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const Theme& t = theme();
    painter.fillRect(event->rect(), t.base);
    const int height = lineHeight(), scrolled = verticalScrollBar()->value() - margin;
    const std::int64_t first = std::max(0, (event->rect().top() + scrolled) / height);
    const std::int64_t last =
        std::min<std::int64_t>(m_flow.lines() - 1, (event->rect().bottom() + scrolled) / height);
    for (std::int64_t line = first; line <= last; ++line) {
        const int top = static_cast<int>(line) * height - scrolled;
        painter.setFont(monoFont(10));
        painter.setPen(t.text3);
        painter.drawText(QRect(0, top, gutter - 8, height), Qt::AlignRight | Qt::AlignVCenter,
                         thousands(m_flow.pieces()[m_flow.begin(line)].token));
        for (std::size_t i = m_flow.begin(line); i < m_flow.end(line); ++i)
            paintPiece(painter, i, top);
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(t.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
}

// ---- mouse

void TextView::setHovered(std::int64_t token, bool asSource) {
    if (token == m_hovered && asSource == m_hoversSource) return;
    m_hovered = token;
    m_hoversSource = asSource;
    m_preview.clear();
    viewport()->update();
    Q_EMIT previewWanted(
        token < 0 || token >= m_rows ? std::nullopt : std::optional(engine::Position{token}),
        asSource);
}

void TextView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_dragged = false;
    const std::int64_t token = tokenAt(event->position().toPoint());
    if ((event->modifiers() & Qt::ShiftModifier) && token >= 0) {
        const auto selected = m_clicksSource ? m_src : m_dest;
        const std::int64_t from = m_span     ? m_span->begin
                                  : selected ? engine::to_int(*selected)
                                             : token;
        m_dragged = true;
        m_pressed = from;
        Q_EMIT spanRequested(engine::Rows{std::min(from, token), std::max(from, token) + 1});
        return;
    }
    m_pressed = token;
}

void TextView::mouseMoveEvent(QMouseEvent* event) {
    const std::int64_t token = tokenAt(event->position().toPoint());
    const bool asSource = m_clicksSource != bool(event->modifiers() & Qt::ControlModifier);
    if (!(event->buttons() & Qt::LeftButton) || m_pressed < 0) return setHovered(token, asSource);
    if (token < 0 || (token == m_pressed && !m_dragged)) return;
    m_dragged = true;
    Q_EMIT spanRequested(engine::Rows{std::min(m_pressed, token), std::max(m_pressed, token) + 1});
}

void TextView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const std::int64_t token = tokenAt(event->position().toPoint());
    const bool clicked = token >= 0 && token == m_pressed && !m_dragged;
    m_pressed = -1;
    m_dragged = false;
    if (clicked)
        Q_EMIT tokenClicked(engine::Position{token},
                            m_clicksSource != bool(event->modifiers() & Qt::ControlModifier));
}

QString TextView::toolTipOf(std::int64_t token) const {
    QString text = QStringLiteral("%1 · token %2")
                       .arg(label(token))
                       .arg(engine::to_int(m_tokens[static_cast<std::size_t>(token)].id));
    if (m_tokens[static_cast<std::size_t>(token)].control) text += tr(" · control token");
    const auto number = [](float p) { return plainNumber(static_cast<double>(p), 4); };
    if (m_dest && token < std::ssize(m_row) && token <= engine::to_int(*m_dest))
        text += tr("\ndest %1 attends to it with p %2")
                    .arg(thousands(engine::to_int(*m_dest)),
                         number(m_row[static_cast<std::size_t>(token)]));
    if (m_src && token < std::ssize(m_column) && token >= engine::to_int(*m_src))
        text += tr("\nit attends to src %1 with p %2")
                    .arg(thousands(engine::to_int(*m_src)),
                         number(m_column[static_cast<std::size_t>(token)]));
    if (token >= m_rows) text += tr("\nno row yet");
    return text;
}

bool TextView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) setHovered(-1, m_hoversSource);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::int64_t token = tokenAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           token < 0 ? QString() : literalToolTip(toolTipOf(token)), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace ui
