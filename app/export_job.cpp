// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_job.h"

#include <span>
#include <utility>

#include "app/engine_worker.h"
#include "app/output_file.h"
#include "app/picture_file.h"

namespace app {

namespace {

void writePng(const QImage& picture, const engine::ModelInfo& model, const std::string& path) {
    const QByteArray bytes = pngOf(picture, model, path, "export a shorter run");
    const auto data =
        std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    OutputFile file(path, static_cast<std::int64_t>(data.size()));
    file.writeAt(0, data);
    file.commit();
}

}  // namespace

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

void ExportJob::write(const QImage& picture, const engine::ModelInfo& model,
                      const std::string& path) {
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back({picture, model, path});
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
            writePng(task.picture, task.model, task.path);
        } catch (...) {
            outcome.failure = currentFailure(task.path);
        }
        task.picture = {};
        m_outbox.post([&](std::vector<Outcome>& news) { news.push_back(std::move(outcome)); });
        lock.lock();
    }
}

}  // namespace app
