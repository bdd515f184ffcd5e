// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants layer by layer, with their tolerances.
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "engine/values/checks.h"

namespace ui {

class ChecksModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { LayerColumn, RowSums, PatternV, HeadsSum, Closes, RowsChecked, Columns };

    explicit ChecksModel(QObject* parent = nullptr);
    void setReports(std::vector<engine::CheckReport>);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex&, int role) const override;
    QVariant headerData(int section, Qt::Orientation, int role) const override;

  private:
    std::vector<engine::CheckReport> m_reports;
};

}  // namespace ui
