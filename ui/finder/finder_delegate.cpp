// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/finder/finder_delegate.h"

#include <QPainter>
#include <cmath>

#include "ui/models/finder_model.h"
#include "ui/painting/theme.h"

namespace ui {

FinderDelegate::FinderDelegate(const FinderModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

void FinderDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    const Theme& t = theme();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->fillRect(option.rect, selected          ? t.accentGround
                                   : index.row() % 2 ? t.alternate
                                                     : t.base);
    painter->setFont(index.data(Qt::FontRole).value<QFont>());
    painter->setPen(t.text);
    const QRect cell = option.rect.adjusted(8, 0, -8, 0);
    if (index.column() == 0) {
        painter->fillRect(QRect(cell.left(), cell.top() + 4, 3, cell.height() - 8),
                          t.kvGroup(index.data(FinderModel::KvRole).toInt(), m_model.kvHeads()));
        painter->drawText(cell.adjusted(9, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          index.data().toString());
        if (index.data(FinderModel::PinnedRole).toBool()) {  // framed as in the grid
            painter->setPen(QPen(t.text, 1.5));
            painter->drawRect(QRectF(cell.right() - 8, cell.center().y() - 3.5, 8, 8));
        }
    } else {
        painter->drawText(cell.adjusted(0, 0, 0, -3), Qt::AlignRight | Qt::AlignVCenter,
                          index.data().toString());
        const double share = index.data(FinderModel::ShareRole).toDouble();
        const int length = static_cast<int>(std::lround(std::abs(share) * cell.width()));
        painter->fillRect(QRect(cell.left(), cell.bottom() - 2, length, 2), selected    ? t.accent
                                                                            : share < 0 ? t.mlpBar
                                                                                        : t.bar);
    }
    painter->restore();
}

}  // namespace ui
