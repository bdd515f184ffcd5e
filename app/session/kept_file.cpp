// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/kept_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <exception>
#include <span>
#include <utility>

#include "app/files/output_file.h"

namespace app {

KeptFile::KeptFile(const QSettings& settings, const QString& ending) {
    const QFileInfo file(settings.fileName());
    m_path = file.absolutePath() + u'/' + file.completeBaseName() + ending;
}

KeptFile::~KeptFile() {
    m_thread.request_stop();
}

void KeptFile::write(Text text) {
    {
        const std::lock_guard lock(m_mutex);
        m_next = std::move(text);
    }
    m_changed.notify_all();
    if (!m_thread.joinable())
        m_thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

void KeptFile::wait() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_next && !m_writing; });
}

void KeptFile::loop(const std::stop_token& stop) {
    for (;;) {
        Text text;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, stop, [this] { return bool(m_next); });
            if (!m_next) return;  // asked to stop, and all is written
            text = std::exchange(m_next, nullptr);
            m_writing = true;
        }
        try {
            const std::string bytes = text();
            QDir().mkpath(QFileInfo(m_path).absolutePath());
            OutputFile file(QFile::encodeName(m_path).toStdString(),
                            static_cast<std::int64_t>(bytes.size()));
            file.writeAt(0, std::as_bytes(std::span(bytes)));
            file.commit();
        } catch (const std::exception&) {
            // A full disk costs what is newer than the file, not what is on screen.
        }
        {
            const std::lock_guard lock(m_mutex);
            m_writing = false;
        }
        m_changed.notify_all();
    }
}

}  // namespace app
