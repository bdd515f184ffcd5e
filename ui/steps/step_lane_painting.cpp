// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_lane.h"
#include "ui/steps/step_lane_metrics.h"
#include "ui/strip/strip_painting.h"

namespace ui {

using namespace step_lane;

namespace {

void write(QPainter& painter, const QRect& box, const QString& text, const QFont& font,
           const QColor& colour, Qt::Alignment side, int flags = Qt::TextSingleLine) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, static_cast<int>(side) | flags, text);
}

// A track of 3 px, filled by p, and the number below it.
void probability(QPainter& painter, const QRect& box, double p, const QColor& colour) {
    const QRect track(box.left(), box.bottom() + 3, box.width(), 3);
    painter.fillRect(track, theme().softBorder);
    const int length = static_cast<int>(std::lround(std::clamp(p, 0.0, 1.0) * track.width()));
    painter.fillRect(QRect(track.left(), track.top(), length, 3), colour);
    write(painter, QRect(box.left(), track.bottom() + 2, box.width(), 13), plainNumber(p, 3),
          monoFont(10), theme().text, Qt::AlignLeft | Qt::AlignVCenter);
}

// Around what the keys chose: another run is an Enter away.
void chosenFrame(QPainter& painter, const QRect& box) {
    painter.setPen(QPen(theme().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(1, 1, -1, -1));
}

}  // namespace

void StepLane::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme().base);
    if (isGenerating()) {
        paintSteps(painter);
    } else {
        paintCandidates(painter);
    }
    paintPrefill(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme().accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void StepLane::paintPrefill(QPainter& painter) const {
    const QRect box = prefillRect();
    const bool reading = m_read < m_prompt;
    const bool selected = !m_selected || *m_selected < m_prompt;
    painter.fillRect(box, reading || !selected ? theme().base : theme().accentGround);
    if (reading && m_prompt > 0) {
        const double part = static_cast<double>(m_read) / static_cast<double>(m_prompt);
        painter.fillRect(
            QRect(box.left(), box.top(), static_cast<int>(part * box.width()), box.height()),
            theme().accentGround);
    }
    painter.setPen(selected ? theme().accent : theme().border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    const QFont font = wordFont(11);
    write(painter, box.adjusted(7, 0, -2, 0),
          QFontMetrics(font).elidedText(prefillText(), Qt::ElideRight, box.width() - 9), font,
          theme().text, Qt::AlignLeft | Qt::AlignVCenter);
}

void StepLane::paintCandidates(QPainter& painter) const {
    int end = prefillRect().right() + 10;
    const QFont words = wordFont(11);
    // A note says why no step is possible: then there is nothing to choose from.
    const int count = shownCandidates();
    for (int i = 0; i < count; ++i) {
        const QRect box = candidateRect(i);
        const engine::Candidate& candidate = m_candidates[static_cast<std::size_t>(i)];
        TokenBox token;
        token.text = visibleToken(candidate.bytes);
        token.noRow = i > 0;
        token.hovered = m_choice == Choice{0, i};
        paintTokenBox(painter, box, token);
        if (m_chosen == Choice{0, i}) chosenFrame(painter, box);
        probability(painter, box, candidate.probability, i == 0 ? theme().bar : theme().mlpBar);
        end = box.right() + 10;
    }
    QString hint = !m_note.isEmpty()      ? m_note
                   : m_candidates.empty() ? QString()
                   : m_sampler == QStringLiteral("greedy")
                       ? QStringLiteral("Step takes the first")
                       : QStringLiteral("Step samples one of them");
    if (m_note.isEmpty() && m_forkable && !m_candidates.empty())
        hint += QStringLiteral(",\nclick one to go on with it");
    const QRect room(end, candidateTop, viewport()->width() - end - margin, 40);
    write(painter, room, hint, words, theme().text2,
          m_note.isEmpty() ? Qt::AlignRight | Qt::AlignTop : Qt::AlignLeft | Qt::AlignTop,
          Qt::TextWordWrap);
}

void StepLane::paintSteps(QPainter& painter) const {
    const int wide = viewport()->width();
    painter.fillRect(QRect(0, 0, wide, headerHeight), theme().alternate);
    painter.setPen(theme().softBorder);
    painter.drawLine(0, headerHeight, wide, headerHeight);
    write(painter, QRect(margin, 0, 60, headerHeight), QStringLiteral("step"), wordFont(10),
          theme().text2, Qt::AlignLeft | Qt::AlignVCenter);
    QString plan = m_sampler;
    if (m_planned > 0) plan += QStringLiteral(", %1 of %2").arg(m_steps.size()).arg(m_planned);
    if (!m_others.empty()) plan = m_runName + QStringLiteral(" · ") + plan;
    if (!m_others.empty() && !m_runOrigin.isEmpty()) plan += u'\n' + m_runOrigin;
    write(painter, QRect(margin, stepTop + boxHeight + 4, leftColumn - margin - 6, 40), plan,
          wordFont(10), theme().text2, Qt::AlignLeft | Qt::AlignTop, Qt::TextWordWrap);
    painter.save();
    painter.setClipRect(QRect(leftColumn - 2, 0, wide - leftColumn + 2, viewport()->height()));
    const int first = std::max(0, (horizontalScrollBar()->value() - 8) / pitch);
    const int count = static_cast<int>(m_steps.size());
    for (int i = first; i < count && stepRect(i).left() < wide; ++i) paintStep(painter, i);
    const QRect next = stepRect(count);
    if (m_planned > count && next.left() < wide) {
        TokenBox box;
        box.text = QStringLiteral("…");
        box.noRow = true;
        paintTokenBox(painter, next, box);
        if (const QRect number = headerRect(count); !number.isNull())
            write(painter, number, QString::number(count), monoFont(10), theme().text2,
                  Qt::AlignHCenter | Qt::AlignVCenter);
        write(painter, QRect(next.left(), next.bottom() + 6, next.width(), 14),
              m_note.isEmpty() ? QStringLiteral("next") : m_note, wordFont(10), theme().text2,
              Qt::AlignLeft | Qt::AlignVCenter);
    }
    painter.restore();
    paintOtherRuns(painter);
}

void StepLane::paintStep(QPainter& painter, int index) const {
    const engine::Step& step = m_steps[static_cast<std::size_t>(index)];
    const QRect box = stepRect(index);
    const bool selected = m_selected && *m_selected == engine::to_int(step.position);
    const QRect number = headerRect(index);
    if (!number.isNull())
        write(painter, number, QString::number(index), monoFont(10, selected),
              selected ? theme().dest : theme().text2, Qt::AlignHCenter | Qt::AlignVCenter);
    TokenBox token;
    token.text = visibleToken(step.token.bytes);
    token.control = step.token.control;
    token.generated = true;
    token.isDest = selected;
    token.hovered = index == m_hovered;
    paintTokenBox(painter, box, token);
    if (box.left() >= leftColumn) {  // the cut column's numbers would read as others
        probability(painter, box, step.probability, theme().bar);
        paintAlternatives(painter, index);
    }
}

void StepLane::paintAlternatives(QPainter& painter, int step) const {
    const QFont font = monoFont(10);
    int row = 0;
    for (const engine::Candidate* other : alternativesOf(step)) {
        const QRect line = alternativeRect(step, row);
        const QString share = shareNumber(other->probability);
        const int number = QFontMetrics(font).horizontalAdvance(share) + 3;
        const bool chosen = m_chosen == Choice{step, row};
        const bool hovered = chosen || m_choice == Choice{step, row};
        if (hovered) painter.fillRect(line, theme().accentGround);
        painter.setFont(font);
        painter.setPen(hovered ? theme().text : theme().text2);
        paintTokenText(painter, line.adjusted(0, 0, -number, 0), visibleToken(other->bytes),
                       Qt::AlignLeft);
        write(painter, line, share, font, hovered ? theme().text : theme().text2,
              Qt::AlignRight | Qt::AlignVCenter);
        if (chosen) chosenFrame(painter, line.adjusted(-3, 0, 3, 0));
        ++row;
    }
}

// A lane each: its name, and its own steps under those of the run shown.
void StepLane::paintOtherRuns(QPainter& painter) const {
    const int wide = viewport()->width();
    painter.save();
    painter.setClipRect(QRect(0, othersTop, wide, viewport()->height() - othersTop));
    for (int i = 0; i < static_cast<int>(m_others.size()); ++i) {
        const OtherRun& run = m_others[static_cast<std::size_t>(i)];
        const QRect lane = otherRunRect(i);
        painter.setPen(theme().softBorder);
        painter.drawLine(lane.left(), lane.top(), lane.right(), lane.top());
        write(painter, QRect(margin, lane.top() + 4, leftColumn - margin - 6, 14), run.name,
              wordFont(11, true), theme().text, Qt::AlignLeft | Qt::AlignVCenter);
        write(painter, QRect(margin, lane.top() + 18, leftColumn - margin - 6, 14), run.origin,
              wordFont(10), theme().text2, Qt::AlignLeft | Qt::AlignVCenter);
        painter.save();
        painter.setClipRect(
            QRect(leftColumn - 2, lane.top(), wide - leftColumn + 2, lane.height()) &
            QRect(0, othersTop, wide, viewport()->height()));
        for (std::size_t step = static_cast<std::size_t>(run.sharedSteps); step < run.steps.size();
             ++step) {
            QRect box = stepRect(static_cast<int>(step));
            box.moveTop(lane.top() + 7);
            if (box.left() > wide) break;
            if (box.right() < leftColumn) continue;
            TokenBox token;
            token.text = visibleToken(run.steps[step].token.bytes);
            token.control = run.steps[step].token.control;
            token.generated = true;
            paintTokenBox(painter, box, token);
        }
        painter.restore();
    }
    painter.restore();
}

}  // namespace ui
