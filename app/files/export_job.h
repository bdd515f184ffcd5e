// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/threads/latest_request.h"
#include "engine/values/failure.h"

namespace app {

// Encodes and writes files, whole or not at all, on a thread of its own. Lives on the GUI thread;
// pictures that are still to be written when it goes are written first.
class ExportJob : public QObject {
    Q_OBJECT
  public:
    explicit ExportJob(QObject* parent = nullptr);
    ~ExportJob() override;

    struct Order {
        std::string path;
        std::stop_token cancel;  // by the user
        std::stop_token stop;    // that, or the window closes
        std::function<void(std::int64_t done, std::int64_t total)> report;
    };
    // What fills the file of an order, on the thread here. Throws engine::Error, and Cancelled when
    // it sees one of the tokens.
    using Work = std::function<void(const Order&)>;
    void write(const std::string& path, Work work);
    void cancel();  // the file in work and those that wait
    bool isWriting() const { return m_open > 0; }

  Q_SIGNALS:
    void progressed(std::int64_t done, std::int64_t total);  // of the file in work
    void written(const std::string& path);
    void failed(const engine::Failure&);  // no file is left
    void cancelled(const std::string& path);

  private:
    struct Task {
        std::string path;
        Work work;
        std::stop_source cancel;
    };
    struct Outcome {
        std::string path;
        bool cancelled = false;
        std::optional<engine::Failure> failure;
    };
    struct News {
        std::vector<Outcome> outcomes;
        std::optional<std::pair<std::int64_t, std::int64_t>> progress;
    };
    void deliver(const News&);
    void loop(const std::stop_token& quit);

    int m_open = 0;  // orders without an outcome
    Outbox<News> m_outbox;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Task> m_tasks;   // under the lock, as the next
    std::stop_source m_inWork;  // of the task that was taken last
    std::jthread m_thread;      // last, so that it is joined before the rest goes
};

}  // namespace app
