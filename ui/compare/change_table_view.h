// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/models/change_model.h"

class QSortFilterProxyModel;
class QTableView;

namespace ui {

// The table of heads by how far they moved, sorted by that; the caller owns it.
QTableView* makeChangeTable(const ChangeModel&, QSortFilterProxyModel&);
// Below its header, whole.
void setLeastRows(QTableView&, int rows);

}  // namespace ui
