// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/cache_job.h"

#include <utility>

#include "app/threads/engine_worker.h"

namespace app {

CacheJob::CacheJob(QObject* parent)
    : QObject(parent), m_outbox([this](const News& news) {
          for (const auto& item : news) {
              if (const auto* failure = std::get_if<engine::Failure>(&item))
                  Q_EMIT failed(*failure);
              else
                  Q_EMIT looked(std::get<std::vector<CacheEntry>>(item));
          }
      }) {
    m_thread = std::jthread([this](const std::stop_token& quit) { loop(quit); });
}

CacheJob::~CacheJob() = default;

void CacheJob::look(const std::string& folder, std::vector<std::string> models, bool empty) {
    {
        const std::lock_guard lock(m_mutex);
        m_request.put({folder, std::move(models), empty});
    }
    m_changed.notify_one();
}

void CacheJob::loop(const std::stop_token& quit) {
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, quit, [this] { return m_request.waiting(); })) {
        const Request request = m_request.take().first;
        lock.unlock();
        News news;
        try {
            if (request.empty) (void)emptyCache(request.folder, request.models);
        } catch (...) {
            news.emplace_back(currentFailure(request.folder));
        }
        try {
            news.emplace_back(cacheEntries(request.folder, request.models));
        } catch (...) {
            news.emplace_back(currentFailure(request.folder));
        }
        m_outbox.post([&](News& all) {
            for (auto& item : news) all.push_back(std::move(item));
        });
        lock.lock();
    }
}

}  // namespace app
