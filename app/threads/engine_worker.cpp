// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/engine_worker.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <utility>

namespace app {

namespace {
constexpr std::size_t kMostKept = 20;  // prompts, whatever there is room for
constexpr auto kProgressEvery =
    std::chrono::milliseconds(33);  // a frame or two; a bar that moves more often only costs
}  // namespace

engine::Failure currentFailure(const std::string& where) {
    using Kind = engine::Failure::Kind;
    try {
        throw;
    } catch (const engine::Error& error) {
        return error.failure();
    } catch (const std::bad_alloc&) {
        return {Kind::OutOfMemory, "the system has no memory left", where,
                "close other programs, or shorten the prompt"};
    } catch (const std::exception& error) {
        return {Kind::Internal, error.what(), where, {}};
    } catch (...) {
        return {Kind::Internal, "an unknown error", where, {}};
    }
}

EngineWorker::EngineWorker(EngineSource source, Send send)
    : m_source(std::move(source)), m_send(std::move(send)) {}

double EngineWorker::Job::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <typename Work>
void EngineWorker::guarded(Work&& work) {
    try {
        if (m_job->stop.stop_requested()) throw engine::Cancelled();
        work();
    } catch (const engine::Cancelled&) {
        end(JobEnded::How::Cancelled);
    } catch (...) {
        const engine::Failure failure = currentFailure("engine");
        returnToReplaced();
        end(JobEnded::How::Failed, failure);
    }
}

void EngineWorker::begin(JobId id, std::stop_token stop) {
    if (m_job) end(JobEnded::How::Cancelled);
    m_job.emplace(id, std::move(stop));
}

void EngineWorker::open(JobId id, const engine::OpenRequest& request, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        // The open model stays until the new one is there: a file that fails to open costs nothing.
        auto opened = m_source.open(
            request, [this](const engine::Progress& progress) { sendProgress(progress); },
            m_job->stop);
        m_promptRead.clear();
        m_replaced.clear();
        m_kept.clear();
        m_names.reset();
        m_engine = std::move(opened);
        m_send(ModelOpened{id, m_engine->info(), m_engine->reader(), m_job->seconds()});
        end(JobEnded::How::Finished);
    });
}

void EngineWorker::run(JobId id, const RunCommand& command, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        openRun(command);
        m_job->remaining = command.generate;
    });
}

void EngineWorker::openRun(const RunCommand& command) {
    if (!m_engine)
        throw engine::Error(engine::Failure::Kind::BadRequest, "no model is open", "run",
                            "open a model first");
    bring(command.shown);
    engine::Encoding encoding = m_engine->tokenize(command.text, command.options);
    if (m_job->stop.stop_requested()) throw engine::Cancelled();
    engine::RunRequest request;
    for (const engine::Token& token : encoding.tokens) request.tokens.push_back(token.id);
    request.sampling = command.sampling;
    request.reserve = command.generate;
    // A prompt edited at its end is read from there on.
    const auto& withRows = m_replaced.empty() ? m_promptRead : m_replaced;
    if (!withRows.empty()) request.parent = withRows.begin()->first;

    // Other runs, the one on screen last, make room only for one that then fits.
    const engine::ModelInfo& info = m_engine->info();
    const auto tokens = static_cast<std::int64_t>(request.tokens.size()) + request.reserve;
    const bool wouldFit = tokens <= info.pages * info.page_tokens;
    const auto openIt = [&] { return m_engine->open_run(request); };
    engine::RunId opened{};
    try {
        opened = wouldFit ? withRoom(openIt) : openIt();
    } catch (const engine::Error& error) {
        if (error.failure().kind != engine::Failure::Kind::OutOfMemory || m_promptRead.empty() ||
            !wouldFit)
            throw;
        try {
            closeRuns();
            request.parent.reset();
            opened = m_engine->open_run(request);
        } catch (...) {
            m_send(RunClosed{m_job->id});
            throw;
        }
    }
    // A prompt that was cancelled before its first row is nothing to return to.
    auto left = std::exchange(m_promptRead, {});
    if (m_replaced.empty()) std::swap(left, m_replaced);
    for (const auto& [run, read] : left) m_engine->close_run(run);
    m_promptRead[opened] = false;
    m_job->run = opened;
    RunOpened event{m_job->id, opened, std::move(encoding), {}};
    for (const auto& [run, read] : m_replaced) event.before.push_back(run);
    m_send(std::move(event));
}

// Of a run that is closed, or 0, nothing changes.
void EngineWorker::bring(engine::RunId run) {
    const auto holds = [run](const Runs& runs) { return runs.contains(run); };
    if (holds(m_promptRead)) return;
    auto found = std::find_if(m_kept.begin(), m_kept.end(), holds);
    if (found == m_kept.end()) return;
    Runs wanted = std::move(*found);
    m_kept.erase(found);
    keep(std::exchange(m_replaced, {}));
    keep(std::exchange(m_promptRead, std::move(wanted)));
}

void EngineWorker::keep(Runs runs) {
    if (!runs.empty()) m_kept.push_back(std::move(runs));
    if (m_kept.size() > kMostKept) closeOldest();
}

bool EngineWorker::closeOldest() {
    if (m_kept.empty()) return false;
    KeptClosed event;
    for (const auto& [run, read] : m_kept.front()) {
        m_engine->close_run(run);
        event.runs.push_back(run);
    }
    m_kept.erase(m_kept.begin());
    m_send(std::move(event));
    return true;
}

void EngineWorker::closeRuns() {
    for (const auto& [run, read] : std::exchange(m_replaced, {})) m_engine->close_run(run);
    for (const auto& [run, read] : std::exchange(m_promptRead, {})) m_engine->close_run(run);
}

// A prompt of which not a row could be read leaves on screen what was there.
void EngineWorker::returnToReplaced() {
    if (m_replaced.empty() || !m_promptRead.contains(m_job->run)) return;
    for (const auto& [run, read] : std::exchange(m_promptRead, {})) m_engine->close_run(run);
    m_promptRead = std::exchange(m_replaced, {});
    m_send(RunReturned{m_job->id, m_job->run});
}

void EngineWorker::goOn(JobId id, const GoOnCommand& command, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        bring(command.run);
        requireOpen(command.run);
        m_engine->set_sampling(command.run, command.sampling);
        m_job->run = command.run;
        m_job->remaining = command.generate;
    });
}

void EngineWorker::requireOpen(engine::RunId run) const {
    if (!m_engine || !m_promptRead.contains(run))
        throw engine::Error(engine::Failure::Kind::BadRequest, "this run is closed", "step",
                            "run the prompt again");
}

void EngineWorker::fork(JobId id, const ForkCommand& command, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        bring(command.parent);
        requireOpen(command.parent);
        const engine::Encoding forced = m_engine->describe(std::span(&command.token, 1));
        const engine::RunId run =
            withRoom([&] { return m_engine->fork_run(command.parent, command.at, command.token); });
        m_promptRead[run] = false;
        m_engine->set_sampling(run, command.sampling);
        m_job->run = run;
        m_job->remaining = command.generate;
        m_send(RunForked{id, run, command.parent, command.at, forced.tokens.at(0)});
    });
}

void EngineWorker::edit(JobId id, const EditCommand& command, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        bring(command.parent);
        requireOpen(command.parent);
        engine::RunRequest request;
        request.tokens = command.tokens;
        request.sampling = command.sampling;
        request.reserve = command.generate;
        request.edits = command.edits;
        request.parent = command.parent;
        const engine::RunId run = withRoom([&] { return m_engine->open_run(request); });
        m_promptRead[run] = false;
        m_job->run = run;
        m_job->remaining = command.generate;
        m_job->given.assign(command.tokens.begin() + command.promptTokens, command.tokens.end());
        m_job->promptTokens = command.promptTokens;
        m_send(RunEdited{id, run, command.parent, command.edits});
    });
}

// Their probabilities are the edited model's: not those of the run that they come from.
void EngineWorker::sendGivenSteps() {
    if (m_job->given.empty()) return;
    RestoredRun run;
    run.id = m_job->run;
    run.tokens.resize(static_cast<std::size_t>(m_job->promptTokens));
    engine::Encoding given = m_engine->describe(m_job->given);
    std::move(given.tokens.begin(), given.tokens.end(), std::back_inserter(run.tokens));
    takeSteps(*m_engine, run, m_job->promptTokens, 0, m_job->stop);
    m_send(StepsGiven{run.id, std::move(run.steps)});
}

void EngineWorker::restore(JobId id, const RestoreCommand& command, std::stop_token stop) {
    begin(id, std::move(stop));
    guarded([&] {
        restoreNow(command);
        end(JobEnded::How::Finished);
    });
}

void EngineWorker::slice() {
    guarded([&] {
        const bool& promptRead = m_promptRead.at(m_job->run);
        if (!promptRead)
            readChunk();
        else if (m_job->remaining > 0)
            step();
        if (!m_job) return;  // the step ended the text
        if (promptRead && m_job->remaining == 0) end(JobEnded::How::Finished);
    });
}

void EngineWorker::readChunk() {
    const engine::Progress progress = withRoom([this] {
        return m_engine->prefill_chunk(
            m_job->run, m_job->stop, [this](const engine::Progress& done) { sendProgress(done); });
    });
    if (!m_replaced.empty()) {
        m_send(RunsKept{});
        keep(std::exchange(m_replaced, {}));
    }
    m_promptRead[m_job->run] = progress.finished();
    if (progress.finished()) sendGivenSteps();
    if (progress.finished())
        m_send(PromptRead{m_job->id, m_job->run, progress.done, m_job->seconds()});
    else
        sendProgress(progress);
}

void EngineWorker::step() {
    engine::Step taken =
        withRoom([this] { return m_engine->decode_step(m_job->run, m_job->stop); });
    --m_job->remaining;
    const bool ended = taken.end_of_text;
    m_send(Stepped{m_job->id, std::move(taken)});
    if (ended) end(JobEnded::How::EndOfText);
}

void EngineWorker::sendProgress(const engine::Progress& progress) {
    const Clock::time_point now = Clock::now();
    const bool due = !m_job->lastProgress || now - *m_job->lastProgress >= kProgressEvery;
    if (!due && !progress.finished()) return;
    m_job->lastProgress = now;
    m_send(JobProgress{m_job->id, progress, m_job->seconds()});
}

void EngineWorker::setPaused(JobId id, bool paused) {
    if (!m_job || m_job->id != id) return;
    m_job->paused = paused;
}

void EngineWorker::endCancelled(JobId id) {
    if (m_job && m_job->id == id) end(JobEnded::How::Cancelled);
}

void EngineWorker::inspect(const std::string& path) {
    ModelInspected out{path, {}, {}};
    try {
        out.info = m_source.inspect(path);
    } catch (...) {
        out.failure = currentFailure(path);
    }
    m_send(std::move(out));
}

void EngineWorker::listDevices() {
    DevicesListed out;
    try {
        if (m_source.devices) out.list = m_source.devices();
    } catch (...) {
        out.list.why = currentFailure("engine").line();
    }
    m_send(std::move(out));
}

void EngineWorker::find(const std::string& folder, int levels) {
    ModelsFound out{folder, {}};
    try {
        if (m_source.find) out.models = m_source.find(folder, levels);
    } catch (...) {
        // A cache that nobody has is no fault; of a model in it inspect() says why.
    }
    m_send(std::move(out));
}

void EngineWorker::preview(const std::string& text, const engine::TokenizeOptions& options) {
    if (m_engine) m_send(previewOf(*m_engine, text, options));
}

void EngineWorker::lookUp(const std::string& typed, bool distractor) {
    if (!m_engine) return;
    if (!m_names) m_names = std::make_unique<TokenNames>(*m_engine);
    m_send(m_names->look(typed, distractor));
}

void EngineWorker::end(JobEnded::How how, std::optional<engine::Failure> failure) {
    const JobId id = m_job->id;
    m_job.reset();
    m_send(JobEnded{id, how, std::move(failure)});
}

}  // namespace app
