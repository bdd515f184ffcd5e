// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/change_model.h"

#include <algorithm>
#include <cmath>

#include "ui/painting/names.h"
#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

void ChangeModel::setModel(const engine::ModelInfo& model) {
    beginResetModel();
    m_layers = std::max(0, model.layers);
    m_heads = std::max(0, model.query_heads);
    m_kvHeads = std::max(1, model.kv_heads);
    m_changes.reset();
    m_means.clear();
    m_focused.reset();
    endResetModel();
}

void ChangeModel::setChanges(const std::optional<ChangeTable>& table) {
    m_changes = table && table->heads() == heads() ? table : std::nullopt;
    m_means.clear();
    for (int head = 0; m_changes && head < heads(); ++head)
        m_means.push_back(m_changes->mean(head));
    refresh();
}

void ChangeModel::setRow(std::optional<std::int64_t> dest, const QString& name) {
    if (dest == m_row && name == m_rowName) return;
    m_row = dest;
    m_rowName = name;
    if (heads() > 0) Q_EMIT dataChanged(index(0, RowMoved), index(heads() - 1, RowMoved));
    Q_EMIT headerDataChanged(Qt::Horizontal, RowMoved, RowMoved);
}

void ChangeModel::setFocused(engine::LayerHead at) {
    if (m_focused == at) return;
    m_focused = at;
    if (heads() > 0) Q_EMIT dataChanged(index(0, 0), index(heads() - 1, 0), {Qt::FontRole});
}

void ChangeModel::refresh() {
    if (heads() > 0) Q_EMIT dataChanged(index(0, Moved), index(heads() - 1, columns - 1));
}

engine::LayerHead ChangeModel::headAt(int row) const {
    return {engine::Layer(row / std::max(1, m_heads)),
            engine::QueryHead(row % std::max(1, m_heads))};
}

int ChangeModel::rowOf(engine::LayerHead at) const {
    const int layer = engine::to_int(at.layer), head = engine::to_int(at.head);
    return layer < 0 || layer >= m_layers || head < 0 || head >= m_heads ? -1
                                                                         : layer * m_heads + head;
}

std::optional<double> ChangeModel::value(int row, Column column) const {
    const auto known = [](float value) {
        return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
    };
    if (!m_changes || row < 0 || row >= heads()) return std::nullopt;
    const auto at = static_cast<std::size_t>(row);
    switch (column) {
        case Moved: return known(m_means[at]);
        case RowMoved:
            // Above the rows compared the runs are the same.
            if (!m_row) return std::nullopt;
            if (*m_row < m_changes->rows.begin) return 0.0;
            if (!m_changes->has(*m_row)) return std::nullopt;
            return known(m_changes->at(row, *m_row));
        case LargestChange: return known(m_changes->largest[at].value);
        default: return std::nullopt;
    }
}

int ChangeModel::movedHeads() const {
    return static_cast<int>(
        std::count_if(m_means.begin(), m_means.end(), [](float mean) { return mean > 0; }));
}

QString ChangeModel::definition(Column column) const {
    QString variation =
        tr("total variation of a row: ½ Σ over sources of |Δp|; 0 %: the "
           "same, 100 %: no source in common");
    const bool byToken = m_changes && m_changes->byToken;
    if (byToken)
        variation += tr("; a source that only one run has counts with all that it gets there");
    switch (column) {
        case Moved:
            if (byToken)
                return tr("mean over the rows that stand for one another, from the first that is "
                          "not the same, of the %1")
                    .arg(variation);
            if (m_changes && m_changes->rows.count() > 0)
                return tr("mean over rows %1 to %2, which both runs have and where they differ, of "
                          "the %3")
                    .arg(thousands(m_changes->rows.begin), thousands(m_changes->rows.end - 1),
                         variation);
            return tr("mean over the rows that both runs have and where they differ, of the %1")
                .arg(variation);
        case RowMoved: return variation;
        case LargestChange:
        case Where:
            return byToken ? tr("the cell whose p changed most, of those that both runs have")
                           : tr("the cell whose p changed most, over the same rows");
        default: return {};
    }
}

int ChangeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : heads();
}

int ChangeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columns;
}

QVariant ChangeModel::data(const QModelIndex& at, int role) const {
    if (!at.isValid() || at.row() >= heads()) return {};
    const auto column = static_cast<Column>(at.column());
    if (role == KvRole) return at.row() % std::max(1, m_heads) / std::max(1, m_heads / m_kvHeads);
    if (column == Head) {
        if (role == Qt::DisplayRole) return headName(headAt(at.row()));
        if (role == SortRole) return at.row();
        if (role == Qt::FontRole) return wordFont(11, m_focused == headAt(at.row()));
        return {};
    }
    if (role == Qt::FontRole) return monoFont(11);
    if (role == Qt::ToolTipRole) return literalToolTip(definition(column));
    if (column == Where) {
        if (!m_changes) return {};
        const ChangeTable::Largest& largest =
            m_changes->largest[static_cast<std::size_t>(at.row())];
        if (role == SortRole) return static_cast<qlonglong>(engine::to_int(largest.src));
        if (role != Qt::DisplayRole || largest.value == 0) return {};
        const auto label = [this](engine::Position position) {
            return m_label ? m_label(engine::to_int(position))
                           : QString::number(engine::to_int(position));
        };
        return label(largest.dest) + QStringLiteral(" ← ") + label(largest.src);
    }
    const auto number = value(at.row(), column);
    switch (role) {
        case Qt::DisplayRole:
            if (!number) return QStringLiteral("–");
            if (*number == 0) return column == LargestChange ? tr("0") : tr("0 %");
            if (column == LargestChange) return signedNumber(*number, 3);
            if (*number < 0.0005) return tr("< 0.1 %");  // moved all the same
            return QString::number(100 * *number, 'f', 1) + QStringLiteral(" %");
        case SortRole: return number ? std::abs(*number) : -1.0;
        case ShareRole: return number.value_or(0.0);
        case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        default: return {};
    }
}

QVariant ChangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant((column == Head || column == Where ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return column == Head ? QVariant() : literalToolTip(definition(column));
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case Head: return tr("head");
        case Moved: return tr("moved");
        case RowMoved: return m_row ? tr("row %1 moved").arg(m_rowName) : tr("row moved");
        case LargestChange: return tr("largest Δp");
        case Where: return tr("dest ← src");
        default: return {};
    }
}

}  // namespace ui
