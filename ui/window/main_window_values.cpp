// SPDX-License-Identifier: GPL-3.0-or-later
// What the app tells the window.
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <utility>

#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/plain_text.h"
#include "ui/widgets/small_widgets.h"
#include "ui/window/checks_badge.h"
#include "ui/window/dock_title.h"
#include "ui/window/empty_page.h"
#include "ui/window/main_window.h"
#include "ui/window/page_bar.h"
#include "ui/window/remembered_menus.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_parts.h"

namespace ui {

PromptPanel& MainWindow::promptPanel() const {
    return *m->prompt;
}
TokenStrip& MainWindow::tokenStrip() const {
    return *m->strip;
}
StepBar& MainWindow::stepBar() const {
    return *m->steps;
}
LogitsPanel& MainWindow::logitsPanel() const {
    return *m->logits;
}
ContributionBars& MainWindow::contributionBars() const {
    return *m->bars;
}
ProgressPanel& MainWindow::progressPanel() const {
    return *m->progress;
}
EmptyPage& MainWindow::emptyPage() const {
    return *m->empty;
}
ChecksBadge& MainWindow::checksBadge() const {
    return *m->checks;
}
MessageBar& MainWindow::messageBar() const {
    return *m->message;
}

void MainWindow::setHeadsWidget(QWidget* widget) {
    QWidget* old = m->headsDock->widget();
    m->headsDock->setWidget(widget);
    if (old && old != widget) old->deleteLater();
    orderFocus();
}

void MainWindow::setHeadPage(QWidget* widget) {
    if (m->headPage) {
        m->runLayout->removeWidget(m->headPage);
        m->headPage->deleteLater();
    }
    m->headPage = widget;
    m->runLayout->addWidget(widget, 1);
    orderFocus();
}

namespace {

// A page of tables and splitters needs more than a small window has: there it scrolls.
QScrollArea* scrollingPage(QWidget* content) {
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidgetResizable(true);
    area->setMinimumSize(200, 120);
    area->setWidget(content);
    return area;
}

}  // namespace

void MainWindow::setFinderPage(QWidget* widget) {
    m->finder = scrollingPage(widget);
    m->stack->addWidget(m->finder);
    if (m->tabs->count() == 1) m->tabs->addTab(QStringLiteral("Finder"));
    orderFocus();
}

void MainWindow::setComparePage(QWidget* widget) {
    m->compare = scrollingPage(widget);
    m->stack->addWidget(m->compare);
    if (m->tabs->count() == 2) m->tabs->addTab(QStringLiteral("Compare"));
    orderFocus();
}

void MainWindow::setEditsBar(QWidget* widget) {
    m->edits = widget;
    static_cast<QVBoxLayout*>(m->page->layout())->insertWidget(1, widget);
    orderFocus();
}

QAction* MainWindow::addViewAction(Menu menu, const QString& text, const QKeySequence& key,
                                   const QString& statusTip) {
    // An empty key in the list would count as one.
    QAction* action =
        m->actions->add(menu, text, key.isEmpty() ? QList<QKeySequence>() : QList{key}, {});
    action->setToolTip(statusTip);
    return action;
}

void MainWindow::setModels(const std::vector<engine::ModelInfo>& models) {
    m->models = models;
    m->prompt->setModels(models);
    m->empty->setModels(models);
    m->actions->setModels(models, m->model ? QString::fromStdString(m->model->path) : QString());
}

void MainWindow::setModel(const std::optional<engine::ModelInfo>& model) {
    m->model = model;
    const QString path = model ? QString::fromStdString(model->path) : QString();
    // What the open model says of itself is newer than what the list said.
    bool listed = false;
    for (engine::ModelInfo& info : m->models) {
        if (!model || info.path != model->path) continue;
        info = *model;
        listed = true;
    }
    if (model && !listed) m->models.push_back(*model);
    m->prompt->setModels(m->models);
    m->prompt->setCurrentModel(path);
    m->actions->setModels(m->models, path);
    if (model && !listed) m->empty->setModels(m->models);
    m->empty->setOpenModel(model);
    if (m->shown) shareWidth();  // another number of heads
    m->actions->setHasModel(model.has_value());
    setWindowTitle(model ? onOneLine(QString::fromStdString(model->name)) +
                               QStringLiteral(" – Headscope")
                         : QStringLiteral("Headscope"));
}

void MainWindow::setRunState(RunState state, const QString& cannotRun, const QString& cannotStep) {
    m->runState = state;
    m->prompt->setRunState(state, cannotRun, cannotStep);
    m->empty->setBusy(isBusy(state));
    m->steps->setNote(hasModel(state) && !isBusy(state) ? cannotStep : QString());
    switch (state) {
        case RunState::NoModel: setStateText(QStringLiteral("Ready, no model open")); break;
        case RunState::Loading: setStateText(QStringLiteral("Opening the model")); break;
        case RunState::Idle: setStateText(QStringLiteral("Ready")); break;
        case RunState::Prefilling: setStateText(QStringLiteral("Reading the prompt")); break;
        case RunState::Decoding: setStateText(QStringLiteral("Generating")); break;
        case RunState::Paused: setStateText(QStringLiteral("Paused")); break;
        case RunState::Cancelling: setStateText(QStringLiteral("Stopping")); break;
        case RunState::Failed: setStateText(QStringLiteral("The last run failed")); break;
    }
    if (!isBusy(state)) endProgress();
    refreshActions();
}

RunState MainWindow::runState() const {
    return m->runState;
}

void MainWindow::refreshActions() {
    m->actions->setCan(m->prompt->canRun(), m->prompt->canStep(), m->prompt->canPause(),
                       m->prompt->canStop() || m->progress->isRunning());
    m->actions->setHasRun(!m->strip->tokens().empty());
}

void MainWindow::setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens) {
    m->strip->setTokens(std::move(tokens), promptTokens);
    clearSelection();
    showPage();
    refreshActions();
}

void MainWindow::appendToken(const engine::Token& token) {
    m->strip->appendToken(token);
}

void MainWindow::setRows(std::int64_t published) {
    m->strip->setRows(published);
}

void MainWindow::setSelection(const Selection& selection) {
    m->selection = selection;
    m->strip->setSelection(selection.dest, selection.src, selection.srcByHand);
    m->steps->setSelected(selection.dest);
    m->bars->setFocusedHead(selection.at);
    refreshTitles();
}

void MainWindow::clearSelection() {
    m->selection.reset();
    m->strip->setSelection({}, {});
    m->steps->setSelected({});
    refreshTitles();
}

void MainWindow::refreshTitles() {
    if (!m->selection) {
        m->tabs->setTabText(0, QStringLiteral("Head"));
        m->nextTitle->setText(QStringLiteral("Next token"));
        m->barsTitle->setText(QStringLiteral("Contributions"));
        return;
    }
    const Selection& s = *m->selection;
    m->tabs->setTabText(0, QStringLiteral("Head  L%1.H%2")
                               .arg(engine::to_int(s.at.layer))
                               .arg(engine::to_int(s.at.head)));
    // What the panels show follows the selection by an answer: their titles name its own row.
    const engine::Position next = m->logits->position().value_or(s.dest);
    const std::int64_t step = engine::to_int(next) - m->strip->promptTokens();
    m->nextTitle->setText(QStringLiteral("Next token after"), m->strip->label(next),
                          step >= 0 ? QStringLiteral("(step %1)").arg(step) : QString());
    m->barsTitle->setText(
        QStringLiteral("Contributions at"),
        m->strip->label(m->bars->hasTable() ? m->bars->table().position : s.dest));
}

void MainWindow::setRecentFiles(const QStringList& paths) {
    m->actions->remembered().setFiles(paths);
}

void MainWindow::setEarlierPrompts(const QStringList& prompts) {
    m->actions->remembered().setPrompts(prompts);
}

void MainWindow::setKeptRuns(const QStringList& runs) {
    m->actions->setKeptRuns(runs);
}

void MainWindow::setHasLastSession(bool has) {
    m->actions->setHasLast(has);
}

void MainWindow::setTransposed(bool transposed) {
    m->actions->setTransposed(transposed);
}

void MainWindow::setGranularity(Granularity granularity) {
    m->pageBar->setGranularity(granularity);
    m->actions->setGranularity(granularity);
}

void MainWindow::setTurnsOffered(bool offered) {
    m->pageBar->setTurnsOffered(offered);
    m->actions->setTurnsOffered(offered);
}

void MainWindow::setHeadsNote(const QString& note) {
    m->headsTitle->setNote(note);
}

void MainWindow::setStateText(const QString& text) {
    m->state->setText(text);
}

void MainWindow::setHoverText(const QString& text) {
    m->hover->setText(text);
}

void MainWindow::setRateText(const QString& text) {
    m->rate->setText(text);
}

void MainWindow::setPages(std::int64_t used, std::int64_t total, bool exact) {
    const QString most = exact ? thousands(used) : QStringLiteral("≤ ") + thousands(used);
    m->pages->setText(total > 0 ? QStringLiteral("pages %1 of %2").arg(most, thousands(total))
                                : QStringLiteral("pages –"));
}

void MainWindow::beginProgress(const QString& title, ProgressPanel::Unit unit,
                               const QString& note) {
    m->progress->begin(title, unit, note);
    refreshActions();
}

void MainWindow::setProgress(std::int64_t done, std::int64_t total, const QString& detail,
                             double inWork) {
    m->progress->setProgress(done, total, detail, inWork);
    setBusyFraction(m->progress->fraction());
    placeProgress();
}

void MainWindow::setProgressArea(const QRect& area) {
    if (area == m->progressArea) return;
    m->progressArea = area;
    placeProgress();
}

void MainWindow::endProgress() {
    m->progress->end();
    refreshActions();
    setBusyFraction({});
}

void MainWindow::setBusyFraction(std::optional<double> fraction) {
    m->busy->setVisible(fraction.has_value());
    if (fraction) m->busy->setFraction(*fraction);
}

void MainWindow::showMessage(const Message& message) {
    m->messages << message;
    m->message->setMessage(message);
}

const QList<Message>& MainWindow::messages() const {
    return m->messages;
}

}  // namespace ui
