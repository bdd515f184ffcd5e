// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/export_job.h"

#include <utility>

#include "app/threads/engine_worker.h"

namespace app {

ExportJob::ExportJob(QObject* parent)
    : QObject(parent), m_outbox([this](const News& news) { deliver(news); }) {
    m_thread = std::jthread([this](const std::stop_token& quit) { loop(quit); });
}

ExportJob::~ExportJob() = default;

void ExportJob::write(const std::string& path, Work work) {
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back({path, std::move(work), {}});
    }
    ++m_open;
    m_changed.notify_one();
}

void ExportJob::cancel() {
    const std::lock_guard lock(m_mutex);
    m_inWork.request_stop();
    for (Task& task : m_tasks) task.cancel.request_stop();
}

void ExportJob::deliver(const News& news) {
    if (news.progress && news.outcomes.empty())
        Q_EMIT progressed(news.progress->first, news.progress->second);
    for (const Outcome& outcome : news.outcomes) {
        --m_open;
        if (outcome.failure)
            Q_EMIT failed(*outcome.failure);
        else if (outcome.cancelled)
            Q_EMIT cancelled(outcome.path);
        else
            Q_EMIT written(outcome.path);
    }
}

void ExportJob::loop(const std::stop_token& quit) {
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, quit, [this] { return !m_tasks.empty(); })) {
        Task task = std::move(m_tasks.front());
        m_tasks.pop_front();
        m_inWork = task.cancel;
        lock.unlock();
        std::stop_source stop;
        const auto relay = [&stop] { stop.request_stop(); };
        const std::stop_callback byUser(task.cancel.get_token(), relay), byWindow(quit, relay);
        Outcome outcome{task.path, false, {}};
        try {
            if (task.cancel.stop_requested()) throw engine::Cancelled();
            task.work({task.path, task.cancel.get_token(), stop.get_token(),
                       [this](std::int64_t done, std::int64_t total) {
                           m_outbox.post([&](News& news) { news.progress = {done, total}; });
                       }});
        } catch (const engine::Cancelled&) {
            outcome.cancelled = true;  // where the window closes nobody is left to be told
        } catch (...) {
            outcome.failure = currentFailure(task.path);
        }
        task.work = {};  // and what it holds
        m_outbox.post([&](News& news) { news.outcomes.push_back(std::move(outcome)); });
        lock.lock();
    }
}

}  // namespace app
