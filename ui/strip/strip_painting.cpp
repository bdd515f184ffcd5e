// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/strip_painting.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int pad = 5, narrowest = 22, widest = 260;
constexpr double attendedOpacity = 0.85, attendsOpacity = 0.80;

bool isMark(QChar c) {
    return c == u'·' || c == u'⏎' || c == u'⇥';
}

QColor faded(QColor colour, double opacity, float p) {
    // A NaN compares false and stays clear.
    colour.setAlphaF(p > 0 ? static_cast<float>(opacity) * std::min(p, 1.0F) : 0.0F);
    return colour;
}

void frame(QPainter& painter, const QRect& box, const QColor& colour, int width) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRect(QRect(box.left(), box.top(), box.width(), width));
    painter.drawRect(QRect(box.left(), box.bottom() - width + 1, box.width(), width));
    painter.drawRect(QRect(box.left(), box.top(), width, box.height()));
    painter.drawRect(QRect(box.right() - width + 1, box.top(), width, box.height()));
}

// Ground, and the two halves.
void fill(QPainter& painter, const QRect& box, const TokenBox& token) {
    painter.fillRect(box, token.control ? theme().title : theme().base);
    const QRect upper(box.left(), box.top(), box.width(), box.height() / 2);
    const QRect lower(box.left(), upper.bottom() + 1, box.width(), box.height() - upper.height());
    painter.fillRect(upper, faded(theme().dest, attendedOpacity, token.attended));
    painter.fillRect(lower, faded(theme().src, attendsOpacity, token.attends));
}

}  // namespace

int tokenBoxWidth(const QString& visible) {
    static const QFont font = monoFont(12);
    return std::clamp(QFontMetrics(font).horizontalAdvance(visible) + 2 * pad + 2, narrowest,
                      widest);
}

void paintTokenText(QPainter& painter, const QRect& box, const QString& visible,
                    Qt::Alignment side) {
    const QFontMetrics metrics(painter.font());
    const QString text = metrics.elidedText(visible, Qt::ElideRight, box.width());
    int x = box.left();
    if (side & Qt::AlignHCenter) x += (box.width() - metrics.horizontalAdvance(text)) / 2;
    const int baseline = box.top() + (box.height() + metrics.ascent() - metrics.descent()) / 2;
    const QColor ink = painter.pen().color();
    for (qsizetype from = 0; from < text.size();) {
        qsizetype to = from + 1;
        while (to < text.size() && isMark(text[to]) == isMark(text[from])) ++to;
        const QString run = text.mid(from, to - from);
        painter.setPen(isMark(text[from]) ? theme().text3 : ink);
        painter.drawText(x, baseline, run);
        x += metrics.horizontalAdvance(run);
        from = to;
    }
    painter.setPen(ink);
}

void paintFlowToken(QPainter& painter, const QRect& box, const TokenBox& token, const QFont& font) {
    painter.save();
    fill(painter, box, token);
    if (token.hovered) frame(painter, box, theme().text, 1);
    if (token.isSrc) frame(painter, box, theme().src, 2);
    if (token.isDest)
        frame(painter, token.isSrc ? box.adjusted(2, 2, -2, -2) : box, theme().dest, 2);
    painter.setFont(font);
    painter.setPen(token.noRow ? theme().text3 : theme().text);
    paintTokenText(painter, box, token.text, Qt::AlignLeft);
    painter.restore();
}

void paintTokenBox(QPainter& painter, const QRect& box, const TokenBox& token) {
    painter.save();
    fill(painter, box, token);
    if (token.noRow && !token.hovered) {
        QPen dashes(theme().text3, 1);
        dashes.setDashPattern({3, 2});
        painter.setPen(dashes);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
    } else {
        frame(painter, box,
              token.hovered     ? theme().text
              : token.generated ? theme().text2
                                : theme().border,
              1);
    }
    if (token.isSrc) frame(painter, box, theme().src, 2);
    if (token.isDest)
        frame(painter, token.isSrc ? box.adjusted(2, 2, -2, -2) : box, theme().dest, 2);
    painter.setFont(monoFont(12));
    painter.setPen(theme().text);
    paintTokenText(painter, box.adjusted(pad, 0, -pad + 1, 0), token.text, Qt::AlignHCenter);
    painter.restore();
}

}  // namespace ui
