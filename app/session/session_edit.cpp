// SPDX-License-Identifier: GPL-3.0-or-later
// Runs beside the one that they come from: with another token, or with edits of the forward pass.
#include <algorithm>
#include <utility>

#include "app/session/session.h"

namespace app {

using engine::to_int;
using ui::RunState;

// Of the same tokens that were given, one that has just these edits.
const RunView* Session::findEdited(const engine::Edits& edits) const {
    const auto given = static_cast<std::ptrdiff_t>(m_run.given);
    const auto same = std::find_if(m_others.begin(), m_others.end(), [&](const RunView& other) {
        return other.given == m_run.given && other.edits == edits && other.promptRead &&
               std::equal(
                   other.tokens.begin(), other.tokens.begin() + given, m_run.tokens.begin(),
                   [](const engine::Token& a, const engine::Token& b) { return a.id == b.id; });
    });
    return same == m_others.end() ? nullptr : &*same;
}

bool Session::edit(engine::Edits edits, const engine::Sampling& sampling) {
    if (!hasRun() || !m_run.promptRead || ui::isBusy(m_state)) return false;
    if (edits == m_run.edits) return true;
    if (const RunView* known = findEdited(edits)) {
        if (m_jobRuns) return false;
        showRun(known->id);
        return true;
    }
    // A paused job is ended by the edited run's: what it has computed stays.
    if (m_jobRuns && m_state != RunState::Paused) return false;
    m_owed = 0;
    EditCommand command;
    command.parent = m_run.id;
    for (std::int64_t i = 0; i < m_run.given; ++i)
        command.tokens.push_back(m_run.tokens[static_cast<std::size_t>(i)].id);
    command.promptTokens = m_run.promptTokens;
    command.edits = std::move(edits);
    command.sampling = m_asked.sampling = sampling;
    command.generate = m_asked.generate = std::ssize(m_run.tokens) - m_run.given;
    m_job = m_engine.edit(command);
    m_jobRuns = true;
    setState(RunState::Prefilling);
    return true;
}

void Session::handle(const RunForked& event) {
    if (!isCurrent(event)) return;
    const RunView* parent = find(event.parent);
    if (!parent) return;
    RunView fork = *parent;
    const std::int64_t at = to_int(event.at);
    const auto steps = static_cast<std::size_t>(at - fork.promptTokens);
    engine::Step forced;
    forced.alternatives =
        steps < fork.steps.size() ? fork.steps[steps].alternatives : m_forcedOthers;
    forced.run = event.run;
    forced.token = event.token;
    forced.position = event.at;
    forced.probability = m_forced.probability;
    forced.rows = at + 1;
    fork.id = event.run;
    fork.tokens.resize(static_cast<std::size_t>(at));
    fork.tokens.push_back(event.token);
    fork.steps.resize(steps);
    fork.text.clear();
    for (const engine::Step& step : fork.steps) fork.text += step.text;
    forced.text = event.token.bytes;
    fork.text += forced.text;
    fork.steps.push_back(std::move(forced));
    fork.rows = at;
    fork.planned = at + 1 + m_asked.generate;
    fork.promptRead = false;
    fork.parent = parent->name;
    fork.forkedAt = static_cast<std::int64_t>(steps);
    fork.edited = false;
    fork.given = at + 1;
    fork.name = nameOfRun(m_others.size() + 1);
    park();
    show(std::move(fork));
}

void Session::handle(const RunEdited& event) {
    if (!isCurrent(event)) return;
    const RunView* parent = find(event.parent);
    if (!parent) return;
    RunView run = *parent;
    run.id = event.run;
    run.edits = event.edits;
    run.edited = true;
    run.parent = parent->name;
    run.forkedAt = run.given - run.promptTokens;
    run.tokens.resize(static_cast<std::size_t>(run.given));
    run.steps.resize(static_cast<std::size_t>(run.forkedAt));
    run.text.clear();
    for (const engine::Step& step : run.steps) run.text += step.text;
    run.candidates.clear();  // the parent's are another model's
    run.rows = 0;
    run.planned = run.given + m_asked.generate;
    run.promptRead = false;
    run.name = nameOfRun(m_others.size() + 1);
    const ui::Selection before = m_selection;
    park();
    show(std::move(run));  // its rows are still to come, and the selected one with them
    if (!m_follow) m_returnTo = before;
}

void Session::handle(const StepsGiven& event) {
    RunView* run = find(event.run);
    if (!run) return;
    run->steps = event.steps;
    run->text.clear();
    for (const engine::Step& step : run->steps) run->text += step.text;
    if (run == &m_run) Q_EMIT stepsGiven();
}

}  // namespace app
