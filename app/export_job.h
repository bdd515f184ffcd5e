// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/latest_request.h"
#include "engine/values/failure.h"

namespace app {

// Encodes and writes files, whole or not at all, on a thread of its own. Lives on the GUI thread;
// pictures that are still to be written when it goes are written first.
class ExportJob : public QObject {
    Q_OBJECT
  public:
    explicit ExportJob(QObject* parent = nullptr);
    ~ExportJob() override;

    // What fills the file at a path, on the thread here. Throws engine::Error, and Cancelled when
    // the token of a window that closes is seen.
    using Work = std::function<void(const std::string& path, std::stop_token)>;
    void write(const std::string& path, Work work);

  Q_SIGNALS:
    void written(const std::string& path);
    void failed(const engine::Failure&);  // no file is left

  private:
    struct Task {
        std::string path;
        Work work;
    };
    struct Outcome {
        std::string path;
        std::optional<engine::Failure> failure;
    };
    void loop(const std::stop_token& quit);

    Outbox<std::vector<Outcome>> m_outbox;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Task> m_tasks;  // under the lock
    std::jthread m_thread;     // last, so that it is joined before the rest goes
};

}  // namespace app
