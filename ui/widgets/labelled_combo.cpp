// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/labelled_combo.h"

#include <QFontMetrics>
#include <QStyleOptionComboBox>
#include <QStylePainter>

#include "ui/painting/theme.h"

namespace ui {

LabelledCombo::LabelledCombo(const QString& label, QWidget* parent)
    : QComboBox(parent), m_label(label) {
    setAccessibleName(label);
    setFont(wordFont(11));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize LabelledCombo::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_label + shownValue()) + 40,
            std::max(21, metrics.height() + 7)};
}

QSize LabelledCombo::minimumSizeHint() const {
    return {80, sizeHint().height()};
}

QString LabelledCombo::shownValue() const {
    return currentIndex() < 0 ? placeholderText() : currentText();
}

void LabelledCombo::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    QRect text =
        style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    text.adjust(3, 0, 0, 0);
    const QFontMetrics metrics(font());
    painter.setPen(isEnabled() ? theme().text2 : theme().text3);
    painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine, m_label);
    text.setLeft(text.left() + metrics.horizontalAdvance(m_label) + 7);
    painter.setPen(isEnabled() ? theme().text : theme().text3);
    painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine,
                     metrics.elidedText(shownValue(), Qt::ElideRight, text.width()));
}

}  // namespace ui
