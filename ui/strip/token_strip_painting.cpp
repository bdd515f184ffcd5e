// SPDX-License-Identifier: GPL-3.0-or-later
// The strip's own painting: boxes with their indices, the legend, and the track of the whole
// prompt.
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/painting/theme.h"
#include "ui/strip/strip_painting.h"
#include "ui/strip/token_strip.h"

namespace ui {

namespace {

constexpr int stripMargin = 8, boxTop = 8, boxHeight = 22, indexHeight = 14, stripGutter = 34;
constexpr int trackHeight = 8, widthForLegend = 480;

void write(QPainter& painter, const QRect& box, const QString& text, const QFont& font,
           const QColor& colour, Qt::Alignment side) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, static_cast<int>(Qt::AlignVCenter | side) | Qt::TextSingleLine, text);
}

}  // namespace

int TokenStrip::legendWidth() const {
    if (width() < widthForLegend) return 0;
    const QFontMetrics metrics(wordFont(10));
    const QString longest = thousands(std::max<std::int64_t>(m_layout.count() - 1, 10));
    return 18 + metrics.horizontalAdvance(longest + QStringLiteral(" attends to ")) + stripMargin;
}

QRect TokenStrip::rowRect() const {
    // The stripGutter for what is scrolled out is kept once the row does not fit, so that boxes
    // stay put.
    const int left = stripMargin + (m_hasTrack ? stripGutter : 0);
    return {left, boxTop + rolesHeight(), std::max(0, width() - left - stripMargin - legendWidth()),
            boxHeight + indexHeight};
}

QRect TokenStrip::trackRect() const {
    const QFontMetrics metrics(monoFont(10));
    const int end = metrics.horizontalAdvance(thousands(m_layout.count() - 1)) + 6;
    const int left = stripMargin + stripGutter;
    return {left, rowRect().bottom() + 11, std::max(0, width() - left - end - stripMargin),
            trackHeight};
}

void TokenStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    const QRect row = rowRect();
    if (m_layout.first() > 0)
        write(painter, QRect(stripMargin, row.top(), stripGutter - 4, boxHeight),
              QStringLiteral("◂") + QString::number(m_layout.first()), monoFont(10), theme().text2,
              Qt::AlignLeft);
    painter.save();
    painter.setClipRect(row.adjusted(0, -2, 0, 2));
    const std::vector<PlacedToken> seen = m_layout.visible();
    for (const PlacedToken& placed : seen) paintToken(painter, placed);
    painter.restore();
    paintRoles(painter, seen);
    if (legendWidth() > 0 && !m_tokens.empty()) paintLegend(painter);
    if (m_hasTrack) paintTrack(painter, seen);
    painter.setPen(theme().softBorder);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    if (hasFocus()) {
        painter.setPen(QPen(theme().accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void TokenStrip::paintToken(QPainter& painter, const PlacedToken& placed) const {
    const auto at = static_cast<std::size_t>(placed.index);
    const engine::Token& token = m_tokens[at];
    TokenBox box;
    box.text = visibleToken(token.bytes);
    box.attended = at < rowShown().size() ? rowShown()[at] : 0;
    box.attends = at < columnShown().size() ? columnShown()[at] : 0;
    box.isDest = isDest(placed.index);
    box.isSrc = isSrc(placed.index);
    box.hovered = placed.index == m_hovered;
    box.control = token.control;
    box.generated = placed.index >= m_prompt;
    box.noRow = placed.index >= m_rows;
    const QRect row = rowRect();
    const QRect rect(row.left() + placed.x, row.top(), placed.width - 4, boxHeight);
    paintTokenBox(painter, rect, box);
    if (m_span && placed.index >= m_span->begin && placed.index < m_span->end) {
        // One line under all of them.
        const int gap = placed.index + 1 < m_span->end ? 4 : 0;
        painter.fillRect(QRect(rect.left(), rect.bottom() + 1, rect.width() + gap, 2),
                         theme().text);
    }
    if (placed.x < 0) return;  // cut off: half an index would be another
    const bool marked = box.isDest || box.isSrc;
    write(painter, QRect(rect.left() - 4, rect.bottom() + 1, rect.width() + 8, indexHeight),
          thousands(placed.index), monoFont(10, marked),
          box.isDest  ? theme().dest
          : box.isSrc ? theme().src
                      : theme().text2,
          Qt::AlignHCenter);
}

// A line over each turn of a chat, its role where it begins or comes into view.
void TokenStrip::paintRoles(QPainter& painter, const std::vector<PlacedToken>& seen) const {
    const QRect row = rowRect();
    const int line = row.top() - 5;
    painter.save();
    painter.setClipRect(QRect(row.left(), 0, row.width(), row.top()));
    for (std::size_t i = 0; i < seen.size();) {
        const ChatTurn* turn = turnOf(m_turns, seen[i].index);
        const int left = row.left() + seen[i].x;
        int right = left;
        for (; i < seen.size() && turnOf(m_turns, seen[i].index) == turn; ++i)
            right = row.left() + seen[i].x + seen[i].width - 4;
        if (!turn || turn->role.isEmpty()) continue;
        painter.fillRect(QRect(left, line, right - left, 2), theme().text3);
        const QRect label(std::max(left, row.left()), line - 14, right - left, 14);
        write(painter, label, turn->role, wordFont(10), theme().text2, Qt::AlignLeft);
    }
    painter.restore();
}

void TokenStrip::paintLegend(QPainter& painter) const {
    const int left = width() - legendWidth();
    const auto line = [&](int top, bool upper, const QColor& colour, const QString& text) {
        const QRect box(left, top + 2, 10, 10);
        painter.fillRect(QRect(box.left(), upper ? box.top() : box.top() + 5, 10, 5), colour);
        painter.setPen(colour);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
        write(painter, QRect(left + 16, top, legendWidth() - 16, 14), text, wordFont(10),
              theme().text2, Qt::AlignLeft);
    };
    const auto shown = [this](const std::optional<engine::Position>& selected, bool asSource) {
        return previews(asSource) ? std::optional(engine::Position{m_hovered}) : selected;
    };
    if (const auto dest = shown(m_dest, false))
        line(rowRect().top(), true, theme().dest,
             thousands(engine::to_int(*dest)) + QStringLiteral(" attends to"));
    if (const auto src = shown(m_src, true))
        line(rowRect().top() + 19, false, theme().src,
             QStringLiteral("attends to ") + thousands(engine::to_int(*src)));
}

// The largest p of the row in each pixel above the line, of the column below it; the part in view
// as a frame, the two ends as marks.
void TokenStrip::paintTrack(QPainter& painter, const std::vector<PlacedToken>& seen) const {
    const QRect track = trackRect();
    const double count = static_cast<double>(std::max<std::int64_t>(m_layout.count(), 1));
    const auto xOf = [&](double index) {
        return track.left() + static_cast<int>(index / count * track.width());
    };
    painter.fillRect(track, theme().alternate);
    const auto spikes = [&](const std::vector<float>& p, const QColor& colour, bool upper) {
        std::vector<float> most(static_cast<std::size_t>(std::max(track.width(), 0)), 0);
        for (std::size_t i = 0; i < p.size(); ++i) {
            const auto x = static_cast<std::size_t>(xOf(static_cast<double>(i)) - track.left());
            if (x < most.size()) most[x] = std::max(most[x], p[i]);
        }
        for (std::size_t x = 0; x < most.size(); ++x) {
            if (!(most[x] > 0.02F)) continue;
            QColor faded = colour;
            faded.setAlphaF(std::min(1.0F, std::sqrt(most[x])));
            painter.fillRect(QRect(track.left() + static_cast<int>(x),
                                   upper ? track.top() : track.top() + track.height() / 2, 1,
                                   track.height() / 2),
                             faded);
        }
    };
    spikes(rowShown(), theme().dest, true);
    spikes(columnShown(), theme().src, false);
    if (m_span) {
        const int from = xOf(static_cast<double>(m_span->begin)),
                  to = xOf(static_cast<double>(m_span->end));
        painter.fillRect(QRect(from, track.bottom() + 2, std::max(2, to - from), 2), theme().text);
    }
    painter.setPen(theme().border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(track.adjusted(0, 0, -1, -1));
    if (!seen.empty()) {
        const int from = xOf(static_cast<double>(seen.front().index));
        const int to = xOf(static_cast<double>(seen.back().index + 1));
        painter.setPen(QPen(theme().text2, 1));
        painter.drawRect(QRect(from, track.top() - 3, std::max(3, to - from), track.height() + 5));
    }
    const auto end = [&](std::optional<engine::Position> position, const QColor& colour, int y) {
        if (!position) return;
        const int x = xOf(static_cast<double>(engine::to_int(*position)) + 0.5);
        painter.fillRect(QRect(x - 1, y, 2, track.height() / 2 + 4), colour);
    };
    end(m_dest, theme().dest, track.top() - 4);
    end(m_src, theme().src, track.bottom() - track.height() / 2 + 1);
    write(painter, QRect(stripMargin, track.top() - 3, stripGutter - 4, 14), QStringLiteral("0"),
          monoFont(10), theme().text2, Qt::AlignRight);
    write(painter, QRect(track.right() + 4, track.top() - 3, width() - track.right() - 6, 14),
          thousands(m_layout.count() - 1), monoFont(10), theme().text2, Qt::AlignLeft);
}

}  // namespace ui
