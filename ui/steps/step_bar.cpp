// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/step_bar.h"

#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "ui/steps/step_lane.h"
#include "ui/strip/generated_text.h"
#include "ui/widgets/plain_text.h"

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
    m_text = new GeneratedText;
    m_run = new QWidget;
    auto* column = new QVBoxLayout(m_run);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_lane, 1);
    column->addWidget(m_text);
    m_pages->addWidget(m_run);
    connect(m_lane, &StepLane::prefillClicked, this, [this] {
        setFollowNewest(false);
        Q_EMIT stepSelected(engine::Position{m_prompt - 1});
    });
    connect(m_lane, &StepLane::stepClicked, this, [this](int index) {
        const auto at = static_cast<std::size_t>(index);
        setFollowNewest(at + 1 == steps().size());
        Q_EMIT stepSelected(steps()[at].position);
    });
    connect(m_lane, &StepLane::alternativeClicked, this,
            [this](int step, const engine::Candidate& candidate) {
                Q_EMIT forkRequested(engine::Position{m_prompt + step}, candidate);
            });
    connect(m_lane, &StepLane::runClicked, this, &StepBar::runRequested);
    clear(
        QStringLiteral("The prompt's rows, then one column a generated token with what else it "
                       "could have been. Earlier steps are a click away."));
}

void StepBar::clear(const QString& sentence) {
    m_sentence->setText(sentence);
    m_prompt = 0;
    m_lane->startRun(0);
    m_text->clearText();
    m_pages->setCurrentWidget(m_sentence);
}

void StepBar::startRun(std::int64_t promptTokens) {
    m_prompt = promptTokens;
    m_lane->startRun(promptTokens);
    m_text->clearText();
    showText();
    m_pages->setCurrentWidget(m_run);
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
    showText();
    if (wasGenerating != !all.empty()) Q_EMIT heightWanted(sizeHint().height());
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::appendStep(const engine::Step& step) {
    const bool first = steps().empty();
    m_lane->appendStep(step);
    if (first) showText();
    if (first) Q_EMIT heightWanted(sizeHint().height());
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::setPlan(const QString& sampler, int planned) {
    m_lane->setPlan(sampler, planned);
    if (m_follow) m_lane->scrollToEnd();
}

void StepBar::appendText(const std::string& added, const std::string& unfinished) {
    m_text->append(added);
    m_text->setUnfinished(unfinished);
}

void StepBar::setRunning(bool running) {
    m_text->setRunning(running);
}

// The lane keeps its height, what the dock has more is the text's.
void StepBar::showText() {
    const bool generating = !steps().empty();
    m_text->setVisible(generating);
    m_lane->setMaximumHeight(generating ? m_lane->sizeHint().height() : QWIDGETSIZE_MAX);
}

void StepBar::setRuns(const QString& shown, const QString& origin, std::vector<OtherRun> others) {
    m_lane->setRuns(shown, origin, std::move(others));
    showText();
    if (!steps().empty()) Q_EMIT heightWanted(sizeHint().height());
}

void StepBar::setForkable(bool forkable) {
    m_lane->setForkable(forkable);
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
    return m_lane->stepRect(index).translated(m_lane->mapTo(this, m_lane->viewport()->pos()));
}

QRect StepBar::alternativeRect(int step, int row) const {
    return m_lane->alternativeRect(step, row).translated(
        m_lane->mapTo(this, m_lane->viewport()->pos()));
}

QRect StepBar::otherRunRect(int index) const {
    return m_lane->otherRunRect(index).translated(m_lane->mapTo(this, m_lane->viewport()->pos()));
}

QRect StepBar::prefillRect() const {
    return m_lane->prefillRect().translated(m_lane->mapTo(this, m_lane->viewport()->pos()));
}

QWidget* StepBar::canvas() const {
    return m_lane->viewport();
}

QSize StepBar::sizeHint() const {
    const QSize text = steps().empty() ? QSize() : m_text->sizeHint();
    return m_lane->sizeHint() + QSize(0, std::max(0, text.height()));
}

QSize StepBar::minimumSizeHint() const {
    return m_lane->minimumSizeHint();
}

}  // namespace ui
