// SPDX-License-Identifier: GPL-3.0-or-later
// A new prompt's run, and the runs of the prompts before it, which stay open while there is room.
#include <algorithm>
#include <utility>

#include "app/session/session.h"
#include "app/verbs/prompt_losses.h"

namespace app {

using engine::Position;

void Session::handle(const RunOpened& event) {
    if (!isCurrent(event)) return;
    m_tokenizing = 0;
    const auto isKept = [&event](const RunView& run) {
        return std::find(event.before.begin(), event.before.end(), run.id) != event.before.end();
    };
    if (isKept(m_run))
        m_before = {std::move(m_run), std::move(m_others), m_selection, m_follow};
    else if (m_before && !isKept(m_before->run))
        m_before.reset();
    m_others.clear();
    m_run = {};
    m_run.id = event.run;
    m_run.prompt = m_asked.prompt;
    m_run.options = m_asked.options;
    m_run.tokens = event.encoding.tokens;
    m_run.notes = event.encoding.notes;
    for (std::string& loss : promptLosses(m_run.prompt, event.encoding))
        m_run.notes.push_back(std::move(loss));
    m_run.promptTokens = m_run.given = std::ssize(m_run.tokens);
    m_run.planned = m_run.promptTokens + m_asked.generate;
    m_follow = true;
    ui::Selection selection = m_selection;
    selection.run = event.run;
    selection.dest = selection.src = Position(0);
    selection.locked = true;
    selection.srcByHand = false;
    m_selection = selection;
    Q_EMIT runOpened();
    Q_EMIT followChanged(true);
    Q_EMIT selectionChanged(m_selection);
}

// The prompt in the bar stays the one that could not be read.
void Session::handle(const RunReturned& event) {
    if (event.failed != m_run.id || !m_before) return;
    Before before = std::move(*m_before);
    m_before.reset();
    m_others = std::move(before.others);
    m_selection = before.selection;
    m_follow = before.follow;
    show(std::move(before.run));
    Q_EMIT followChanged(m_follow);
}

// Whichever job it was: what the engine holds is what counts.
void Session::handle(const RunsKept&) {
    if (!m_before) return;
    m_kept.push_back(*std::exchange(m_before, std::nullopt));
    Q_EMIT keptChanged();
}

void Session::handle(const KeptClosed& event) {
    const auto closed = std::find_if(m_kept.begin(), m_kept.end(), [&](const Before& kept) {
        return std::find(event.runs.begin(), event.runs.end(), kept.run.id) != event.runs.end();
    });
    if (closed == m_kept.end()) return;
    const std::string prompt = closed->run.prompt;
    m_kept.erase(closed);
    Q_EMIT keptChanged();
    Q_EMIT keptClosed(prompt);
}

std::vector<const RunView*> Session::keptRuns() const {
    std::vector<const RunView*> runs;
    for (const Before& kept : m_kept) runs.push_back(&kept.run);
    return runs;
}

std::vector<std::vector<const RunView*>> Session::keptPrompts() const {
    std::vector<std::vector<const RunView*>> prompts;
    const auto add = [&prompts](const Before& kept) {
        auto& runs = prompts.emplace_back(1, &kept.run);
        for (const RunView& other : kept.others) runs.push_back(&other);
    };
    for (const Before& kept : m_kept) add(kept);
    if (m_before) add(*m_before);
    return prompts;
}

std::int64_t Session::pagesUsed() const {
    if (!m_model || m_model->page_tokens <= 0) return 0;
    const std::int64_t page = m_model->page_tokens;
    const auto own = [page](const RunView& run) {
        const std::int64_t shared =
            run.parent.empty() || run.edited ? 0 : run.promptTokens + run.forkedAt;
        return (run.rows + page - 1) / page - std::min(shared, run.rows) / page;
    };
    std::int64_t pages = 0;
    const auto add = [&](const RunView& run, const std::vector<RunView>& others) {
        pages += own(run);
        for (const RunView& other : others) pages += own(other);
    };
    add(m_run, m_others);
    if (m_before) add(m_before->run, m_before->others);
    for (const Before& kept : m_kept) add(kept.run, kept.others);
    return std::min(pages, m_model->pages);
}

bool Session::pagesAreExact() const {
    const auto isEdited = [](const RunView& run) { return run.edited; };
    return m_kept.empty() && !m_before && !m_run.edited &&
           std::none_of(m_others.begin(), m_others.end(), isEdited);
}

void Session::keepShown() {
    if (m_before) m_kept.push_back(*std::exchange(m_before, std::nullopt));
    if (!hasRun()) return;
    m_run.planned = std::ssize(m_run.tokens);
    m_kept.push_back(
        {std::exchange(m_run, {}), std::exchange(m_others, {}), m_selection, m_follow});
}

void Session::clearKept() {
    m_before.reset();
    if (!std::exchange(m_kept, {}).empty()) Q_EMIT keptChanged();
}

// The head stays: it is what prompts are looked at with.
void Session::showKept(engine::RunId id) {
    if (ui::isBusy(m_state) || m_jobRuns) return;
    const auto wanted = std::find_if(m_kept.begin(), m_kept.end(),
                                     [id](const Before& kept) { return kept.run.id == id; });
    if (wanted == m_kept.end()) return;
    Before next = std::move(*wanted);
    m_kept.erase(wanted);
    keepShown();
    m_owed = 0;
    m_others = std::move(next.others);
    next.selection.at = m_selection.at;
    m_selection = next.selection;
    m_follow = next.follow;
    show(std::move(next.run));
    Q_EMIT followChanged(m_follow);
    setState(ui::RunState::Idle);
    Q_EMIT keptChanged();
}

}  // namespace app
