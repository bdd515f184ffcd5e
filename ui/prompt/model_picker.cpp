// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/model_picker.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

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

}  // namespace ui
