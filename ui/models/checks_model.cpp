// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/checks_model.h"

#include <algorithm>
#include <utility>

#include "ui/painting/theme.h"

namespace ui {

namespace {

struct Measured {
    float error, tolerance;
};

Measured measured(const engine::CheckReport& report, int column) {
    switch (column) {
        case ChecksModel::RowSums: return {report.row_sum_error, report.row_sum_tolerance};
        case ChecksModel::PatternV: return {report.z_error, report.z_tolerance};
        case ChecksModel::HeadsSum: return {report.heads_error, report.heads_tolerance};
        default: return {report.closes_error, report.closes_tolerance};
    }
}

}  // namespace

ChecksModel::ChecksModel(QObject* parent) : QAbstractTableModel(parent) {}

void ChecksModel::setReports(std::vector<engine::CheckReport> reports) {
    beginResetModel();
    m_reports = std::move(reports);
    std::sort(m_reports.begin(), m_reports.end(),
              [](const auto& a, const auto& b) { return a.layer < b.layer; });
    endResetModel();
}

int ChecksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_reports.size());
}

int ChecksModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant ChecksModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const engine::CheckReport& report = m_reports[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool number = column >= RowSums && column <= Closes;
    // Only the last layer is followed by what the logits came from.
    const bool empty = column == Closes && index.row() + 1 < rowCount();
    const Measured value = measured(report, column);
    switch (role) {
        case Qt::DisplayRole:
            if (column == LayerColumn)
                return QStringLiteral("L%1").arg(engine::to_int(report.layer));
            if (column == RowsChecked)
                return QStringLiteral("%1 of %2")
                    .arg(thousands(report.rows_checked), thousands(report.rows));
            if (empty) return QString();
            return QString::number(static_cast<double>(value.error), 'e', 1);
        case Qt::ToolTipRole:
            if (!number || empty) return {};
            return QStringLiteral("tolerance ") +
                   QString::number(static_cast<double>(value.tolerance), 'e', 1);
        case Qt::ForegroundRole:
            if (!number || empty || !(value.error > value.tolerance)) return {};
            return value.error > 10 * value.tolerance ? theme().error : theme().warn;
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (column == LayerColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::FontRole: return monoFont(11);
        default: return {};
    }
}

QVariant ChecksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
    static const QStringList titles = {
        QStringLiteral("layer"),   QStringLiteral("row sums"), QStringLiteral("pattern·v = z"),
        QStringLiteral("Σ heads"), QStringLiteral("closes"),   QStringLiteral("rows checked")};
    return titles.value(section);
}

}  // namespace ui
