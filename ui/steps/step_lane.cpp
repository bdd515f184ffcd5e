// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/step_lane.h"

#include <QEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/painting/theme.h"
#include "ui/steps/step_lane_metrics.h"
#include "ui/strip/strip_painting.h"
#include "ui/widgets/plain_text.h"

namespace ui {

using namespace step_lane;

StepLane::StepLane(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(QStringLiteral("Steps"));
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setFocusPolicy(Qt::TabFocus);
    viewport()->setMouseTracking(true);
}

void StepLane::startRun(std::int64_t promptTokens) {
    m_prompt = promptTokens;
    m_read = 0;
    m_candidates.clear();
    m_steps.clear();
    m_hovered = -1;
    m_scrubs = false;
    choose({});
    refreshRange();
}

void StepLane::setPrefill(std::int64_t done) {
    m_read = std::clamp<std::int64_t>(done, 0, m_prompt);
    viewport()->update();
}

void StepLane::setCandidates(std::vector<engine::Candidate> candidates) {
    m_candidates = std::move(candidates);
    choose({});
    viewport()->update();
}

void StepLane::setSteps(std::vector<engine::Step> steps) {
    m_steps = std::move(steps);
    choose({});
    refreshRange();
}

void StepLane::appendStep(const engine::Step& step) {
    m_steps.push_back(step);
    describe();
    refreshRange();
}

void StepLane::setPlan(const QString& sampler, int planned) {
    m_sampler = sampler;
    m_planned = planned;
    refreshRange();
}

void StepLane::setNote(const QString& note) {
    m_note = note;
    viewport()->update();
}

void StepLane::setRuns(const QString& shown, const QString& origin, std::vector<OtherRun> others) {
    m_runName = shown;
    m_runOrigin = origin;
    m_others = std::move(others);
    refreshRange();
    updateGeometry();
}

void StepLane::setForkable(bool forkable) {
    m_forkable = forkable;
    m_choice.reset();
    choose({});
    viewport()->update();
}

void StepLane::setSelected(std::optional<std::int64_t> row) {
    if (row != m_selected && isGenerating()) m_chosen.reset();
    m_selected = row;
    describe();
    for (std::size_t i = 0; row && i < m_steps.size(); ++i) {
        if (engine::to_int(m_steps[i].position) != *row) continue;
        const QRect box = stepRect(static_cast<int>(i));
        QScrollBar* bar = horizontalScrollBar();
        if (box.left() < leftColumn) bar->setValue(bar->value() + box.left() - leftColumn);
        if (box.right() > viewport()->width())
            bar->setValue(bar->value() + box.right() + 8 - viewport()->width());
    }
    viewport()->update();
}

void StepLane::scrollToEnd() {
    horizontalScrollBar()->setValue(horizontalScrollBar()->maximum());
}

QRect StepLane::prefillRect() const {
    return isGenerating() ? QRect(margin, stepTop, leftColumn - margin - 10, boxHeight)
                          : QRect(margin, candidateTop, widePrefill, boxHeight + 2);
}

QString StepLane::prefillText() const {
    if (m_prompt <= 0) return QStringLiteral("prefill");
    QString text = QStringLiteral("prefill 0");
    if (m_prompt > 1) text += u'–' + thousands(m_prompt - 1);
    if (m_read < m_prompt) text += QStringLiteral(", at ") + thousands(m_read);
    return text;
}

QRect StepLane::candidateRect(int index) const {
    int x = prefillRect().right() + 1 + 10;
    for (int i = 0;; ++i) {
        const QString text = visibleToken(m_candidates[static_cast<std::size_t>(i)].bytes);
        const int wide = std::clamp(tokenBoxWidth(text), narrowestBox, widestCandidate);
        if (i == index) return {x, candidateTop, wide, boxHeight};
        x += wide + 7;
    }
}

QRect StepLane::stepRect(int index) const {
    return {leftColumn + index * pitch - horizontalScrollBar()->value(), stepTop, pitch - 7,
            boxHeight};
}

QRect StepLane::headerRect(int index) const {
    const QRect seen = stepRect(index) &
                       QRect(leftColumn, 0, viewport()->width() - leftColumn, boxHeight + stepTop);
    const int needed =
        QFontMetrics(monoFont(10, true)).horizontalAdvance(QString::number(index)) + 2;
    return seen.width() < needed ? QRect() : QRect(seen.left(), 0, seen.width(), headerHeight);
}

QRect StepLane::alternativeRect(int step, int row) const {
    const QRect box = stepRect(step);
    return {box.left(), alternativesTop + row * alternativeHeight, box.width(), alternativeHeight};
}

QRect StepLane::otherRunRect(int index) const {
    return {0, othersTop + index * runHeight - verticalScrollBar()->value(), viewport()->width(),
            runHeight};
}

int StepLane::otherRunAt(QPoint at) const {
    if (!isGenerating() || at.y() < othersTop) return -1;
    const int index = (at.y() - othersTop + verticalScrollBar()->value()) / runHeight;
    return index < static_cast<int>(m_others.size()) ? index : -1;
}

std::vector<const engine::Candidate*> StepLane::alternativesOf(int step) const {
    std::vector<const engine::Candidate*> others;
    const engine::Step& at = m_steps[static_cast<std::size_t>(step)];
    for (const engine::Candidate& candidate : at.alternatives) {
        if (candidate.token == at.token.id) continue;
        if (static_cast<int>(others.size()) == alternatives) break;
        others.push_back(&candidate);
    }
    return others;
}

std::optional<StepLane::Choice> StepLane::choiceAt(QPoint at) const {
    if (!m_forkable) return std::nullopt;
    if (!isGenerating()) {
        for (int i = 0; i < shownCandidates(); ++i)
            if (candidateRect(i).contains(at)) return Choice{0, i};
        return std::nullopt;
    }
    const int step = columnAt(at);
    if (step < 0 || at.y() >= othersTop) return std::nullopt;
    for (int row = 0; row < static_cast<int>(alternativesOf(step).size()); ++row)
        if (alternativeRect(step, row).contains(at)) return Choice{step, row};
    return std::nullopt;
}

const engine::Candidate* StepLane::candidateOf(const Choice& choice) const {
    const auto row = static_cast<std::size_t>(choice.row);
    if (!isGenerating()) return row < m_candidates.size() ? &m_candidates[row] : nullptr;
    const auto others = alternativesOf(choice.step);
    return row < others.size() ? others[row] : nullptr;
}

int StepLane::shownCandidates() const {
    if (!m_note.isEmpty()) return 0;
    const int right = viewport()->width() - margin - hintWidth;
    int count = 0;
    while (count < static_cast<int>(m_candidates.size()) && candidateRect(count).right() <= right)
        ++count;
    return count;
}

int StepLane::columnAt(QPoint at) const {
    if (!isGenerating() || at.x() < leftColumn) return -1;
    const int column = (at.x() - leftColumn + horizontalScrollBar()->value()) / pitch;
    return column < static_cast<int>(m_steps.size()) ? column : -1;
}

void StepLane::refreshRange() {
    const int columns =
        static_cast<int>(m_steps.size()) + (m_planned > static_cast<int>(m_steps.size()) ? 1 : 0);
    const int over =
        isGenerating() ? leftColumn + columns * pitch + margin - viewport()->width() : 0;
    QScrollBar* bar = horizontalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();  // then it stays there
    bar->setPageStep(std::max(1, viewport()->width() - leftColumn));
    bar->setSingleStep(pitch);
    bar->setRange(0, std::max(0, over));
    if (atEnd) bar->setValue(bar->maximum());
    const int lanes = isGenerating() ? static_cast<int>(m_others.size()) * runHeight : 0;
    const int room = std::max(0, viewport()->height() - othersTop);
    verticalScrollBar()->setPageStep(std::max(1, room));
    verticalScrollBar()->setSingleStep(runHeight);
    verticalScrollBar()->setRange(0, std::max(0, lanes - room));
    viewport()->update();
}

QString StepLane::toolTipAt(QPoint at) const {
    if (prefillRect().contains(at)) return QStringLiteral("Select the prompt's last row (Home)");
    if (const auto choice = choiceAt(at)) {
        if (const engine::Candidate* candidate = candidateOf(*choice))
            return QStringLiteral(
                       "%1 · token %2\np = %3\nClick: go on from here "
                       "with this token, in a "
                       "run of its own (keys: ↑ ↓ and Enter)")
                .arg(visibleToken(candidate->bytes))
                .arg(engine::to_int(candidate->token))
                .arg(candidate->probability, 0, 'g', 6);
    }
    if (const int other = otherRunAt(at); other >= 0)
        return QStringLiteral("Show %1").arg(m_others[static_cast<std::size_t>(other)].name);
    const int column = columnAt(at);
    if (column >= 0) {
        const engine::Step& step = m_steps[static_cast<std::size_t>(column)];
        QString text = QStringLiteral("step %1 · %2 %3 · token %4\np = %5, before any temperature")
                           .arg(column)
                           .arg(thousands(engine::to_int(step.position)))
                           .arg(visibleToken(step.token.bytes))
                           .arg(engine::to_int(step.token.id))
                           .arg(step.probability, 0, 'g', 6);
        if (step.end_of_text) text += QStringLiteral("\nan end token of the model");
        return text;
    }
    for (int i = 0; !isGenerating() && i < static_cast<int>(m_candidates.size()); ++i) {
        if (!candidateRect(i).contains(at)) continue;
        const engine::Candidate& candidate = m_candidates[static_cast<std::size_t>(i)];
        return QStringLiteral("%1 · token %2\np = %3, logit %4")
            .arg(visibleToken(candidate.bytes))
            .arg(engine::to_int(candidate.token))
            .arg(candidate.probability, 0, 'g', 6)
            .arg(signedNumber(static_cast<double>(candidate.logit), 3));
    }
    return {};
}

bool StepLane::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), literalToolTip(toolTipAt(help->pos())), viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        m_hovered = -1;
        m_choice.reset();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void StepLane::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    refreshRange();
}

void StepLane::mousePressEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    m_scrubs = event->button() == Qt::LeftButton && !choiceAt(at) && otherRunAt(at) < 0 &&
               columnAt(at) >= 0;
    m_scrubbed = -1;
    if (m_scrubs) scrubTo(at);
}

void StepLane::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_scrubs) return scrubTo(at);
    const auto choice = choiceAt(at);
    const int column = choice || at.y() >= alternativesTop ? -1 : columnAt(at);
    const bool clickable = choice || otherRunAt(at) >= 0;
    viewport()->setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (column == m_hovered && choice == m_choice) return;
    m_hovered = column;
    m_choice = choice;
    viewport()->update();
}

void StepLane::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || std::exchange(m_scrubs, false)) return;
    const QPoint at = event->position().toPoint();
    if (const auto choice = choiceAt(at)) {
        const engine::Candidate* candidate = candidateOf(*choice);
        if (candidate) Q_EMIT alternativeClicked(choice->step, engine::Candidate(*candidate));
    } else if (const int other = otherRunAt(at); other >= 0) {
        Q_EMIT runClicked(other);
    } else if (prefillRect().contains(at) && m_read > 0) {
        Q_EMIT prefillClicked();
    }
}

void StepLane::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    const int by = std::abs(angle.x()) > std::abs(angle.y()) ? angle.x() : angle.y();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by / 2);
    event->accept();
}

void StepLane::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) viewport()->update();
    QAbstractScrollArea::changeEvent(event);
}

QSize StepLane::sizeHint() const {
    const int lanes = std::min(mostLanes, static_cast<int>(m_others.size()));
    return {600, isGenerating() ? laneHeight + lanes * runHeight : candidatesHeight};
}

}  // namespace ui
