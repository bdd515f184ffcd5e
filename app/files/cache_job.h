// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "app/files/cache_folder.h"
#include "app/threads/latest_request.h"
#include "engine/values/failure.h"

namespace app {

// Looks through the cache folder and empties it, on a thread of its own. Lives on the GUI thread.
class CacheJob : public QObject {
    Q_OBJECT
  public:
    explicit CacheJob(QObject* parent = nullptr);
    ~CacheJob() override;

    // `models`: paths of open models, which are kept. `empty` first, then what is left is measured.
    void look(const std::string& folder, std::vector<std::string> models, bool empty);

  Q_SIGNALS:
    void looked(const std::vector<app::CacheEntry>&);
    void failed(const engine::Failure&);  // to empty it; looked() follows

  private:
    struct Request {
        std::string folder;
        std::vector<std::string> models;
        bool empty = false;
    };
    using News = std::vector<std::variant<std::vector<CacheEntry>, engine::Failure>>;
    void loop(const std::stop_token& quit);

    Outbox<News> m_outbox;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    LatestRequest<Request> m_request;  // under the lock
    std::jthread m_thread;             // last, so that it is joined before the rest goes
};

}  // namespace app
