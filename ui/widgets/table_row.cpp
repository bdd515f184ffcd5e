// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_row.h"

#include <QPainter>
#include <QStyleOptionViewItem>

#include "ui/painting/theme.h"

namespace ui {

QRect beginCell(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
    const Theme& t = theme();
    painter.fillRect(option.rect, (option.state & QStyle::State_Selected) ? t.accentGround
                                  : index.row() % 2                       ? t.alternate
                                                                          : t.base);
    painter.setFont(index.data(Qt::FontRole).value<QFont>());
    painter.setPen(t.text);
    return option.rect.adjusted(8, 0, -8, 0);
}

void paintHeadCell(QPainter& painter, const QRect& cell, const QString& name, int group,
                   int groups) {
    painter.fillRect(QRect(cell.left(), cell.top() + 4, 3, cell.height() - 8),
                     theme().kvGroup(group, groups));
    painter.drawText(cell.adjusted(9, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
}

}  // namespace ui
