// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/engine_thread.h"

#include <utility>

#include "app/threads/compute_thread.h"
#include "app/threads/engine_worker.h"

namespace app {

namespace {

// Progress is the only event that may come in any number; the newest of a row of them says it all.
void append(std::vector<EngineEvent>& news, EngineEvent event) {
    if (!news.empty() && std::holds_alternative<JobProgress>(event) &&
        std::holds_alternative<JobProgress>(news.back()))
        news.back() = std::move(event);
    else
        news.push_back(std::move(event));
}

}  // namespace

EngineThread::EngineThread(EngineSource source, QObject* parent)
    : QObject(parent), m_outbox([this](const std::vector<EngineEvent>& news) {
          for (const EngineEvent& event : news) Q_EMIT happened(event);
      }) {
    m_thread = std::jthread(
        [this, source = std::move(source)](const std::stop_token& quit) { loop(source, quit); });
}

EngineThread::~EngineThread() {
    m_stop.request_stop();
}

void EngineThread::loop(EngineSource source, const std::stop_token& quit) {
    becomeComputeThread();
    EngineWorker worker(std::move(source), [this](EngineEvent event) {
        m_outbox.post([&](std::vector<EngineEvent>& news) { append(news, std::move(event)); });
    });
    while (!quit.stop_requested()) {
        std::vector<Command> commands;
        {
            std::unique_lock lock(m_mutex);
            if (!worker.hasWork())
                m_changed.wait(lock, quit,
                               [this] { return !m_commands.empty() || !m_background.empty(); });
            commands.swap(m_commands);
            if (commands.empty() && !worker.hasWork() && !m_background.empty()) {
                commands.push_back(std::move(m_background.front()));
                m_background.pop_front();
            }
        }
        if (quit.stop_requested()) return;
        for (const Command& command : commands) command(worker);
        if (worker.hasWork()) worker.slice();
    }
}

void EngineThread::send(Command command) {
    {
        const std::lock_guard lock(m_mutex);
        m_commands.push_back(std::move(command));
    }
    m_changed.notify_one();
}

template <typename Start>
JobId EngineThread::start(Start&& start) {
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_job = JobId(static_cast<std::uint64_t>(m_job) + 1);
    send([id = m_job, stop = m_stop.get_token(),
          start = std::forward<Start>(start)](EngineWorker& worker) { start(worker, id, stop); });
    return m_job;
}

JobId EngineThread::open(const engine::OpenRequest& request) {
    return start([request](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.open(id, request, stop);
    });
}

JobId EngineThread::run(const RunCommand& command) {
    return start([command](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.run(id, command, stop);
    });
}

JobId EngineThread::goOn(const GoOnCommand& command) {
    return start([command](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.goOn(id, command, stop);
    });
}

JobId EngineThread::fork(const ForkCommand& command) {
    return start([command](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.fork(id, command, stop);
    });
}

JobId EngineThread::edit(const EditCommand& command) {
    return start([command](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.edit(id, command, stop);
    });
}

JobId EngineThread::restore(const RestoreCommand& command) {
    return start([command](EngineWorker& worker, JobId id, const std::stop_token& stop) {
        worker.restore(id, command, stop);
    });
}

void EngineThread::pause(bool paused) {
    send([id = m_job, paused](EngineWorker& worker) { worker.setPaused(id, paused); });
}

void EngineThread::cancel() {
    m_stop.request_stop();
    send([id = m_job](EngineWorker& worker) { worker.endCancelled(id); });
}

void EngineThread::listDevices() {
    send([](EngineWorker& worker) { worker.listDevices(); });
}

void EngineThread::inspect(const std::vector<std::string>& paths) {
    std::vector<Command> commands;
    commands.reserve(paths.size());
    for (const std::string& path : paths)
        commands.push_back([path](EngineWorker& worker) { worker.inspect(path); });
    sendToBackground(std::move(commands));
}

void EngineThread::find(const std::string& folder, int levels) {
    sendToBackground({[folder, levels](EngineWorker& worker) { worker.find(folder, levels); }});
}

void EngineThread::preview(const std::string& text, const engine::TokenizeOptions& options) {
    sendToBackground({[this, text, options, number = ++m_newestPreview](EngineWorker& worker) {
        if (number == m_newestPreview) worker.preview(text, options);
    }});
}

void EngineThread::lookUp(const std::string& typed, bool distractor) {
    auto& newest = m_newestLookUp[distractor ? 1 : 0];
    send([&newest, typed, distractor, number = ++newest](EngineWorker& worker) {
        if (number == newest) worker.lookUp(typed, distractor);
    });
}

void EngineThread::sendToBackground(std::vector<Command> commands) {
    {
        const std::lock_guard lock(m_mutex);
        for (Command& command : commands) m_background.push_back(std::move(command));
    }
    m_changed.notify_one();
}

}  // namespace app
