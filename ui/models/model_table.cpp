// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/model_table.h"

#include <utility>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

QString gigabytes(std::int64_t bytes, int decimals) {
    return QStringLiteral("%1 GB").arg(static_cast<double>(bytes) / 1e9, 0, 'f', decimals);
}

bool isShort(const engine::ModelInfo& info) {
    return info.memory_free > 0 && info.weight_bytes > info.memory_free;
}

}  // namespace

QString verdictOn(const engine::ModelInfo& info) {
    if (!info.supported)
        return QStringLiteral("refused: ") + onOneLine(QString::fromStdString(info.reason));
    if (isShort(info))
        return gigabytes(info.weight_bytes - info.memory_free, 1) + QStringLiteral(" short");
    return info.memory_free > 0 ? QStringLiteral("fits") : QString();
}

ModelTable::ModelTable(QObject* parent) : QAbstractTableModel(parent) {}

void ModelTable::setModels(std::vector<engine::ModelInfo> models) {
    beginResetModel();
    m_models = std::move(models);
    endResetModel();
}

const engine::ModelInfo* ModelTable::at(int row) const {
    return row >= 0 && row < rowCount() ? &m_models[static_cast<std::size_t>(row)] : nullptr;
}

int ModelTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_models.size());
}

int ModelTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant ModelTable::data(const QModelIndex& index, int role) const {
    const engine::ModelInfo* info = index.isValid() ? at(index.row()) : nullptr;
    if (!info) return {};
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            switch (column) {
                case Name: return onOneLine(QString::fromStdString(info->name));
                case File: return onOneLine(QString::fromStdString(info->format));
                case Family: return onOneLine(QString::fromStdString(info->family));
                case Shape:
                    if (!info->supported && info->layers == 0) return QString();
                    return QStringLiteral("%1 × %2 / %3")
                        .arg(info->layers)
                        .arg(info->query_heads)
                        .arg(info->kv_heads);
                case Memory:
                    if (info->weight_bytes <= 0) return QString();
                    return gigabytes(info->weight_bytes,
                                     info->weight_bytes < 1'000'000'000 ? 2 : 1);
                default: return verdictOn(*info);
            }
        case Qt::ToolTipRole:
            return literalToolTip(
                QString::fromStdString(info->supported ? info->path : info->reason));
        case Qt::FontRole:
            if (column == Shape || column == Memory) return monoFont(11);
            return column == Name ? wordFont(12, index.row() == 0) : wordFont(11);
        case Qt::ForegroundRole:
            if (!info->supported) return theme().text3;
            if (column == Verdict) return isShort(*info) ? theme().error : theme().ok;
            if (column == File || column == Family) return theme().text2;
            return {};
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (column == Memory ? Qt::AlignRight : Qt::AlignLeft));
        default: return {};
    }
}

QVariant ModelTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter |
                                (section == Memory ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    static const QStringList titles = {
        QStringLiteral("model"),     QStringLiteral("file"),
        QStringLiteral("family"),    QStringLiteral("layers × heads / KV"),
        QStringLiteral("in memory"), QStringLiteral("on this machine")};
    return titles.value(section);
}

Qt::ItemFlags ModelTable::flags(const QModelIndex& index) const {
    const engine::ModelInfo* info = index.isValid() ? at(index.row()) : nullptr;
    if (!info) return Qt::NoItemFlags;
    // A refused model stays readable, with its reason; it cannot be chosen.
    return info->supported ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsEnabled;
}

}  // namespace ui
