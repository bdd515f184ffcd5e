// SPDX-License-Identifier: GPL-3.0-or-later
// The next token's candidates; which of them is the target and which the distractor.
#pragma once
#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "engine/values/run.h"

namespace ui {

class LogitsModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Mark, Token, Probability, Other, Logit, Columns };
    enum Role { ProbabilityRole = Qt::UserRole, IsTargetRole, IsDistractorRole };

    explicit LogitsModel(QObject* parent = nullptr);
    void setCandidates(std::vector<engine::Candidate>);
    // And the same tokens after another run's row, with both runs' names.
    void setBeside(std::vector<engine::Candidate> own, std::vector<engine::Candidate> others,
                   const QString& ownName, const QString& otherName);
    bool isBeside() const { return !m_others.empty(); }
    const std::vector<engine::Candidate>& others() const { return m_others; }
    void setTarget(const std::optional<engine::Candidate>&);  // none: the most probable
    void setDistractor(const std::optional<engine::Candidate>&);
    const std::vector<engine::Candidate>& candidates() const { return m_candidates; }
    const std::optional<engine::Candidate>& target() const { return m_target; }
    const std::optional<engine::Candidate>& distractor() const { return m_distractor; }
    bool isTarget(int row) const;
    bool isDistractor(int row) const;
    const engine::Candidate* find(engine::TokenId) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex&, int role) const override;
    QVariant headerData(int section, Qt::Orientation, int role) const override;

  private:
    void marksChanged();

    std::vector<engine::Candidate> m_candidates, m_others;  // as many, or none
    QString m_ownName, m_otherName;
    std::optional<engine::Candidate> m_target, m_distractor;
};

}  // namespace ui
