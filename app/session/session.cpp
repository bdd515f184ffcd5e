// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace app {

using engine::LayerHead;
using engine::Position;
using engine::to_int;
using ui::RunState;

namespace {

std::int64_t length(const RunView& run) {
    return static_cast<std::int64_t>(run.tokens.size());
}

}  // namespace

std::string nameOfRun(std::size_t index) {
    std::string name(1, static_cast<char>('A' + index % 26));
    if (index >= 26) name += std::to_string(index / 26);
    return name;
}

Session::Session(EngineSource source, QObject* parent)
    : QObject(parent), m_engine(std::move(source)) {
    m_openOptions.device = "auto";
    connect(&m_engine, &EngineThread::happened, this, [this](const EngineEvent& event) {
        std::visit([this](const auto& value) { handle(value); }, event);
    });
}

// ---- jobs

void Session::openModel(const std::string& path) {
    m_loading = path;
    engine::OpenRequest request = m_openOptions;
    request.path = path;
    m_job = m_engine.open(request);
    m_jobRuns = true;
    m_owed = 0;
    setState(RunState::Loading);
}

void Session::inspectModels(const std::vector<std::string>& paths) {
    m_engine.inspect(paths);
}

void Session::listDevices() {
    m_engine.listDevices();
}

void Session::findModels(const std::string& folder, int levels) {
    m_engine.find(folder, levels);
}

bool Session::isOnScreen(const RunSettings& settings) const {
    return hasRun() && settings.prompt == m_run.prompt &&
           settings.options.chat == m_run.options.chat &&
           settings.options.parse_special == m_run.options.parse_special &&
           settings.options.add_bos == m_run.options.add_bos;
}

void Session::begin(const RunSettings& settings, std::int64_t generate) {
    m_asked = settings;
    m_asked.generate = generate;
    m_owed = 0;
    m_tokenizing = static_cast<std::int64_t>(settings.prompt.size());
    m_job =
        m_engine.run({settings.prompt, settings.options, settings.sampling, generate, m_run.id});
    m_jobRuns = true;
    setState(RunState::Prefilling);
}

void Session::goOn(const engine::Sampling& sampling, std::int64_t generate) {
    m_owed = 0;
    setPlanned(std::max(m_run.planned, length(m_run) + generate));
    m_job = m_engine.goOn({m_run.id, sampling, generate});
    m_jobRuns = true;
    setState(m_run.promptRead ? RunState::Decoding : RunState::Prefilling);
}

void Session::run(const RunSettings& settings) {
    if (!m_model || ui::isBusy(m_state)) return;
    if (!isOnScreen(settings)) return begin(settings, settings.generate);
    if (m_state != RunState::Paused) return goOn(settings.sampling, settings.generate);
    if (!m_jobRuns)
        return goOn(settings.sampling, std::max<std::int64_t>(0, m_run.planned - length(m_run)));
    m_engine.pause(false);
    setState(m_run.promptRead ? RunState::Decoding : RunState::Prefilling);
}

void Session::read(const RunSettings& settings) {
    if (!m_model || ui::isBusy(m_state)) return;
    if (!isOnScreen(settings)) return begin(settings, 0);
    if (!m_run.promptRead) goOn(settings.sampling, 0);
}

void Session::step(const RunSettings& settings) {
    if (!m_model || ui::isBusy(m_state)) return;
    if (!isOnScreen(settings)) return begin(settings, 0);
    if (!m_run.promptRead) return goOn(settings.sampling, 0);
    const std::int64_t owed = m_state == RunState::Paused
                                  ? std::max<std::int64_t>(0, m_run.planned - length(m_run) - 1)
                                  : 0;
    goOn(settings.sampling, 1);
    m_owed = owed;
}

void Session::fork(Position at, const engine::Candidate& candidate,
                   const engine::Sampling& sampling, std::vector<engine::Candidate> others) {
    const std::int64_t place = to_int(at);
    // A paused job is ended by the fork's: what it has computed stays.
    if (!hasRun() || !m_run.promptRead || ui::isBusy(m_state) ||
        (m_jobRuns && m_state != RunState::Paused) || place < m_run.promptTokens ||
        place > m_run.rows)
        return;
    m_owed = 0;
    m_forced = candidate;
    m_forcedOthers = std::move(others);
    m_asked.sampling = sampling;
    m_asked.generate = std::max<std::int64_t>(0, length(m_run) - place - 1);
    m_job = m_engine.fork({m_run.id, at, candidate.token, sampling, m_asked.generate});
    m_jobRuns = true;
    setState(RunState::Prefilling);
}

void Session::showRun(engine::RunId id) {
    if (ui::isBusy(m_state) || m_jobRuns) return;
    const auto wanted = std::find_if(m_others.begin(), m_others.end(),
                                     [id](const RunView& run) { return run.id == id; });
    if (wanted == m_others.end()) return;
    RunView next = std::move(*wanted);
    m_others.erase(wanted);
    park();
    show(std::move(next));
    setState(RunState::Idle);
}

void Session::park() {
    m_run.planned = length(m_run);
    m_others.push_back(std::exchange(m_run, {}));
    std::sort(m_others.begin(), m_others.end(), [](const RunView& a, const RunView& b) {
        return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
    });
}

// The same head and, where the run has them, the same cell.
void Session::show(RunView run) {
    m_run = std::move(run);
    m_returnTo.reset();
    ui::Selection selection = m_selection;
    selection.run = m_run.id;
    const std::int64_t last = std::max<std::int64_t>(0, lastRow());
    selection.dest = Position(std::min(to_int(selection.dest), last));
    if (selection.src > selection.dest) selection.src = selection.dest;
    m_selection = selection;
    const bool follows = m_follow;
    Q_EMIT runOpened();
    Q_EMIT selectionChanged(m_selection);
    if (m_run.rows > 0) Q_EMIT rowsChanged(m_run.rows);
    if (follows) return selectNewestRow();
    // Views that begin a run follow its newest row.
    setFollowNewest(false);
    apply(selection);
}

RunView* Session::find(engine::RunId id) {
    if (m_run.id == id) return &m_run;
    for (RunView& run : m_others)
        if (run.id == id) return &run;
    return nullptr;
}

void Session::pause() {
    if (m_state != RunState::Decoding && m_state != RunState::Prefilling) return;
    m_engine.pause(true);
    setState(RunState::Paused);
}

void Session::stop() {
    if (m_state == RunState::Paused && !m_jobRuns) {
        m_owed = 0;
        setPlanned(length(m_run));
        setState(RunState::Idle);
        return;
    }
    if (!m_jobRuns || m_state == RunState::Cancelling) return;
    m_owed = 0;
    m_engine.cancel();
    setState(RunState::Cancelling);
}

// ---- what the engine thread reports

void Session::handle(const JobProgress& event) {
    if (!isCurrent(event)) return;
    if (m_loading.empty() && hasRun()) setRows(event.progress.done);
    Q_EMIT progressed(event.progress);
}

void Session::handle(const ModelOpened& event) {
    if (!isCurrent(event)) return;
    m_model = event.info;
    m_reader = event.reader;
    clearKept();
    m_run = {};
    m_others.clear();
    m_headPicked = false;
    m_selection = {};
    Q_EMIT modelOpened();
}

void Session::handle(const RunClosed& event) {
    if (!isCurrent(event)) return;
    m_before.reset();
    m_returnTo.reset();
    m_run = {};
    m_others.clear();
    m_selection = {{}, m_selection.at};
    Q_EMIT runClosed();
}

// What the run on screen got is taken whichever job computed it: the step in work when Pause was
// pressed ends after the job that was begun then, and its row is there all the same.
void Session::handle(const PromptRead& event) {
    if (event.run != m_run.id) return;
    m_run.promptRead = true;
    m_run.readSeconds = event.seconds;
    setRows(event.rows);
    if (m_follow) selectNewestRow();
    if (m_state == RunState::Prefilling && m_run.planned > length(m_run))
        setState(RunState::Decoding);
    Q_EMIT promptRead();
}

void Session::handle(const Stepped& event) {
    RunView* run = find(event.step.run);
    if (!run) return;
    run->tokens.push_back(event.step.token);
    run->text += event.step.text;
    run->steps.push_back(event.step);
    if (run != &m_run) {
        run->rows = event.step.rows;
        run->planned = length(*run);
        return;
    }
    if (m_run.planned < length(m_run)) setPlanned(length(m_run));
    Q_EMIT stepped(event.step);
    setRows(event.step.rows);
}

void Session::handle(const JobEnded& event) {
    if (!isCurrent(event)) return;
    m_jobRuns = false;
    m_loading.clear();
    m_tokenizing = 0;
    const bool finished = event.how == JobEnded::How::Finished;
    if (!finished) m_owed = 0;
    if (m_owed == 0 && hasRun()) setPlanned(length(m_run));
    if (!m_model)
        setState(RunState::NoModel);
    else if (event.failure)
        setState(RunState::Failed);
    else
        setState(m_owed > 0 ? RunState::Paused : RunState::Idle);
    if (event.failure) Q_EMIT failed(*event.failure);
    Q_EMIT ended(event.how);
}

void Session::handle(const ModelInspected& event) {
    Q_EMIT modelInspected(event);
}

void Session::handle(const DevicesListed& event) {
    Q_EMIT devicesListed(event.list);
}

void Session::handle(const ModelsFound& found) {
    Q_EMIT modelsFound(found);
}

void Session::setState(RunState state) {
    if (m_state == state) return;
    const bool wasReading = std::exchange(m_state, state) == RunState::Prefilling;
    if (wasReading && m_follow) selectNewestRow();
    Q_EMIT stateChanged(state);
}

void Session::setRows(std::int64_t published) {
    if (published <= m_run.rows) return;
    // While a prompt is read, the views move the selection on as fast as they can follow it.
    const bool moves = m_follow && (m_run.rows == 0 || m_state != RunState::Prefilling);
    m_run.rows = published;
    const ui::Selection before = m_selection;
    if (moves) m_selection.dest = Position(lastRow());  // before anything is asked of row 0
    Q_EMIT rowsChanged(published);
    if (before != m_selection) Q_EMIT selectionChanged(m_selection);
    if (m_returnTo && to_int(m_returnTo->dest) < published) {
        ui::Selection selection = *std::exchange(m_returnTo, std::nullopt);
        selection.run = m_run.id;
        selection.at = m_selection.at;
        apply(selection);
    }
}

void Session::setPlanned(std::int64_t positions) {
    if (m_run.planned == positions) return;
    m_run.planned = positions;
    Q_EMIT planChanged();
}

// ---- selection

void Session::apply(ui::Selection selection) {
    if (selection == m_selection) return;
    m_selection = selection;
    Q_EMIT selectionChanged(m_selection);
}

void Session::selectHead(LayerHead at) {
    m_headPicked = true;
    focusHead(at);
}

void Session::focusHead(LayerHead at) {
    if (!m_model || to_int(at.layer) < 0 || to_int(at.layer) >= m_model->layers ||
        to_int(at.head) < 0 || to_int(at.head) >= m_model->query_heads)
        return;
    ui::Selection selection = m_selection;
    selection.at = at;
    apply(selection);
}

void Session::moveHead(int layers, int heads) {
    if (!m_model) return;
    const LayerHead at = m_selection.at;
    selectHead(
        {engine::Layer(std::clamp(to_int(at.layer) + layers, 0, m_model->layers - 1)),
         engine::QueryHead(std::clamp(to_int(at.head) + heads, 0, m_model->query_heads - 1))});
}

void Session::selectCell(Position dest, Position src) {
    if (to_int(dest) < 0 || to_int(dest) > lastRow() || to_int(src) < 0 || src > dest) return;
    m_returnTo.reset();
    setFollowNewest(false);
    ui::Selection selection = m_selection;
    selection.dest = dest;
    selection.src = src;
    selection.locked = true;
    selection.srcByHand = true;
    apply(selection);
}

void Session::moveCell(int dests, int srcs) {
    if (m_run.rows == 0) return;
    const auto dest = std::clamp<std::int64_t>(to_int(m_selection.dest) + dests, 0, lastRow());
    const auto src = std::clamp<std::int64_t>(to_int(m_selection.src) + srcs, 0, dest);
    selectCell(Position(dest), Position(src));
}

void Session::selectDest(Position dest) {
    if (to_int(dest) < 0 || to_int(dest) > lastRow()) return;
    m_returnTo.reset();
    setFollowNewest(to_int(dest) == lastRow() && m_follow);
    ui::Selection selection = m_selection;
    selection.dest = dest;
    if (selection.src > dest) {
        selection.srcByHand = false;
        selection.src = dest;
    }
    apply(selection);
}

void Session::selectSrc(Position src) {
    if (to_int(src) < 0 || to_int(src) > lastRow()) return;
    m_returnTo.reset();
    ui::Selection selection = m_selection;
    selection.src = src;
    selection.srcByHand = true;
    if (selection.dest < src) {  // the newest row is the one that sees it
        setFollowNewest(false);
        selection.dest = Position(lastRow());
    }
    apply(selection);
}

void Session::suggestSrc(Position dest, Position src) {
    if (m_selection.srcByHand || dest != m_selection.dest || src > dest) return;
    ui::Selection selection = m_selection;
    selection.src = src;
    apply(selection);
}

void Session::moveRow(int rows) {
    if (m_run.rows == 0) return;
    selectDest(Position(std::clamp<std::int64_t>(to_int(m_selection.dest) + rows, 0, lastRow())));
}

void Session::selectNewestRow() {
    if (m_run.rows == 0) return;
    setFollowNewest(true);
    ui::Selection selection = m_selection;
    selection.dest = Position(lastRow());
    apply(selection);
}

void Session::setFollowNewest(bool follow) {
    if (m_follow == follow) return;
    m_follow = follow;
    Q_EMIT followChanged(follow);
    if (follow) selectNewestRow();
}

void Session::unlock() {
    ui::Selection selection = m_selection;
    selection.locked = false;
    apply(selection);
}

}  // namespace app
