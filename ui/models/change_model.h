// SPDX-License-Identifier: GPL-3.0-or-later
// Every head with how far its pattern moved between two runs.
#pragma once
#include <QAbstractTableModel>
#include <functional>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/models/change_table.h"

namespace ui {

class ChangeModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Head, Moved, RowMoved, LargestChange, Where, columns };
    enum Role { SortRole = Qt::UserRole, ShareRole, KvRole };  // ShareRole: of a whole row, 0 to 1

    explicit ChangeModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void setModel(const engine::ModelInfo&);
    void setChanges(const std::optional<ChangeTable>&);  // none: not known yet
    // Whose own change a column shows, and its name; none: the selected row is of neither run.
    void setRow(std::optional<std::int64_t> dest, const QString& name);
    void setFocused(engine::LayerHead);
    // "13 ·to", of a position in the second run.
    void setLabels(std::function<QString(std::int64_t)> label) { m_label = std::move(label); }

    int heads() const { return m_layers * m_heads; }
    int kvHeads() const { return m_kvHeads; }
    engine::LayerHead headAt(int row) const;
    int rowOf(engine::LayerHead) const;  // −1: none
    const std::optional<ChangeTable>& changes() const { return m_changes; }
    std::optional<double> value(int row, Column) const;
    QString definition(Column) const;
    int movedHeads() const;  // how many moved at all

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex&, int role) const override;
    QVariant headerData(int section, Qt::Orientation, int role) const override;

  private:
    void refresh();

    int m_layers = 0, m_heads = 0, m_kvHeads = 1;
    std::optional<ChangeTable> m_changes;
    std::vector<float> m_means;
    std::optional<std::int64_t> m_row;
    QString m_rowName;
    std::optional<engine::LayerHead> m_focused;
    std::function<QString(std::int64_t)> m_label;
};

}  // namespace ui
