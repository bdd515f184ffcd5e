// SPDX-License-Identifier: GPL-3.0-or-later
// What the cells of a table of heads have in common: the row's ground, and the head's name beside
// its group's hue.
#pragma once
#include <QModelIndex>
#include <QString>

class QPainter;
class QStyleOptionViewItem;

namespace ui {

// The ground of a row, selected, even or odd; then the cell's own font and the text's colour are
// set. The cell, inside its margins.
QRect beginCell(QPainter&, const QStyleOptionViewItem&, const QModelIndex&);
// Of KV group `group` of `groups`.
void paintHeadCell(QPainter&, const QRect& cell, const QString& name, int group, int groups);

}  // namespace ui
