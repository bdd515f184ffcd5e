// SPDX-License-Identifier: GPL-3.0-or-later
// The models that can be opened: shape, memory needed and whether this machine has it.
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "engine/values/model_info.h"

namespace ui {

class ModelTable : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Name, File, Family, Shape, Memory, Verdict, Columns };

    explicit ModelTable(QObject* parent = nullptr);
    void setModels(std::vector<engine::ModelInfo>);
    const engine::ModelInfo* at(int row) const;  // null out of range

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex&, int role) const override;
    QVariant headerData(int section, Qt::Orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex&) const override;

  private:
    std::vector<engine::ModelInfo> m_models;
};

// "fits", "13.9 GB short", "refused: linear attention".
QString verdictOn(const engine::ModelInfo&);

}  // namespace ui
