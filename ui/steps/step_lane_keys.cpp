// SPDX-License-Identifier: GPL-3.0-or-later
// The step lane without a mouse, and scrubbing with one: both select the row of a step.
#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_lane.h"
#include "ui/steps/step_lane_metrics.h"

namespace ui {

using namespace step_lane;

bool StepLane::takesKey(const QKeyEvent& event) const {
    if (event.modifiers() & ~Qt::KeypadModifier) return false;
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down: return true;
        // Without a choice they stay the window's: the map alone, and one step out.
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Escape: return m_chosen.has_value();
        default: return false;
    }
}

bool StepLane::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride &&
        takesKey(static_cast<const QKeyEvent&>(*event))) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::FocusOut || event->type() == QEvent::FocusIn) viewport()->update();
    return QAbstractScrollArea::event(event);
}

void StepLane::keyPressEvent(QKeyEvent* event) {
    if (!takesKey(*event)) return QAbstractScrollArea::keyPressEvent(event);
    const bool back = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (isGenerating())
                moveStep(back ? -1 : 1);
            else
                moveChosen(back ? -1 : 1);
            break;
        case Qt::Key_Up:
        case Qt::Key_Down: moveChosen(back ? -1 : 1); break;
        case Qt::Key_Escape: choose({}); break;
        default:
            if (const engine::Candidate* candidate = candidateOf(*m_chosen)) {
                const engine::Candidate token = *candidate;  // the signal may drop what it is of
                Q_EMIT alternativeClicked(m_chosen->step, token);
            }
    }
}

int StepLane::selectedStep() const {
    if (!m_selected) return -1;
    const auto step = std::find_if(m_steps.begin(), m_steps.end(), [this](const auto& one) {
        return engine::to_int(one.position) == *m_selected;
    });
    return step == m_steps.end() ? -1 : static_cast<int>(step - m_steps.begin());
}

void StepLane::moveStep(int by) {
    const int from = selectedStep();
    const int to = std::clamp(from + by, -1, static_cast<int>(m_steps.size()) - 1);
    if (to == from) return;
    if (to >= 0)
        Q_EMIT stepClicked(to);
    else if (m_read > 0)
        Q_EMIT prefillClicked();
}

// Up from the first is the step's own token again.
void StepLane::moveChosen(int by) {
    const int step = isGenerating() ? selectedStep() : 0;
    if (!m_forkable || step < 0) return;
    const int rows =
        isGenerating() ? static_cast<int>(alternativesOf(step).size()) : shownCandidates();
    const int row = std::clamp((m_chosen ? m_chosen->row : -1) + by, -1, rows - 1);
    choose(row < 0 ? std::nullopt : std::optional(Choice{step, row}));
}

void StepLane::choose(std::optional<Choice> choice) {
    m_chosen = choice;
    describe();
    viewport()->update();
}

void StepLane::scrubTo(QPoint at) {
    const int column = (at.x() - leftColumn + horizontalScrollBar()->value()) / pitch;
    const bool prompt = at.x() < leftColumn && horizontalScrollBar()->value() == 0;
    const int to = prompt ? -1 : std::clamp(column, 0, static_cast<int>(m_steps.size()) - 1);
    if (std::exchange(m_scrubbed, to) == to) return;
    if (to >= 0)
        Q_EMIT stepClicked(to);
    else
        Q_EMIT prefillClicked();
}

void StepLane::describe() {
    QString text = prefillText();
    const int step = selectedStep();
    if (step >= 0) {
        const engine::Step& at = m_steps[static_cast<std::size_t>(step)];
        text = QStringLiteral("step %1 of %2, %3 %4, p %5")
                   .arg(step)
                   .arg(m_steps.size())
                   .arg(thousands(engine::to_int(at.position)), visibleToken(at.token.bytes),
                        plainNumber(at.probability, 3));
    }
    if (m_chosen) {
        if (const engine::Candidate* candidate = candidateOf(*m_chosen))
            text +=
                QStringLiteral("; instead %1, p %2: Enter goes on with it in a run of its own")
                    .arg(visibleToken(candidate->bytes), plainNumber(candidate->probability, 3));
    }
    setAccessibleDescription(text);
}

}  // namespace ui
