// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the Steps dock, own painting: a prefill box at the left, then
// either the candidates after the prompt or a column a step, which scroll.
#pragma once
#include <QAbstractScrollArea>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/values/run.h"

namespace ui {

// A run beside the one shown: a fork, or what it was forked from.
struct OtherRun {
    QString name, origin;  // "Run B", "fork of A at 3"
    int sharedSteps = 0;   // with the run shown: they are not drawn again
    std::vector<engine::Step> steps;
};

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
    void setRuns(const QString& shown, const QString& origin, std::vector<OtherRun> others);
    void setForkable(bool);  // alternatives and candidates can be clicked
    void setSelected(std::optional<std::int64_t> row);
    void scrollToEnd();
    const std::vector<engine::Step>& steps() const { return m_steps; }
    QRect stepRect(int index) const;  // in viewport coordinates, may be out of view
    // Of the number above a step: what of its column is in sight, null where it would be cut. "113"
    // without its first digit is another step.
    QRect headerRect(int index) const;
    QRect candidateRect(int index) const;            // boxes are as wide as their tokens
    QRect alternativeRect(int step, int row) const;  // as stepRect
    QRect otherRunRect(int index) const;             // its whole lane
    QRect prefillRect() const;
    QString prefillText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, 42}; }

  Q_SIGNALS:
    void prefillClicked();
    void stepClicked(int index);
    void alternativeClicked(int step,
                            const engine::Candidate&);  // at the number of steps: a candidate
    void runClicked(int other);                         // its place among the others

  protected:
    bool event(QEvent*) override;
    bool viewportEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    bool isGenerating() const { return !m_steps.empty(); }
    int columnAt(QPoint) const;  // −1: none
    // What can be forked to under the mouse: the step, and which of its
    // alternatives or candidates.
    struct Choice {
        int step = -1, row = 0;
        bool operator==(const Choice&) const = default;
    };
    std::optional<Choice> choiceAt(QPoint) const;
    const engine::Candidate* candidateOf(const Choice&) const;
    int shownCandidates() const;  // that have room; a note leaves none
    // Keys, while the lane has the focus (step_lane_keys.cpp): ← → steps, ↑ ↓ alternatives of the
    // selected one, Enter goes on with the chosen one, Esc forgets it.
    bool takesKey(const QKeyEvent&) const;
    int selectedStep() const;  // −1: a row of the prompt
    void moveStep(int by);
    void moveChosen(int by);
    void choose(std::optional<Choice>);
    void scrubTo(QPoint);  // a step, or at the left of the first the prompt
    void describe();       // the selected step and what is chosen, for screen readers
    std::vector<const engine::Candidate*> alternativesOf(int step) const;
    int otherRunAt(QPoint) const;  // −1: none
    void paintOtherRuns(QPainter&) const;
    void paintAlternatives(QPainter&, int step) const;
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
    std::optional<Choice> m_choice;  // hovered
    std::optional<Choice> m_chosen;  // by the keys
    bool m_scrubs = false;           // the mouse went down on a step and is still down
    int m_scrubbed = -1;             // the last step it was on; −1: none, or the prompt
    QString m_runName, m_runOrigin;
    std::vector<OtherRun> m_others;
    bool m_forkable = false;
};

}  // namespace ui
