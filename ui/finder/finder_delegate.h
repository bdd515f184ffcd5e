// SPDX-License-Identifier: GPL-3.0-or-later
// A number and, under it, its share of the column's largest; heads with their group's hue.
#pragma once
#include <QStyledItemDelegate>

namespace ui {

class FinderModel;

class FinderDelegate : public QStyledItemDelegate {
  public:
    FinderDelegate(const FinderModel& model, QObject* parent);
    void paint(QPainter*, const QStyleOptionViewItem&, const QModelIndex&) const override;

  private:
    const FinderModel& m_model;
};

}  // namespace ui
