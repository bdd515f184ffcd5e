// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/token_strip.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/strip/strip_keys.h"
#include "ui/strip/strip_painting.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int gap = 4;

}  // namespace

TokenStrip::TokenStrip(QWidget* parent)
    : QWidget(parent), m_layout([this](std::int64_t i) {
          const auto& token = m_tokens[static_cast<std::size_t>(i)];
          const int box = tokenBoxWidth(visibleToken(token.bytes));
          // The index below must not run into its neighbour's.
          return std::max(box, 12 + 6 * static_cast<int>(thousands(i).size())) + gap;
      }) {
    setAccessibleName(QStringLiteral("Tokens"));
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TokenStrip::setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens) {
    // A fork, or the prompt once more: a span of the same tokens stays.
    const std::optional<engine::Rows> before = std::exchange(m_span, {});
    const auto sameId = [](const engine::Token& a, const engine::Token& b) { return a.id == b.id; };
    const bool stays =
        before && before->end <= std::ssize(tokens) &&
        std::equal(m_tokens.begin(), m_tokens.begin() + before->end, tokens.begin(), sameId);
    m_tokens = std::move(tokens);
    m_prompt = promptTokens;
    m_rows = 0;
    m_row.clear();
    m_column.clear();
    m_dest.reset();
    m_src.reset();
    m_hovered = -1;
    m_preview.clear();
    m_press = Press::None;
    m_spanFrom = -1;
    m_layout.setCount(0);
    m_layout.setCount(static_cast<std::int64_t>(m_tokens.size()));
    findTurns();
    relayout();
    if (stays) m_span = before;
    describe();
    if (before) Q_EMIT spanChanged(m_span);
}

void TokenStrip::appendToken(const engine::Token& token) {
    m_tokens.push_back(token);
    if (token.control)
        findTurns();
    else if (!m_turns.empty())
        m_turns.back().tokens.end = std::ssize(m_tokens);
    m_layout.setCount(static_cast<std::int64_t>(m_tokens.size()));
    relayout();
}

void TokenStrip::findTurns() {
    const int before = rolesHeight();
    m_turns = chatTurns(m_tokens);
    if (rolesHeight() != before) updateGeometry();
}

void TokenStrip::setRows(std::int64_t published) {
    m_rows = published;
    update();
}

void TokenStrip::setSelection(std::optional<engine::Position> dest,
                              std::optional<engine::Position> src, bool srcByHand) {
    const bool newDest = dest != m_dest, newSrc = src != m_src;
    m_dest = dest;
    m_src = src;
    // What was pressed here before is no longer what is selected.
    if ((newDest || newSrc) && m_press != Press::Span && !isDest(m_spanFrom) && !isSrc(m_spanFrom))
        m_spanFrom = -1;
    if (newSrc && src && srcByHand && !newDest) m_layout.scrollTo(engine::to_int(*src));
    if (newDest && dest) m_layout.scrollTo(engine::to_int(*dest));
    describe();
    update();
}

void TokenStrip::describe() {
    QStringList said;
    if (m_dest && m_src)
        said << QStringLiteral("dest %1, src %2").arg(label(*m_dest), label(*m_src));
    if (m_span) said << spanText();
    setAccessibleDescription(said.join(QStringLiteral(", ")));
}

void TokenStrip::setSpan(std::optional<engine::Rows> span) {
    if (span) {
        span->begin = std::max<std::int64_t>(span->begin, 0);
        span->end = std::min(span->end, std::ssize(m_tokens));
        if (span->begin >= span->end) span.reset();
    }
    if (span == m_span) return;
    m_span = span;
    describe();
    update();
    Q_EMIT spanChanged(m_span);
}

QString TokenStrip::spanText() const {
    if (!m_span) return {};
    const QString first = label(engine::Position{m_span->begin});
    if (m_span->count() == 1) return QStringLiteral("span %1").arg(first);
    return QStringLiteral("span %1 to %2").arg(first, label(engine::Position{m_span->end - 1}));
}

void TokenStrip::setRow(std::vector<float> p) {
    m_row = std::move(p);
    update();
}

void TokenStrip::setColumn(std::vector<float> p) {
    m_column = std::move(p);
    update();
}

void TokenStrip::setPreview(engine::Position position, bool asSource, std::vector<float> p) {
    if (engine::to_int(position) != m_hovered || asSource != m_hoversSource) return;
    m_preview = std::move(p);
    update();
}

void TokenStrip::forgetPreview() {
    if (m_hovered >= 0) setHovered(std::exchange(m_hovered, -1), m_hoversSource);
}

void TokenStrip::setWindow(int keys) {
    m_window = keys;
}

void TokenStrip::setClicksSource(bool source) {
    if (source == m_clicksSource) return;
    m_clicksSource = source;
    update();
    Q_EMIT directionChanged(source);
}

QString TokenStrip::visibleAt(engine::Position position) const {
    const std::int64_t i = engine::to_int(position);
    if (i < 0 || i >= m_layout.count()) return {};
    return visibleToken(m_tokens[static_cast<std::size_t>(i)].bytes);
}

QString TokenStrip::label(engine::Position position) const {
    const QString token = visibleAt(position);
    const QString index = thousands(engine::to_int(position));
    return token.isEmpty() ? index : index + u' ' + token;
}

void TokenStrip::relayout() {
    const int before = m_layout.viewWidth();
    m_layout.setViewWidth(rowRect().width());
    const bool track = !m_layout.fits();
    if (track != m_hasTrack) {
        m_hasTrack = track;
        m_layout.setViewWidth(rowRect().width());  // the track brings a gutter
        updateGeometry();
    }
    if (m_dest && m_layout.viewWidth() != before) m_layout.scrollTo(engine::to_int(*m_dest));
    update();
}

QRect TokenStrip::tokenRect(std::int64_t index) {
    for (const PlacedToken& placed : m_layout.visible())
        if (placed.index == index)
            return QRect(rowRect().left() + placed.x, rowRect().top(), placed.width - gap, 22) &
                   rowRect();
    return {};
}

std::int64_t TokenStrip::tokenAt(QPoint at) {
    const QRect row = rowRect();
    if (!row.contains(at)) return -1;
    for (const PlacedToken& placed : m_layout.visible()) {
        const int x = at.x() - row.left() - placed.x;
        if (x >= 0 && x < placed.width) return placed.index;
    }
    return -1;
}

void TokenStrip::scrollTo(std::int64_t index) {
    m_layout.scrollTo(index);
    update();
}

bool TokenStrip::isDest(std::int64_t index) const {
    return m_dest && engine::to_int(*m_dest) == index;
}

bool TokenStrip::isSrc(std::int64_t index) const {
    return m_src && engine::to_int(*m_src) == index;
}

QString TokenStrip::toolTipOf(std::int64_t index) const {
    const auto& token = m_tokens[static_cast<std::size_t>(index)];
    QString text = QStringLiteral("%1 · token %2")
                       .arg(label(engine::Position{index}))
                       .arg(engine::to_int(token.id));
    if (token.control) text += QStringLiteral(" · control token");
    if (const ChatTurn* turn = turnOf(m_turns, index); turn && !turn->role.isEmpty())
        text += QStringLiteral(" · turn of %1").arg(turn->role);
    const auto at = static_cast<std::size_t>(index);
    // What a window hides has no p, not even 0.
    const auto sees = [this](std::int64_t dest, std::int64_t src) {
        return m_window <= 0 || dest - src < m_window;
    };
    const auto number = [](float p) { return plainNumber(static_cast<double>(p), 4); };
    if (m_dest && at < m_row.size() && index <= engine::to_int(*m_dest)) {
        const std::int64_t dest = engine::to_int(*m_dest);
        text += sees(dest, index)
                    ? QStringLiteral("\ndest %1 attends to it with p %2")
                          .arg(thousands(dest), number(m_row[at]))
                    : QStringLiteral("\noutside window of dest %1").arg(thousands(dest));
    }
    if (m_src && at < m_column.size() && index >= engine::to_int(*m_src)) {
        const std::int64_t src = engine::to_int(*m_src);
        text += sees(index, src)
                    ? QStringLiteral("\nit attends to src %1 with p %2")
                          .arg(thousands(src), number(m_column[at]))
                    : QStringLiteral("\nsrc %1 is outside its window").arg(thousands(src));
    }
    if (index >= m_rows) text += QStringLiteral("\nno row yet");
    if (m_span && index >= m_span->begin && index < m_span->end)
        text += QStringLiteral("\nin the %1").arg(spanText());
    return text;
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride &&
        spanStep(*static_cast<const QKeyEvent*>(event))) {
        event->accept();  // elsewhere they move the locked cell
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::int64_t index = tokenAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           index < 0 ? QString() : literalToolTip(toolTipOf(index)), this);
        return true;
    }
    return QWidget::event(event);
}

void TokenStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    relayout();
}

void TokenStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) {
        m_layout.forgetWidths();
        relayout();
    }
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

QSize TokenStrip::sizeHint() const {
    return {640, (m_hasTrack ? 74 : 52) + rolesHeight()};
}

QSize TokenStrip::minimumSizeHint() const {
    return {200, (m_hasTrack ? 74 : 52) + rolesHeight()};
}

}  // namespace ui
