// SPDX-License-Identifier: GPL-3.0-or-later
// Heads that are switched off and cells that are forbidden: by key and menu, a run beside the one
// they are taken from, and chips that say what the run on screen changes.
#include <QMenu>
#include <utility>

#include "app/session/edit_texts.h"
#include "app/view/main_view.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/names.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/plain_text.h"
#include "ui/window/edit_chips.h"

namespace app {

using engine::LayerHead;
using engine::to_int;

namespace {

engine::EdgeEdit lockedEdge(const ui::Selection& selection) {
    const std::int64_t dest = to_int(selection.dest), src = to_int(selection.src);
    return {selection.at, {dest, dest + 1}, {src, src + 1}};
}

}  // namespace

void MainView::wireEdits() {
    ui::MainWindow* window = m_window.get();
    m_editChips = new ui::EditChips;
    window->setEditsBar(m_editChips);
    connect(m_editChips, &ui::EditChips::removeRequested, this, [this](int index) {
        engine::Edits edits = m_session.run().edits;
        removeEdit(edits, index);
        applyEdits(std::move(edits));
    });
    connect(m_editChips, &ui::EditChips::baseRequested, this, [this] { applyEdits({}); });
    const auto action = [&](const QString& text, const QKeySequence& key, const QString& tip,
                            auto does) {
        connect(window->addViewAction(ui::Menu::Heads, text, key, tip), &QAction::triggered, this,
                [this, does] {
                    if (m_session.hasRun() && m_session.run().rows > 0) does();
                });
    };
    action(QStringLiteral("A&blate the head (switch it off), or give it back"),
           QKeySequence(Qt::Key_A),
           QStringLiteral("The prompt once more without what this head writes, as a run beside it"),
           [this] { ablate(m_session.selection().at); });
    action(QStringLiteral("&Forbid the locked cell, or allow it"),
           QKeySequence(Qt::SHIFT | Qt::Key_A),
           QStringLiteral("The prompt once more, where this row may not see this source"),
           [this] { forbid(lockedEdge(m_session.selection())); });
    connect(m_grid, &ui::HeadGrid::menuRequested, this, &MainView::showHeadMenu);
    connect(&m_page->heatmap(), &ui::HeadHeatmap::menuRequested, this, &MainView::showCellMenu);
    for (const auto signal : {&Session::runOpened, &Session::runClosed, &Session::modelOpened})
        connect(&m_session, signal, this, &MainView::showEdits);
    connect(&m_session, &Session::stepsGiven, this, &MainView::showGivenSteps);
}

void MainView::applyEdits(engine::Edits edits) {
    m_window->messageBar().dismiss();
    if (m_session.edit(std::move(edits), m_window->promptPanel().sampling())) return;
    m_window->setStateText(QStringLiteral("A run can be edited when it has ended or is stopped"));
}

void MainView::ablate(LayerHead at) {
    engine::Edits edits = m_session.run().edits;
    toggleAblation(edits, at);
    applyEdits(std::move(edits));
}

void MainView::forbid(const engine::EdgeEdit& cells) {
    engine::Edits edits = m_session.run().edits;
    toggleEdge(edits, cells);
    applyEdits(std::move(edits));
}

// Popped up, not executed: no loop inside the loop.
void MainView::showHeadMenu(LayerHead at, QPoint where) {
    auto* menu = new QMenu(m_window.get());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("headMenu"));
    const QString name = ui::headName(at);
    const bool off = isAblated(m_session.run().edits, at);
    QAction* ablation = menu->addAction(
        (off ? QStringLiteral("Give %1 back") : QStringLiteral("Ablate %1")).arg(name), this,
        [this, at] { ablate(at); });
    ablation->setEnabled(m_session.hasRun() && m_session.run().promptRead);
    menu->addAction(
        (m_grid->isPinned(at) ? QStringLiteral("Unpin %1") : QStringLiteral("Pin %1")).arg(name),
        this, [this, at] { toldAbout(m_pins.toggle(at)); });
    menu->addAction(QStringLiteral("Show %1 alone").arg(name), this, [this, at] {
        m_session.selectHead(at);
        m_window->setSolo(true);
    });
    menu->popup(where);
}

void MainView::showCellMenu(engine::Rows dest, engine::Rows src, QPoint where) {
    const LayerHead at = m_session.selection().at;
    const engine::EdgeEdit cells{at, dest, src};
    const engine::Edits& edits = m_session.run().edits;
    auto* menu = new QMenu(m_window.get());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("cellMenu"));
    const auto label = [this](engine::Rows rows) {
        const auto of = [this](std::int64_t position) {
            return ui::withoutMnemonics(m_window->tokenStrip().label(engine::Position(position)));
        };
        return rows.count() == 1 ? of(rows.begin)
                                 : of(rows.begin) + QStringLiteral(" … ") + of(rows.end - 1);
    };
    const engine::EdgeEdit* known = forbids(edits, cells);
    QAction* edge = menu->addAction(
        known
            ? QStringLiteral("Allow again: %1").arg(editText(*known))
            : QStringLiteral("Forbid %1 ← %2 in %3").arg(label(dest), label(src), ui::headName(at)),
        this, [this, cells] { forbid(cells); });
    edge->setEnabled(m_session.run().promptRead);
    QAction* ablation = menu->addAction(
        (isAblated(edits, at) ? QStringLiteral("Give %1 back") : QStringLiteral("Ablate %1"))
            .arg(ui::headName(at)),
        this, [this, at] { ablate(at); });
    ablation->setEnabled(m_session.run().promptRead);
    menu->popup(where);
}

void MainView::showGivenSteps() {
    const RunView& run = m_session.run();
    for (const engine::Step& step : run.steps) know(step.alternatives);
    m_window->stepBar().setSteps(run.steps);
}

void MainView::keepCandidates(const std::vector<engine::Candidate>& candidates) {
    m_candidates = candidates;
    const engine::Edits& edits = m_session.run().edits;
    for (auto& [of, kept] : m_candidatesOf)
        if (of == edits) {
            kept = candidates;
            return;
        }
    m_candidatesOf.emplace_back(edits, candidates);
}

std::vector<engine::Candidate> MainView::keptCandidates() const {
    for (const auto& [of, kept] : m_candidatesOf)
        if (of == m_session.run().edits) return kept;
    return {};
}

void MainView::showEdits() {
    const engine::Edits& edits = m_session.run().edits;
    QString base;
    for (const RunView& run : m_session.otherRuns())
        if (base.isEmpty() && run.edits.empty() && run.given == m_session.run().given)
            base = QString::fromStdString(run.name);
    m_editChips->setEdits(QString::fromStdString(m_session.run().name), editTexts(edits), base);
    std::vector<LayerHead> off;
    for (const engine::HeadEdit& edit : edits.heads)
        if (isAblated(edits, edit.at)) off.push_back(edit.at);
    m_grid->setAblated(off);
    m_page->heatmap().setForbidden(edits.edges);
}

}  // namespace app
