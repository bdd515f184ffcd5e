// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is kept and comes back: its runs with their names and places, and what was
// selected.
#include <algorithm>
#include <utility>

#include "app/session/session.h"

namespace app {

using engine::to_int;
using ui::RunState;

void Session::restore(const SavedSession& saved, const std::string& file) {
    m_loading = saved.model.path;
    engine::OpenRequest request = m_openOptions;
    request.path = saved.model.path;
    m_job = m_engine.restore({request, saved, file});
    m_jobRuns = true;
    m_owed = 0;
    setState(RunState::Loading);
}

void Session::handle(const RunsRestoring& event) {
    if (isCurrent(event)) Q_EMIT runsRestoring();
}

void Session::handle(const SessionRestored& event) {
    if (!isCurrent(event)) return;
    const SavedSession& saved = event.session;
    if (event.opened) {
        clearKept();
    } else {
        if (m_before) m_run = {};  // not a row of it was read
        keepShown();
        Q_EMIT keptChanged();
    }
    m_run = {};
    m_others.clear();
    m_selection = {};
    if (event.opened) {
        m_model = event.opened->info;
        m_reader = event.opened->reader;
        Q_EMIT modelOpened();
    } else {
        Q_EMIT runClosed();
    }
    m_headPicked = true;  // the session's head, whatever another would write
    m_follow = saved.selection.follow;
    Q_EMIT followChanged(m_follow);
    m_selection.at = saved.selection.at;
    m_selection.dest = saved.selection.dest;
    m_selection.src = saved.selection.src;
    m_selection.locked = saved.selection.locked;
    m_selection.srcByHand = saved.selection.srcByHand;

    std::vector<RunView> runs;
    for (std::size_t i = 0; i < event.computed.runs.size(); ++i) {
        const RestoredRun& from = event.computed.runs[i];
        RunView run;
        run.id = from.id;
        run.prompt = saved.prompt->text;
        run.options = saved.prompt->options;
        run.tokens = from.tokens;
        run.promptTokens = event.computed.promptTokens;
        run.rows = run.planned = static_cast<std::int64_t>(from.tokens.size());
        run.promptRead = true;
        run.steps = from.steps;
        for (const engine::Step& step : from.steps) run.text += step.text;
        run.notes = event.computed.notes;
        run.candidates = event.computed.candidates;
        run.name = nameOfRun(i);
        if (const auto parent = saved.runs[i].parent) {
            run.parent = nameOfRun(*parent);
            run.forkedAt = saved.runs[i].at;
        }
        run.edits = saved.runs[i].edits;
        run.edited = saved.runs[i].edited;
        run.given = run.promptTokens + run.forkedAt + (run.parent.empty() || run.edited ? 0 : 1);
        if (run.edits != saved.runs[0].edits) run.candidates.clear();  // they are the first run's
        runs.push_back(std::move(run));
    }
    if (!runs.empty()) {
        RunView shown = std::move(runs[saved.shown]);
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(saved.shown));
        m_others = std::move(runs);
        const ui::Selection selection = m_selection;
        show(std::move(shown));
        // Views that begin a run follow its newest row.
        if (!saved.selection.follow) {
            setFollowNewest(false);
            m_selection = selection;
            m_selection.run = m_run.id;
            Q_EMIT selectionChanged(m_selection);
        }
    } else {
        Q_EMIT selectionChanged(m_selection);
    }
    Q_EMIT restored(event);
}

void Session::saveTo(SavedSession& saved) const {
    if (m_model) saved.model = {m_model->path, m_model->name, m_model->hash};
    saved.selection = {m_selection.at,     m_selection.dest,      m_selection.src,
                       m_selection.locked, m_selection.srcByHand, m_follow};
    if (!hasRun()) return;
    saved.prompt.emplace();
    saved.prompt->text = m_run.prompt;
    saved.prompt->options = m_run.options;
    const auto prompt = static_cast<std::size_t>(m_run.promptTokens);
    for (std::size_t i = 0; i < prompt; ++i) saved.prompt->tokens.push_back(m_run.tokens[i].id);
    std::vector<const RunView*> runs{&m_run};
    for (const RunView& run : m_others) runs.push_back(&run);
    std::sort(runs.begin(), runs.end(),
              [](const RunView* a, const RunView* b) { return to_int(a->id) < to_int(b->id); });
    for (const RunView* run : runs) {
        SavedRun& out = saved.runs.emplace_back();
        const auto parent = std::find_if(runs.begin(), runs.end(), [run](const RunView* other) {
            return other->name == run->parent;
        });
        if (!run->parent.empty() && parent != runs.end()) {
            out.parent = static_cast<std::size_t>(parent - runs.begin());
            out.at = run->forkedAt;
        }
        out.edits = run->edits;
        out.edited = run->edited;
        for (std::size_t i = prompt + static_cast<std::size_t>(out.at); i < run->tokens.size(); ++i)
            out.tokens.push_back(run->tokens[i].id);
        if (run == &m_run) saved.shown = saved.runs.size() - 1;
    }
}

}  // namespace app
