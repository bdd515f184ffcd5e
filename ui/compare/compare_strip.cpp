// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/painting/theme.h"
#include "ui/strip/strip_painting.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int tokenHeight = 21, rowGap = 4, tokenGap = 3, indexHeight = 15;

}  // namespace

CompareStrip::CompareStrip(QWidget* parent)
    : QWidget(parent), m_layout([this](std::int64_t at) {
          return std::max(tokenBoxWidth(visible(0, at)), tokenBoxWidth(visible(1, at))) + tokenGap;
      }) {
    setAccessibleName(tr("Tokens of both runs"));
    setMouseTracking(true);
}

void CompareStrip::setSides(Side a, Side b, std::shared_ptr<const RunAlignment> alignment) {
    const auto same = [](const Side& x, const Side& y) {
        return x.promptTokens == y.promptTokens && x.rows == y.rows &&
               std::equal(x.tokens.begin(), x.tokens.end(), y.tokens.begin(), y.tokens.end(),
                          [](const engine::Token& s, const engine::Token& t) {
                              return s.id == t.id && s.bytes == t.bytes;
                          });
    };
    if (same(a, m_sides[0]) && same(b, m_sides[1]) && alignment == m_alignment) return;
    m_sides = {std::move(a), std::move(b)};
    m_alignment = std::move(alignment);
    m_layout.setCount(m_alignment
                          ? m_alignment->places()
                          : std::max(std::ssize(m_sides[0].tokens), std::ssize(m_sides[1].tokens)));
    m_layout.forgetWidths();
    setAccessibleDescription(tr("%n position(s) differ", nullptr, static_cast<int>(differing())));
    update();
}

void CompareStrip::setSelection(std::optional<std::int64_t> dest, std::optional<std::int64_t> src) {
    const bool moved = dest != m_dest;
    const bool movedSrc = src != m_src;
    m_dest = dest;
    m_src = src;
    if (moved && dest)
        m_layout.scrollTo(*dest);
    else if (movedSrc && src)
        m_layout.scrollTo(*src);
    update();
}

std::int64_t CompareStrip::positionAt(int side, std::int64_t place) const {
    if (m_alignment) return m_alignment->positionAt(side, place);
    const auto& tokens = m_sides[static_cast<std::size_t>(side)].tokens;
    return place >= 0 && place < std::ssize(tokens) ? place : RunAlignment::none;
}

QString CompareStrip::numberOf(std::int64_t place) const {
    const std::int64_t a = positionAt(0, place), b = positionAt(1, place);
    if (a == b || b == RunAlignment::none) return thousands(a);
    return a == RunAlignment::none ? thousands(b) : thousands(a) + u'|' + thousands(b);
}

QString CompareStrip::visible(int side, std::int64_t place) const {
    const std::int64_t at = positionAt(side, place);
    return at == RunAlignment::none ? QString()
                                    : visibleToken(m_sides[static_cast<std::size_t>(side)]
                                                       .tokens[static_cast<std::size_t>(at)]
                                                       .bytes);
}

bool CompareStrip::differs(std::int64_t place) const {
    const std::int64_t a = positionAt(0, place), b = positionAt(1, place);
    return a == RunAlignment::none || b == RunAlignment::none ||
           m_sides[0].tokens[static_cast<std::size_t>(a)].id !=
               m_sides[1].tokens[static_cast<std::size_t>(b)].id;
}

std::int64_t CompareStrip::differing() const {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < m_layout.count(); ++i) count += differs(i) ? 1 : 0;
    return count;
}

QRect CompareStrip::tokenRect(int side, std::int64_t place) {
    for (const PlacedToken& placed : m_layout.visible())
        if (placed.index == place)
            return {placed.x, side * lineHeight(), placed.width - tokenGap, tokenHeight};
    return {};
}

std::int64_t CompareStrip::placeAt(QPoint at) {
    if (at.y() < 0 || at.y() >= height()) return -1;
    for (const PlacedToken& placed : m_layout.visible())
        if (at.x() >= placed.x && at.x() < placed.x + placed.width) return placed.index;
    return -1;
}

void CompareStrip::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.base);
    for (const PlacedToken& placed : m_layout.visible()) {
        const std::int64_t at = placed.index;
        const bool differs = this->differs(at);
        for (int side = 0; side < 2; ++side) {
            const Side& run = m_sides[static_cast<std::size_t>(side)];
            const QRect box(placed.x, side * lineHeight(), placed.width - tokenGap, tokenHeight);
            const std::int64_t position = positionAt(side, at);
            if (position == RunAlignment::none) continue;  // the other run's alone
            TokenBox token;
            token.text = visible(side, at);
            token.isDest = m_dest == at;
            token.isSrc = m_src == at;
            token.control = run.tokens[static_cast<std::size_t>(position)].control;
            token.generated = position >= run.promptTokens;
            token.noRow = position >= run.rows;
            paintTokenBox(painter, box, token);
        }
        painter.setFont(monoFont(10, differs || m_dest == at || m_src == at));
        painter.setPen(m_dest == at ? t.dest : m_src == at ? t.src : differs ? t.text : t.text3);
        const QRect index(placed.x - 10, 2 * lineHeight() - rowGap, placed.width - tokenGap + 20,
                          indexHeight);
        painter.drawText(index, Qt::AlignCenter,
                         numberOf(at) + (differs ? QStringLiteral(" ≠") : QString()));
    }
}

bool CompareStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::int64_t at = placeAt(help->pos());
        QString text;
        if (at >= 0) {
            const auto side = [&](int which) {
                const QString token = visible(which, at);
                return token.isEmpty() ? tr("none") : token;
            };
            text = differs(at)
                       ? tr("position %1: %2 against %3").arg(numberOf(at), side(0), side(1))
                       : tr("position %1: %2 in both").arg(numberOf(at), side(0));
            text += tr("\nClick: select it as destination · Ctrl-click: as source");
        }
        QToolTip::showText(help->globalPos(), text.isEmpty() ? text : literalToolTip(text), this);
        return true;
    }
    return QWidget::event(event);
}

void CompareStrip::resizeEvent(QResizeEvent*) {
    m_layout.setViewWidth(width());
    if (m_dest) m_layout.scrollTo(*m_dest);
}

void CompareStrip::mousePressEvent(QMouseEvent* event) {
    const std::int64_t at = placeAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || at < 0) return event->ignore();
    Q_EMIT tokenClicked(engine::Position(at), event->modifiers() & Qt::ControlModifier);
}

void CompareStrip::wheelEvent(QWheelEvent* event) {
    const QPoint turn = event->angleDelta();
    m_layout.scrollBy(-(turn.x() != 0 ? turn.x() : turn.y()));
    update();
    event->accept();
}

void CompareStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    if (event->type() == QEvent::FontChange) m_layout.forgetWidths();
    QWidget::changeEvent(event);
}

QSize CompareStrip::sizeHint() const {
    return {400, 2 * lineHeight() - rowGap + indexHeight};
}
QSize CompareStrip::minimumSizeHint() const {
    return {120, sizeHint().height()};
}

}  // namespace ui
