// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/step_bar.h"

#include <QLabel>
#include <QStackedLayout>

#include "ui/plain_text.h"
#include "ui/step_lane.h"

namespace ui {

StepBar::StepBar(QWidget* parent) : QWidget(parent) {
    m_sentence = plainLabel({});
    m_sentence->setWordWrap(true);
    m_sentence->setMargin(8);
    m_sentence->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_sentence->setForegroundRole(QPalette::PlaceholderText);
    m_sentence->setBackgroundRole(QPalette::Base);
    m_sentence->setAutoFillBackground(true);
    m_lane = new StepLane;
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(m_sentence);
    m_pages->addWidget(m_lane);
    setFocusProxy(m_lane);
    connect(m_lane, &StepLane::prefillClicked, this, [this] {
        setFollowNewest(false);
        Q_EMIT stepSelected(engine::Position{m_prompt - 1});
    });
    connect(m_lane, &StepLane::stepClicked, this, [this](int index) {
        const auto at = static_cast<std::size_t>(index);
        setFollowNewest(at + 1 == steps().size());
        Q_EMIT stepSelected(steps()[at].position);
    });
    clear(
        QStringLiteral("The prompt's rows, then one column a generated token with what else it "
                       "could have been. Earlier steps are a click away."));
}

void StepBar::clear(const QString& sentence) {
    m_sentence->setText(sentence);
    m_prompt = 0;
    m_lane->startRun(0);
    m_pages->setCurrentWidget(m_sentence);
}

void StepBar::startRun(std::int64_t promptTokens) {
    m_prompt = promptTokens;
    m_lane->startRun(promptTokens);
    m_pages->setCurrentWidget(m_lane);
    setFollowNewest(true);
}

void StepBar::setPrefill(std::int64_t done) {
    m_lane->setPrefill(done);
}

void StepBar::setCandidates(const std::vector<engine::Candidate>& candidates) {
    m_lane->setCandidates(candidates);
}

void StepBar::setSteps(const std::vector<engine::Step>& all) {
    const bool wasGenerating = !steps().empty();
    m_lane->setSteps(all);
    if (wasGenerating != !all.empty()) Q_EMIT heightWanted(sizeHint().height());
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::appendStep(const engine::Step& step) {
    const bool first = steps().empty();
    m_lane->appendStep(step);
    if (first) Q_EMIT heightWanted(sizeHint().height());
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::setPlan(const QString& sampler, int planned) {
    m_lane->setPlan(sampler, planned);
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::setNote(const QString& note) {
    m_lane->setNote(note);
}

void StepBar::setSelected(std::optional<engine::Position> dest) {
    m_lane->setSelected(dest ? std::optional<std::int64_t>(engine::to_int(*dest)) : std::nullopt);
}

void StepBar::setFollowNewest(bool follow) {
    if (follow == m_follow) return;
    m_follow = follow;
    if (follow) m_lane->scrollToEnd();
    Q_EMIT followNewestChanged(follow);
}

const std::vector<engine::Step>& StepBar::steps() const {
    return m_lane->steps();
}

QRect StepBar::stepRect(int index) const {
    return m_lane->stepRect(index).translated(m_lane->pos() + m_lane->viewport()->pos());
}

QRect StepBar::prefillRect() const {
    return m_lane->prefillRect().translated(m_lane->pos() + m_lane->viewport()->pos());
}

QWidget* StepBar::canvas() const {
    return m_lane->viewport();
}

QSize StepBar::sizeHint() const {
    return m_lane->sizeHint();
}

QSize StepBar::minimumSizeHint() const {
    return m_lane->minimumSizeHint();
}

}  // namespace ui
