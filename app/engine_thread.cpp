// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread.h"

#include <utility>

#include "app/engine_worker.h"

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
    : QObject(parent), m_outbox(this, [this](const std::vector<EngineEvent>& news) {
          for (const EngineEvent& event : news) Q_EMIT happened(event);
      }) {
    m_worker = new EngineWorker(std::move(source), [this](EngineEvent event) {
        m_outbox.post([&](std::vector<EngineEvent>& news) { append(news, std::move(event)); });
    });
    m_worker->moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("engine"));
    m_thread.start();
}

EngineThread::~EngineThread() {
    m_stop.request_stop();
    QMetaObject::invokeMethod(m_worker, &EngineWorker::shutDown, Qt::QueuedConnection);
    // Queued behind shutDown, so that nothing else runs after it.
    QMetaObject::invokeMethod(
        m_worker, [thread = &m_thread] { thread->quit(); }, Qt::QueuedConnection);
    m_thread.wait();
    delete m_worker;
}

template <typename Command>
JobId EngineThread::start(Command&& command) {
    m_stop.request_stop();
    m_stop = std::stop_source();
    m_job = JobId(static_cast<std::uint64_t>(m_job) + 1);
    QMetaObject::invokeMethod(
        m_worker,
        [worker = m_worker, id = m_job, stop = m_stop.get_token(),
         command = std::forward<Command>(command)] { command(*worker, id, stop); },
        Qt::QueuedConnection);
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

void EngineThread::pause(bool paused) {
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, id = m_job, paused] { worker->setPaused(id, paused); },
        Qt::QueuedConnection);
}

void EngineThread::cancel() {
    m_stop.request_stop();
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, id = m_job] { worker->endCancelled(id); },
        Qt::QueuedConnection);
}

void EngineThread::inspect(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        QMetaObject::invokeMethod(
            m_worker, [worker = m_worker, path] { worker->inspect(path); }, Qt::QueuedConnection);
}

}  // namespace app
