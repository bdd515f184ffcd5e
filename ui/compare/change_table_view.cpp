// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/change_table_view.h"

#include <QHeaderView>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>
#include <cmath>

#include "ui/painting/theme.h"
#include "ui/widgets/table_row.h"

namespace ui {

namespace {

constexpr int rowHeight = 19;

// A share as a bar beside its number; heads with their group's hue.
class ChangeDelegate : public QStyledItemDelegate {
  public:
    ChangeDelegate(const ChangeModel& model, QObject* parent)
        : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& t = theme();
        const bool selected = option.state & QStyle::State_Selected;
        painter->save();
        const QRect cell = beginCell(*painter, option, index);
        const QString text = index.data().toString();
        if (index.column() == ChangeModel::Head) {
            paintHeadCell(*painter, cell, text, index.data(ChangeModel::KvRole).toInt(),
                          m_model.kvHeads());
        } else if (index.column() == ChangeModel::Where) {
            painter->drawText(
                cell, Qt::AlignLeft | Qt::AlignVCenter,
                painter->fontMetrics().elidedText(text, Qt::ElideRight, cell.width()));
        } else {
            if (index.column() != ChangeModel::LargestChange) {
                const double share =
                    std::clamp(index.data(ChangeModel::ShareRole).toDouble(), 0.0, 1.0);
                const int room = std::max(0, cell.width() - 58);
                painter->fillRect(
                    QRect(cell.left(), cell.top() + 5, static_cast<int>(std::lround(share * room)),
                          cell.height() - 10),
                    selected ? t.accent : t.bar);
            }
            painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter, text);
        }
        painter->restore();
    }

  private:
    const ChangeModel& m_model;
};

}  // namespace

void setLeastRows(QTableView& table, int rows) {
    table.setMinimumHeight(table.horizontalHeader()->sizeHint().height() + rows * rowHeight);
}

QTableView* makeChangeTable(const ChangeModel& model, QSortFilterProxyModel& proxy) {
    auto* table = new QTableView;
    table->setAccessibleName(QStringLiteral("Heads by how far they moved"));
    table->setModel(&proxy);
    table->setItemDelegate(new ChangeDelegate(model, table));
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setSortingEnabled(true);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(rowHeight);
    table->verticalHeader()->setMinimumSectionSize(rowHeight);
    QHeaderView* header = table->horizontalHeader();
    header->setFont(wordFont(11));
    header->setHighlightSections(false);
    header->setMinimumSectionSize(60);
    header->setTextElideMode(Qt::ElideRight);
    for (int i = 0; i < ChangeModel::columns; ++i)
        header->setSectionResizeMode(
            i, i == ChangeModel::Head ? QHeaderView::Fixed : QHeaderView::Stretch);
    header->resizeSection(ChangeModel::Head, 84);
    setLeastRows(*table, 3);
    table->sortByColumn(ChangeModel::Moved, Qt::DescendingOrder);
    return table;
}

}  // namespace ui
