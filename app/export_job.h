// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QObject>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/latest_request.h"
#include "engine/values/failure.h"
#include "engine/values/model_info.h"

namespace app {

// Encodes pictures and writes them, whole or not at all, on a thread of its own. Lives on the GUI
// thread; pictures that are still to be written when it goes are written first.
class ExportJob : public QObject {
    Q_OBJECT
  public:
    explicit ExportJob(QObject* parent = nullptr);
    ~ExportJob() override;

    // As PNG. `model` is named in it.
    void write(const QImage& picture, const engine::ModelInfo& model, const std::string& path);

  Q_SIGNALS:
    void written(const std::string& path);
    void failed(const engine::Failure&);  // no file is left

  private:
    struct Task {
        QImage picture;
        engine::ModelInfo model;
        std::string path;
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
