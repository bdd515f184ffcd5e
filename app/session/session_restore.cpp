// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is kept and comes back: its runs with their names and places, and what was
// selected.
#include <algorithm>
#include <utility>

#include "app/command_line/cli_text.h"
#include "app/session/session.h"

namespace app {

using engine::to_int;
using ui::RunState;

namespace {

std::string textOf(const std::vector<engine::Token>& tokens, std::int64_t count) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) text += tokens[static_cast<std::size_t>(i)].bytes;
    return validUtf8(text);
}

std::vector<RunView> runsOf(const SavedPrompt& prompt, const std::vector<SavedRun>& saved,
                            const RestoredRuns& computed) {
    std::vector<RunView> runs;
    for (std::size_t i = 0; i < computed.runs.size(); ++i) {
        const RestoredRun& from = computed.runs[i];
        RunView run;
        run.id = from.id;
        // What was edited is another prompt than these runs': Run reads it.
        run.prompt = computed.isEdited ? textOf(from.tokens, computed.promptTokens) : prompt.text;
        run.promptAsWritten = computed.isEither ? std::nullopt : std::optional(!computed.isEdited);
        run.options = prompt.options;
        run.tokens = from.tokens;
        run.promptTokens = computed.promptTokens;
        run.rows = run.planned = static_cast<std::int64_t>(from.tokens.size());
        run.promptRead = true;
        run.steps = from.steps;
        for (const engine::Step& step : from.steps) run.text += step.text;
        run.notes = computed.notes;
        run.candidates = computed.candidates;
        run.name = nameOfRun(i);
        if (const auto parent = saved[i].parent) {
            run.parent = nameOfRun(*parent);
            run.forkedAt = saved[i].at;
        }
        run.edits = saved[i].edits;
        run.edited = saved[i].edited;
        run.given = run.promptTokens + run.forkedAt + (run.parent.empty() || run.edited ? 0 : 1);
        if (run.edits != saved[0].edits) run.candidates.clear();  // they are the first run's
        runs.push_back(std::move(run));
    }
    return runs;
}

// By age; the runs' own order.
std::vector<engine::RunId> saveRuns(std::vector<const RunView*> runs, const RunView& shown,
                                    SavedPrompt& prompt, std::vector<SavedRun>& out,
                                    std::size_t& shownAt) {
    prompt.text = shown.prompt;
    prompt.options = shown.options;
    prompt.isAsWritten = shown.promptAsWritten;
    const auto promptTokens = static_cast<std::size_t>(shown.promptTokens);
    for (std::size_t i = 0; i < promptTokens; ++i) prompt.tokens.push_back(shown.tokens[i].id);
    std::sort(runs.begin(), runs.end(),
              [](const RunView* a, const RunView* b) { return to_int(a->id) < to_int(b->id); });
    std::vector<engine::RunId> ids;
    for (const RunView* run : runs) {
        SavedRun& saved = out.emplace_back();
        const auto parent = std::find_if(runs.begin(), runs.end(), [run](const RunView* other) {
            return other->name == run->parent;
        });
        if (!run->parent.empty() && parent != runs.end()) {
            saved.parent = static_cast<std::size_t>(parent - runs.begin());
            saved.at = run->forkedAt;
        }
        saved.edits = run->edits;
        saved.edited = run->edited;
        for (std::size_t i = promptTokens + static_cast<std::size_t>(saved.at);
             i < run->tokens.size(); ++i)
            saved.tokens.push_back(run->tokens[i].id);
        if (run == &shown) shownAt = out.size() - 1;
        ids.push_back(run->id);
    }
    return ids;
}

}  // namespace

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

    for (std::size_t i = 0; i < event.computed.beside.size(); ++i) {
        const SavedBeside& from = saved.beside[i];
        Before& kept = m_kept.emplace_back();
        kept.others = runsOf(from.prompt, from.runs, event.computed.beside[i]);
        const auto shown = kept.others.begin() + static_cast<std::ptrdiff_t>(from.shown);
        kept.run = std::move(*shown);
        kept.others.erase(shown);
        kept.selection.run = kept.run.id;
    }
    if (!event.computed.beside.empty()) Q_EMIT keptChanged();
    std::vector<RunView> runs;
    if (saved.prompt) runs = runsOf(*saved.prompt, saved.runs, event.computed);
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

std::vector<engine::RunId> Session::saveTo(SavedSession& saved,
                                           const std::vector<engine::RunId>& compared) const {
    if (m_model) saved.model = {m_model->path, m_model->name, m_model->hash};
    saved.selection = {m_selection.at,     m_selection.dest,      m_selection.src,
                       m_selection.locked, m_selection.srcByHand, m_follow};
    if (!hasRun()) return {};
    std::vector<const RunView*> runs{&m_run};
    for (const RunView& run : m_others) runs.push_back(&run);
    std::vector<engine::RunId> ids =
        saveRuns(std::move(runs), m_run, saved.prompt.emplace(), saved.runs, saved.shown);
    for (const auto& kept : keptPrompts()) {
        const bool wanted = std::any_of(kept.begin(), kept.end(), [&](const RunView* run) {
            return run->promptRead &&
                   std::find(compared.begin(), compared.end(), run->id) != compared.end();
        });
        if (!wanted) continue;
        SavedBeside& beside = saved.beside.emplace_back();
        const auto more = saveRuns(kept, *kept.front(), beside.prompt, beside.runs, beside.shown);
        ids.insert(ids.end(), more.begin(), more.end());
    }
    return ids;
}

}  // namespace app
