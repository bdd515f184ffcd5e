// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/finder/finder_delegate.h"

#include <QPainter>
#include <cmath>

#include "ui/models/finder_model.h"
#include "ui/painting/theme.h"
#include "ui/widgets/table_row.h"

namespace ui {

FinderDelegate::FinderDelegate(const FinderModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

void FinderDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    const Theme& t = theme();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    const QRect cell = beginCell(*painter, option, index);
    if (index.column() == 0) {
        paintHeadCell(*painter, cell, index.data().toString(),
                      index.data(FinderModel::KvRole).toInt(), m_model.kvHeads());
        if (index.data(FinderModel::PinnedRole).toBool()) {  // framed as in the grid
            painter->setPen(QPen(t.text, 1.5));
            painter->drawRect(QRectF(cell.right() - 8, cell.center().y() - 3.5, 8, 8));
        }
    } else {
        painter->drawText(cell.adjusted(0, 0, 0, -3), Qt::AlignRight | Qt::AlignVCenter,
                          index.data().toString());
        // Of a signed number from the middle, below zero to the left.
        const double share = index.data(FinderModel::ShareRole).toDouble();
        const bool hasSign = infoOf(HeadMetric(index.column() - 1)).isSigned;
        const int room = hasSign ? cell.width() / 2 : cell.width();
        const int length = static_cast<int>(std::lround(std::abs(share) * room));
        const int zero = hasSign ? cell.left() + room : cell.left();
        const int y = cell.bottom() - 2;
        painter->fillRect(QRect(share < 0 ? zero - length : zero, y, length, 2),
                          selected ? t.accent : t.bar);
        if (hasSign) painter->fillRect(QRect(zero, y - 1, 1, 4), t.text3);
    }
    painter->restore();
}

}  // namespace ui
