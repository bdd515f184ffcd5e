// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/small_widgets.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ui {

SegmentButton::SegmentButton(const QString& text, QWidget* parent) : QToolButton(parent) {
    setText(text);
    setCheckable(true);
    setFont(wordFont(11));
    setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with what had them
    setAccessibleName(text);
}

QSize SegmentButton::sizeHint() const {
    return {fontMetrics().horizontalAdvance(text()) + 16, 21};
}

void SegmentButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), isChecked() || isDown() ? t.accentGround : t.button);
    painter.setPen(isChecked() || hasFocus() ? t.accent : underMouse() ? t.text2 : t.border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    if (hasFocus()) painter.drawRect(rect().adjusted(1, 1, -2, -2));
    painter.setPen(isEnabled() ? t.text : t.text3);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, text());
}

void ThinBar::setFraction(double fraction) {
    m_fraction = std::clamp(std::isfinite(fraction) ? fraction : 0.0, 0.0, 1.0);
    update();
}

void ThinBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    painter.fillRect(QRect(0, 0, static_cast<int>(std::lround(m_fraction * width())), height()),
                     theme().accent);
    painter.setPen(theme().border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

ColourKey::ColourKey(QColor Theme::*colour, const QString& text, QWidget* parent)
    : QWidget(parent), m_colour(colour), m_text(text) {
    setFont(wordFont(10));
}

QSize ColourKey::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text) + 14, 14};
}

void ColourKey::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(QRect(0, (height() - 8) / 2, 8, 8), theme().*m_colour);
    painter.setPen(theme().text2);
    painter.drawText(rect().adjusted(12, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, m_text);
}

}  // namespace ui
