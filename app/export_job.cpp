// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_job.h"

#include <utility>

#include "app/engine_worker.h"

namespace app {

ExportJob::ExportJob(QObject* parent)
    : QObject(parent), m_outbox([this](const std::vector<Outcome>& news) {
          for (const Outcome& outcome : news) {
              if (outcome.failure)
                  Q_EMIT failed(*outcome.failure);
              else
                  Q_EMIT written(outcome.path);
          }
      }) {
    m_thread = std::jthread([this](const std::stop_token& quit) { loop(quit); });
}

ExportJob::~ExportJob() = default;

void ExportJob::write(const std::string& path, Work work) {
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back({path, std::move(work)});
    }
    m_changed.notify_one();
}

void ExportJob::loop(const std::stop_token& quit) {
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, quit, [this] { return !m_tasks.empty(); })) {
        Task task = std::move(m_tasks.front());
        m_tasks.pop_front();
        lock.unlock();
        Outcome outcome{task.path, {}};
        try {
            task.work(task.path, quit);
        } catch (const engine::Cancelled&) {
            outcome.path.clear();  // the window closes: nobody is to be told
        } catch (...) {
            outcome.failure = currentFailure(task.path);
        }
        task.work = {};  // and what it holds
        m_outbox.post([&](std::vector<Outcome>& news) { news.push_back(std::move(outcome)); });
        lock.lock();
    }
}

}  // namespace app
