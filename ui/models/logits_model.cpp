// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/logits_model.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

LogitsModel::LogitsModel(QObject* parent) : QAbstractTableModel(parent) {}

void LogitsModel::setCandidates(std::vector<engine::Candidate> candidates) {
    beginResetModel();
    m_candidates = std::move(candidates);
    m_others.clear();
    endResetModel();
}

void LogitsModel::setBeside(std::vector<engine::Candidate> own,
                            std::vector<engine::Candidate> others, const QString& ownName,
                            const QString& otherName) {
    beginResetModel();
    m_candidates = std::move(own);
    m_others = std::move(others);
    if (m_others.size() != m_candidates.size()) m_others.clear();
    m_ownName = ownName;
    m_otherName = otherName;
    endResetModel();
}

void LogitsModel::setTarget(const std::optional<engine::Candidate>& target) {
    m_target = target;
    marksChanged();
}

void LogitsModel::setDistractor(const std::optional<engine::Candidate>& distractor) {
    m_distractor = distractor;
    marksChanged();
}

void LogitsModel::marksChanged() {
    if (m_candidates.empty()) return;
    Q_EMIT dataChanged(index(0, Mark), index(rowCount() - 1, Columns - 1));
}

bool LogitsModel::isTarget(int row) const {
    if (row < 0 || row >= rowCount()) return false;
    return m_target ? m_candidates[static_cast<std::size_t>(row)].token == m_target->token
                    : row == 0;
}

bool LogitsModel::isDistractor(int row) const {
    if (row < 0 || row >= rowCount() || !m_distractor) return false;
    return m_candidates[static_cast<std::size_t>(row)].token == m_distractor->token;
}

const engine::Candidate* LogitsModel::find(engine::TokenId token) const {
    const auto at = std::find_if(m_candidates.begin(), m_candidates.end(),
                                 [&](const engine::Candidate& c) { return c.token == token; });
    return at == m_candidates.end() ? nullptr : &*at;
}

int LogitsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_candidates.size());
}

int LogitsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant LogitsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const bool isOther = index.column() == Other && isBeside();
    const engine::Candidate& candidate =
        (isOther ? m_others : m_candidates)[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case Mark:
                    return isTarget(index.row())       ? QStringLiteral("T")
                           : isDistractor(index.row()) ? QStringLiteral("D")
                                                       : QString();
                case Token: return visibleToken(candidate.bytes);
                case Probability:
                case Other: return plainNumber(candidate.probability, 4);
                default: return plainNumber(static_cast<double>(candidate.logit), 2);
            }
        case Qt::ToolTipRole:
            if (index.column() == Mark)
                return QStringLiteral("T: attribute this token's logit · D: subtract this one's");
            return literalToolTip(
                QStringLiteral("token %1  %2\np = %3, before any temperature")
                    .arg(engine::to_int(candidate.token))
                    .arg(visibleToken(candidate.bytes))
                    .arg(candidate.probability, 0, 'g', 6) +
                (isBeside() ? QStringLiteral("\nlogit %1").arg(plainNumber(candidate.logit, 3))
                            : QString()));
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (index.column() == Logit ? Qt::AlignRight : Qt::AlignLeft));
        case Qt::FontRole: return monoFont(11);
        case ProbabilityRole: return candidate.probability;
        case IsTargetRole: return isTarget(index.row());
        case IsDistractorRole: return isDistractor(index.row());
        default: return {};
    }
}

QVariant LogitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter |
                                (section == Logit ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    static const QStringList titles = {QString(), QStringLiteral("token"),
                                       QStringLiteral("probability"), QString(),
                                       QStringLiteral("logit")};
    if (isBeside() && section == Probability) return QStringLiteral("p in ") + m_ownName;
    if (isBeside() && section == Other) return QStringLiteral("p in ") + m_otherName;
    return titles.value(section);
}

}  // namespace ui
