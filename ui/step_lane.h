// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the Steps dock, own painting: a prefill box at the left, then either the
// candidates after the prompt or a column a step, which scroll.
#pragma once
#include <QAbstractScrollArea>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/values/run.h"

namespace ui {

class StepLane : public QAbstractScrollArea {
    Q_OBJECT
  public:
    explicit StepLane(QWidget* parent = nullptr);

    void startRun(std::int64_t promptTokens);
    void setPrefill(std::int64_t done);
    void setCandidates(std::vector<engine::Candidate>);
    void setSteps(std::vector<engine::Step>);
    void appendStep(const engine::Step&);
    void setPlan(const QString& sampler, int planned);
    void setNote(const QString&);
    void setSelected(std::optional<std::int64_t> row);
    void scrollToEnd();
    const std::vector<engine::Step>& steps() const { return m_steps; }
    QRect stepRect(int index) const;       // in viewport coordinates, may be out of view
    QRect candidateRect(int index) const;  // boxes are as wide as their tokens
    QRect prefillRect() const;
    QString prefillText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, 42}; }

  Q_SIGNALS:
    void prefillClicked();
    void stepClicked(int index);

  protected:
    bool viewportEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    bool isGenerating() const { return !m_steps.empty(); }
    int columnAt(QPoint) const;  // −1: none
    void refreshRange();
    void paintPrefill(QPainter&) const;
    void paintCandidates(QPainter&) const;
    void paintSteps(QPainter&) const;
    void paintStep(QPainter&, int index) const;
    QString toolTipAt(QPoint) const;

    std::int64_t m_prompt = 0, m_read = 0;
    std::vector<engine::Candidate> m_candidates;
    std::vector<engine::Step> m_steps;
    QString m_sampler = QStringLiteral("greedy"), m_note;
    int m_planned = 0;
    std::optional<std::int64_t> m_selected;
    int m_hovered = -1;
};

}  // namespace ui
