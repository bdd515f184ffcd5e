// SPDX-License-Identifier: GPL-3.0-or-later
// A session computed again: all of it, or what was there stays.
#include <utility>

#include "app/threads/engine_worker.h"

namespace app {

void EngineWorker::restoreNow(const RestoreCommand& command) {
    using Kind = engine::Failure::Kind;
    const JobId id = m_job->id;
    const SavedSession& session = command.session;
    // Headers are enough to refuse what cannot be.
    const engine::ModelInfo file = m_source.inspect(command.model.path);
    if (!file.supported) throw engine::Error(Kind::Unsupported, file.reason, file.path);
    checkSession(session, file, command.file);

    const bool isOpen =
        m_engine && m_engine->info().path == file.path && m_engine->info().hash == file.hash;
    const auto progress = [this](const engine::Progress& done) { sendProgress(done); };
    std::unique_ptr<engine::Engine> fresh;
    if (!isOpen) fresh = m_source.open(command.model, progress, m_job->stop);
    engine::Engine& engine = fresh ? *fresh : *m_engine;
    m_send(RunsRestoring{id});
    m_job->lastProgress.reset();

    RestoredRuns computed;
    const auto compute = [&] { return computeRuns(engine, session, progress, m_job->stop); };
    try {
        computed = fresh ? compute() : withRoom(compute);
    } catch (const engine::Error& error) {
        if (error.failure().kind != Kind::OutOfMemory || fresh || m_promptRead.empty()) throw;
        // Only together with the runs on screen they do not fit.
        closeRuns();
        m_send(RunClosed{id});
        computed = compute();
    }
    std::optional<ModelOpened> opened;
    if (fresh) {
        m_promptRead.clear();
        m_replaced.clear();
        m_kept.clear();
        m_names.reset();
        m_engine = std::move(fresh);
        opened = ModelOpened{id, m_engine->info(), m_engine->reader(), m_job->seconds()};
    } else {
        // Not a row of what replaces others, which is nothing to come back to.
        if (!m_replaced.empty()) {
            for (const auto& [run, read] : m_promptRead) m_engine->close_run(run);
            m_promptRead = std::exchange(m_replaced, {});
        }
        keep(std::exchange(m_promptRead, {}));
    }
    for (const RestoredRuns& beside : computed.beside) {
        Runs runs;
        for (const RestoredRun& run : beside.runs) runs[run.id] = true;
        keep(std::move(runs));
    }
    for (const RestoredRun& run : computed.runs) m_promptRead[run.id] = true;
    const bool differs = session.model.hash != file.hash;
    m_send(SessionRestored{id, session, std::move(computed), command.file, std::move(opened),
                           differs});
}

}  // namespace app
