// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/top_ends.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/strip/strip_painting.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int endsHeader = 20, endsLine = 17, endsGap = 8, numberWidth = 46, labelShare = 48,
              padding = 3;

}  // namespace

std::vector<std::pair<std::int64_t, float>> largestOf(const std::vector<float>& p, int count) {
    std::vector<std::pair<std::int64_t, float>> all;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i] > 0) all.emplace_back(static_cast<std::int64_t>(i), p[i]);
    const auto keep = std::min(all.size(), static_cast<std::size_t>(std::max(count, 0)));
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keep), all.end(),
                      [](const auto& a, const auto& b) {
                          return a.second != b.second ? a.second > b.second : a.first < b.first;
                      });
    all.resize(keep);
    return all;
}

TopEnds::TopEnds(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("Strongest of row and column"));
    setMouseTracking(true);
}

void TopEnds::clear() {
    m_row = m_column = {};
    refreshDescription();
}

void TopEnds::setRow(const QString& label, std::vector<End> ends) {
    m_row = {label, std::move(ends)};
    refreshDescription();
}

void TopEnds::setColumn(const QString& label, std::vector<End> ends) {
    m_column = {label, std::move(ends)};
    refreshDescription();
}

void TopEnds::refreshDescription() {
    QStringList said;
    const auto say = [&](const QString& words, const List& list) {
        if (list.ends.empty()) return;
        said << words.arg(list.label);
        for (const End& end : list.ends)
            said << QStringLiteral("%1 %2").arg(end.label,
                                                plainNumber(static_cast<double>(end.p), 3));
    };
    say(QStringLiteral("p: %1 attends to"), m_row);
    say(QStringLiteral("p: attends to %1"), m_column);
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    update();
}

QRect TopEnds::lineRect(bool ofRow, int index) const {
    const int top = ofRow ? 0 : endsHeader + shown * endsLine + endsGap;
    return {0, top + endsHeader + index * endsLine, width(), endsLine};
}

const TopEnds::End* TopEnds::endAt(QPoint at, bool& ofRow) const {
    for (const bool row : {true, false}) {
        const std::vector<End>& ends = row ? m_row.ends : m_column.ends;
        for (int i = 0; i < static_cast<int>(ends.size()); ++i) {
            if (!lineRect(row, i).contains(at)) continue;
            ofRow = row;
            return &ends[static_cast<std::size_t>(i)];
        }
    }
    return nullptr;
}

void TopEnds::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    paintList(painter, m_row, true);
    paintList(painter, m_column, false);
}

void TopEnds::paintList(QPainter& painter, const List& list, bool ofRow) const {
    if (list.ends.empty()) return;
    const Theme& t = theme();
    const QColor colour = ofRow ? t.dest : t.src;
    const QRect header = lineRect(ofRow, 0).translated(0, -endsHeader);
    const QFont words = wordFont(11), token = monoFont(11, true);
    const QString say = ofRow ? QStringLiteral(" attends to") : QStringLiteral("attends to ");
    const int wordsWidth = QFontMetrics(words).horizontalAdvance(say);
    // The map may show another quantity: the numbers have theirs above them.
    const QString quantity = QStringLiteral("p");
    const int room =
        header.width() - wordsWidth - QFontMetrics(words).horizontalAdvance(quantity) - 6;
    const int tokenWidth = std::min(QFontMetrics(token).horizontalAdvance(list.label) + 2 * padding,
                                    std::max(0, room));
    painter.setFont(words);
    painter.setPen(t.text2);
    painter.drawText(header.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, quantity);
    const auto write = [&](int x, int width, const QString& text, const QFont& font,
                           const QColor& ink) {
        painter.setFont(font);
        painter.setPen(ink);
        paintTokenText(painter, QRect(x, header.top(), width, header.height()), text,
                       Qt::AlignLeft);
    };
    write(ofRow ? 0 : wordsWidth, tokenWidth, list.label, token, colour);
    write(ofRow ? tokenWidth : 0, wordsWidth + 2, say, words, t.text2);

    for (int i = 0; i < static_cast<int>(list.ends.size()); ++i) {
        const End& end = list.ends[static_cast<std::size_t>(i)];
        const QRect line = lineRect(ofRow, i);
        if (line.contains(m_mouse)) painter.fillRect(line, t.alternate);
        const int labelWidth = line.width() * labelShare / 100;
        painter.setFont(monoFont(11));
        painter.setPen(t.text);
        paintTokenText(painter, QRect(4, line.top(), labelWidth - 8, line.height()), end.label,
                       Qt::AlignLeft);
        const int length = std::max(0, line.width() - labelWidth - numberWidth);
        const double share = std::clamp(static_cast<double>(end.p), 0.0, 1.0);
        painter.fillRect(QRect(labelWidth, line.top() + 4,
                               std::max(1, int(std::lround(share * length))), line.height() - 8),
                         colour);
        painter.drawText(line.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter,
                         plainNumber(static_cast<double>(end.p), 4));
    }
}

bool TopEnds::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        bool ofRow = false;
        const End* end = endAt(help->pos(), ofRow);
        QToolTip::showText(help->globalPos(),
                           end ? literalToolTip(QStringLiteral("%1 · p %2\nClick: select it as %3")
                                                    .arg(end->label)
                                                    .arg(static_cast<double>(end->p), 0, 'g', 6)
                                                    .arg(ofRow ? QStringLiteral("source")
                                                               : QStringLiteral("destination")))
                               : QString(),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void TopEnds::mouseMoveEvent(QMouseEvent* event) {
    m_mouse = event->position().toPoint();
    bool ofRow = false;
    setCursor(endAt(m_mouse, ofRow) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void TopEnds::mouseReleaseEvent(QMouseEvent* event) {
    bool ofRow = false;
    const End* end = endAt(event->position().toPoint(), ofRow);
    if (!end || event->button() != Qt::LeftButton) return;
    const engine::Position chosen = end->position;  // the lists change with it
    if (ofRow)
        Q_EMIT sourceChosen(chosen);
    else
        Q_EMIT destChosen(chosen);
}

void TopEnds::leaveEvent(QEvent* event) {
    m_mouse = {-1, -1};
    update();
    QWidget::leaveEvent(event);
}

void TopEnds::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

QSize TopEnds::sizeHint() const {
    return {196, 2 * (endsHeader + shown * endsLine) + endsGap};
}

}  // namespace ui
