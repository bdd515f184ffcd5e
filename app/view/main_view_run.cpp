// SPDX-License-Identifier: GPL-3.0-or-later
// The run bar's buttons, and what a run reports.
#include <algorithm>

#include "app/session/edit_texts.h"
#include "app/view/main_view.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/steps/step_lane.h"
#include "ui/strip/text_view.h"
#include "ui/strip/token_strip.h"
#include "ui/window/checks_badge.h"
#include "ui/window/progress_panel.h"

namespace app {

using ui::RunState;

namespace {

QString samplerText(const engine::Sampling& sampling) {
    if (sampling.temperature <= 0) return QStringLiteral("greedy");
    QString text = QStringLiteral("T %1").arg(sampling.temperature);
    if (sampling.top_k > 0) text += QStringLiteral(", top-k %1").arg(sampling.top_k);
    if (sampling.top_p < 1) text += QStringLiteral(", top-p %1").arg(sampling.top_p);
    return text;
}

// What holds for every prompt. Its warnings had a message of their own, which may be closed by now.
QString notesOf(const engine::ModelInfo& model) {
    QString text;
    if (model.has_unknown_template)
        text += QStringLiteral(
            " · The model's chat template is not understood: the prompt is read as it is");
    for (const std::string& warning : model.warnings)
        text += QStringLiteral(" · ") + QString::fromStdString(warning);
    return text;
}

}  // namespace

void MainView::wireRun() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::runRequested, this, [this] {
        m_window->messageBar().dismiss();
        m_session.run(settingsFromBar());
    });
    connect(window, &ui::MainWindow::stepRequested, this, [this] {
        m_window->messageBar().dismiss();
        m_session.step(settingsFromBar());
    });
    connect(window, &ui::MainWindow::pauseRequested, &m_session, &Session::pause);
    connect(window, &ui::MainWindow::promptChosen, this, [this] {
        m_readWhenOpen = true;
        m_session.read(settingsFromBar());
    });
    connect(window, &ui::MainWindow::quitRequested, window, &QWidget::close);
    connect(&window->stepBar(), &ui::StepBar::forkRequested, this,
            [this](engine::Position at, const engine::Candidate& candidate) {
                m_window->messageBar().dismiss();
                m_session.fork(at, candidate, m_window->promptPanel().sampling(), m_candidates);
            });
    connect(&window->stepBar(), &ui::StepBar::runRequested, this, [this](int other) {
        const auto at = static_cast<std::size_t>(other);
        if (at < m_session.otherRuns().size()) m_session.showRun(m_session.otherRuns()[at].id);
    });

    connect(&m_session, &Session::stateChanged, this, &MainView::showState);
    connect(&m_session, &Session::runOpened, this, &MainView::showRun);
    connect(&m_session, &Session::planChanged, this, &MainView::showPlan);
    connect(&m_session, &Session::rowsChanged, this, &MainView::showRows);
    connect(&m_session, &Session::stepped, this, &MainView::showStep);
    connect(&m_session, &Session::progressed, this, &MainView::showProgress);
    connect(&m_session, &Session::promptRead, this, [this] {
        const RunView& run = m_session.run();
        log("prompt read: " + std::to_string(run.rows) + " tokens");
        m_window->endProgress();
        m_window->setRateText(QStringLiteral("prefill %1 in %2 ms")
                                  .arg(ui::thousands(run.promptTokens))
                                  .arg(run.readSeconds * 1000, 0, 'f', 0));
    });
    connect(&m_session, &Session::ended, this, [this](JobEnded::How how) {
        m_endNote = how == JobEnded::How::EndOfText ? "the model ended its text" : "";
        showStateText();
        if (const RunView& run = m_session.run();
            m_session.hasRun() && !run.promptRead && !ui::isBusy(m_session.state())) {
            const QString note =
                QStringLiteral("The prompt is read up to %1 of %2 tokens. Run goes on.")
                    .arg(run.rows)
                    .arg(run.promptTokens);
            m_window->logitsPanel().clear(note);
            m_window->contributionBars().clear(note);
        }
        const bool opened =
            m_session.model() && !m_session.hasRun() && !ui::isBusy(m_session.state());
        if (opened && std::exchange(m_readWhenOpen, false) &&
            !m_window->promptPanel().prompt().isEmpty())
            m_session.read(settingsFromBar());
    });
}

RunSettings MainView::settingsFromBar() const {
    const ui::PromptPanel& bar = m_window->promptPanel();
    return {bar.prompt().toStdString(), bar.tokenOptions(), bar.sampling(), bar.tokensToGenerate()};
}

void MainView::showState(RunState state) {
    if (state == RunState::Loading || state == RunState::Prefilling) m_endNote.clear();
    m_window->setRunState(state);
    m_window->stepBar().setRunning(ui::isBusy(state));
    m_window->stepBar().setForkable(!ui::isBusy(state) && m_session.run().promptRead);
    if (state == RunState::Loading) {
        const std::string& path = m_session.loadingPath();
        m_readWhenOpen = true;
        m_progressIsExport = false;
        m_window->beginProgress(QStringLiteral("Opening %1")
                                    .arg(QString::fromStdString(path.substr(path.rfind('/') + 1))),
                                ui::ProgressPanel::Unit::Bytes);
    } else if (state == RunState::Prefilling) {
        showReading();
    } else if (!m_progressIsExport) {
        m_window->endProgress();
    }
    showStateText();
    if (m_window->checksBadge().reports().empty()) showChecksPending();
}

// The invariants are computed between runs: when, depends on what is going on.
void MainView::showChecksPending() {
    const RunView& run = m_session.run();
    const bool reads = !run.promptRead && run.steps.empty();
    m_window->checksBadge().setPending(!m_session.hasRun() ? QStringLiteral("checks: none yet")
                                       : !ui::isBusy(m_session.state())
                                           ? run.rows > 0
                                                 ? QStringLiteral("checks: being computed")
                                                 : QStringLiteral("checks: once rows are read")
                                       : reads && run.planned <= run.promptTokens
                                           ? QStringLiteral("checks: once the prompt is read")
                                           : QStringLiteral("checks: once the run pauses or ends"));
}

void MainView::showReading() {
    const std::int64_t characters = m_session.tokenizing();
    m_progressIsExport = false;
    m_window->beginProgress(
        characters > 0 ? QStringLiteral("Tokenizing the prompt")
                       : QStringLiteral("Reading the prompt"),
        ui::ProgressPanel::Unit::Tokens,
        characters > 0 ? QString() : QStringLiteral("Finished rows can be browsed meanwhile."));
    if (characters > 0)
        m_window->setProgress(0, 0, QStringLiteral("%1 bytes").arg(ui::thousands(characters)));
}

void MainView::showStateText() {
    const RunView& run = m_session.run();
    const std::int64_t planned = run.planned - run.promptTokens;
    const QString token =
        QStringLiteral("token %1 of %2")
            .arg(ui::thousands(static_cast<qint64>(run.steps.size())), ui::thousands(planned));
    switch (m_session.state()) {
        case RunState::Decoding:
            m_window->setStateText(QStringLiteral("Generating, ") + token);
            if (planned > 0)
                m_window->setBusyFraction(static_cast<double>(run.steps.size()) /
                                          static_cast<double>(planned));
            break;
        case RunState::Paused:
            m_window->setStateText(run.promptRead
                                       ? QStringLiteral("Paused, ") + token
                                       : QStringLiteral("Paused while reading the prompt"));
            break;
        case RunState::Idle: {
            QString text = QStringLiteral("Ready");
            if (!m_endNote.empty())
                text += QStringLiteral(" · ") + QString::fromStdString(m_endNote);
            if (m_session.hasRun() && !run.promptRead)
                text += QStringLiteral(" · %1 of %2 prompt tokens read")
                            .arg(ui::thousands(run.rows), ui::thousands(run.promptTokens));
            for (const std::string& note : run.notes)
                text += QStringLiteral(" · ") + QString::fromStdString(note);
            if (m_session.hasRun()) text += notesOf(*m_session.model());
            m_window->setStateText(text);
            break;
        }
        default: break;  // the window's own words
    }
}

void MainView::showRun() {
    const RunView& run = m_session.run();
    m_window->promptPanel().setRunPrompt(run.prompt, run.options);
    if (m_session.state() == RunState::Prefilling) showReading();
    m_window->setTokens(run.tokens, run.promptTokens);
    m_page->textView().setTokens(run.tokens, run.promptTokens);
    m_page->textView().setSpan(m_window->tokenStrip().span());
    m_page->pinnedHeads().setRun(run.id);
    m_window->stepBar().startRun(run.promptTokens);
    if (run.parent.empty() && run.rows == 0) m_candidatesOf.clear();  // another prompt's
    m_candidates = run.candidates.empty() ? keptCandidates() : run.candidates;
    know(m_candidates);
    for (const engine::Step& step : run.steps) know(step.alternatives);
    if (!run.steps.empty() || run.promptRead) {  // a fork, or a run that is shown again
        m_window->stepBar().setPrefill(run.promptTokens);
        m_window->stepBar().setCandidates(m_candidates);
        m_window->stepBar().setSteps(run.steps);
        m_window->stepBar().appendText(run.text, {});
    }
    showOtherRuns();
    const QString soon = run.promptRead || !run.steps.empty()
                             ? QStringLiteral("Being computed.")
                             : QStringLiteral("The prompt is being read.");
    m_window->logitsPanel().clear(soon);
    m_window->contributionBars().clear(soon);
    showChecksPending();
    m_grid->clearThumbnails();
    m_page->headBar().clearMetrics();
    m_page->headBar().setRows(run.promptRead || !run.steps.empty() ? run.promptTokens : 0,
                              run.promptTokens);
    m_metrics.reset();
    m_locked.reset();
    m_finder->setMetrics({});
    m_finder->setContributions({}, {}, {});
    m_stepSeconds = 0;
    m_window->setRateText({});
    for (const engine::Token& token : run.tokens) m_bytes[token.id] = token.bytes;
    showPlan();
}

void MainView::showOtherRuns() {
    const auto nameOf = [](const RunView& run) {
        return QStringLiteral("Run ") + QString::fromStdString(run.name);
    };
    const RunView& shown = m_session.run();
    std::vector<ui::OtherRun> others;
    for (const RunView& run : m_session.otherRuns()) {
        ui::OtherRun other{nameOf(run), originOf(run, {}), 0, run.steps};
        const std::size_t both = std::min(run.steps.size(), shown.steps.size());
        while (static_cast<std::size_t>(other.sharedSteps) < both) {
            const auto at = static_cast<std::size_t>(other.sharedSteps);
            if (run.steps[at].token.id != shown.steps[at].token.id) break;
            ++other.sharedSteps;
        }
        others.push_back(std::move(other));
    }
    m_window->stepBar().setRuns(nameOf(shown), originOf(shown, {}), std::move(others));
}

void MainView::showPlan() {
    const RunView& run = m_session.run();
    m_page->heatmap().setTokens(run.tokens, run.promptTokens, run.planned);
    showTurns();
    m_page->heatmap().setRowsReady(run.rows);
    showSelection(m_session.selection());
    m_window->stepBar().setPlan(samplerText(m_window->promptPanel().sampling()),
                                static_cast<int>(run.planned - run.promptTokens));
}

void MainView::showRows(std::int64_t published) {
    const RunView& run = m_session.run();
    m_window->setRows(published);
    m_page->textView().setRows(published);
    m_page->heatmap().setRowsReady(published);
    showSelection(m_session.selection());
    if (run.steps.empty()) {
        m_window->stepBar().setPrefill(std::min(published, run.promptTokens));
        m_page->headBar().setRows(std::min(published, run.promptTokens), run.promptTokens);
    }
    const engine::ModelInfo& info = *m_session.model();
    if (info.page_tokens > 0)
        m_window->setPages(m_session.pagesUsed(), info.pages, m_session.pagesAreExact());
    showMemory();
}

void MainView::showStep(const engine::Step& step) {
    know(step.alternatives);
    m_bytes[step.token.id] = step.token.bytes;
    m_window->appendToken(step.token);
    m_page->textView().appendToken(step.token);
    m_page->heatmap().appendToken(step.token);
    showTurns();
    m_window->stepBar().appendStep(step);
    m_window->stepBar().appendText(step.text, step.unfinished);
    m_stepSeconds = m_stepSeconds == 0 ? step.seconds : 0.7 * m_stepSeconds + 0.3 * step.seconds;
    if (m_stepSeconds > 0)
        m_window->setRateText(QStringLiteral("%1 tok/s").arg(1 / m_stepSeconds, 0, 'f', 1));
    showStateText();
}

void MainView::showProgress(const engine::Progress& progress) {
    QString detail;
    double inWork = 0;  // a chunk's tokens are done all at once, its layers one by one
    if (progress.layers > 0) {
        detail = QStringLiteral("layer %1 of %2").arg(progress.layer).arg(progress.layers);
        inWork = static_cast<double>(progress.chunk) * progress.layer / progress.layers;
    }
    m_window->setProgress(progress.done, progress.total, detail, inWork);
}

}  // namespace app
