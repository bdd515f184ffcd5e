// SPDX-License-Identifier: GPL-3.0-or-later
// How the candidates' table draws its marks and its probabilities.
#pragma once
#include <QStyledItemDelegate>

namespace ui {

// A bar from 0 to 1 and the number right of it.
class ProbabilityDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter*, const QStyleOptionViewItem&, const QModelIndex&) const override;
};

// T and D as boxes to click: set ones framed, the others faint while the mouse is on their row.
class MarkDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter*, const QStyleOptionViewItem&, const QModelIndex&) const override;
    void setHoveredRow(int row) { m_hoveredRow = row; }
    static QRect targetBox(const QRect& cell);
    static QRect distractorBox(const QRect& cell);

  private:
    int m_hoveredRow = -1;
};

}  // namespace ui
