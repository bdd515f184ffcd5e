// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/model_picker.h"

#include <QKeyEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>

namespace ui {

void ModelPicker::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QString name = currentData(ClosedTextRole).toString();
    const int room =
        style()
            ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this)
            .width() -
        4;
    option.currentText = option.fontMetrics.elidedText(name.isEmpty() ? option.currentText : name,
                                                       Qt::ElideMiddle, room);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ModelPicker::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Space:
        case Qt::Key_F4: showPopup(); break;
        default: event->ignore();
    }
}

void ModelPicker::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

}  // namespace ui
