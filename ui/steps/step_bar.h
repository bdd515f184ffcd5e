// SPDX-License-Identifier: GPL-3.0-or-later
// Prefill, the candidates after it and, once tokens are generated, one lane of
// steps.
#pragma once
#include <QWidget>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/run.h"
#include "ui/selection.h"

class QLabel;
class QStackedLayout;

namespace ui {

class GeneratedText;
class StepLane;
struct OtherRun;

class StepBar : public QWidget {
    Q_OBJECT
  public:
    explicit StepBar(QWidget* parent = nullptr);

    void clear(const QString& sentence);       // no run: says what will stand here
    void startRun(std::int64_t promptTokens);  // a fresh run: drops candidates and steps
    void setPrefill(std::int64_t done);        // prompt rows read so far
    void setCandidates(const std::vector<engine::Candidate>&);  // after the prompt's last row
    void setSteps(const std::vector<engine::Step>&);            // replaces all
    void appendStep(const engine::Step&);
    void setPlan(const QString& sampler,
                 int planned);  // "greedy", 16: the lane says "greedy, 9 of 16"
    // The generated text under the lane: what a step added, what is held back of
    // half a character, and whether more is on its way.
    void appendText(const std::string& added, const std::string& unfinished);
    void setRunning(bool);
    const GeneratedText& text() const { return *m_text; }
    void setRuns(const QString& shown, const QString& origin, std::vector<OtherRun> others);
    void setForkable(bool);        // alternatives and candidates can be clicked
    void setNote(const QString&);  // e.g. why no step is possible; empty: the usual hint
    void setSelected(std::optional<engine::Position> dest);  // marks the step whose row is selected
    void setFollowNewest(bool);
    bool followNewest() const { return m_follow; }
    const std::vector<engine::Step>& steps() const;
    QRect stepRect(int index) const;  // in this widget's coordinates; empty when out of view
    QRect prefillRect() const;
    QRect alternativeRect(int step, int row) const;  // as stepRect
    QRect otherRunRect(int index) const;
    QWidget* canvas() const;  // what the mouse is on, for tests

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void stepSelected(engine::Position row);  // a step's own row, or the prompt's
                                              // last for the prefill box
    void followNewestChanged(bool);
    void forkRequested(engine::Position at,
                       const engine::Candidate&);  // that token in that place
    void runRequested(int other);                  // the one at that place among the others
    void heightWanted(int height);  // the lane needs more room than the candidates, and back

  private:
    void showText();

    QLabel* m_sentence = nullptr;
    QStackedLayout* m_pages = nullptr;
    QWidget* m_run = nullptr;  // lane above text
    StepLane* m_lane = nullptr;
    GeneratedText* m_text = nullptr;
    std::int64_t m_prompt = 0;
    bool m_follow = true;
};

}  // namespace ui
