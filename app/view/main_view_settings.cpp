// SPDX-License-Identifier: GPL-3.0-or-later
// The settings: how models are opened, and the cache folder.
#include <QSettings>
#include <algorithm>
#include <thread>

#include "app/command_line/arguments.h"
#include "app/command_line/cli_text.h"
#include "app/files/cache_folder.h"
#include "app/view/main_view.h"
#include "ui/window/settings_dialog.h"

namespace app {

namespace {

using Dialog = ui::SettingsDialog;
constexpr std::int64_t kMega = 1'000'000;

QString key(const char* name) {
    return QStringLiteral("engine/") + QLatin1String(name);
}

bool isDevice(const QString& text) {
    if (text == QLatin1String("auto") || text == QLatin1String("cpu")) return true;
    const auto number = text.startsWith(QLatin1String("cuda:"))
                            ? parseUnsigned(text.mid(5).toStdString())
                            : std::nullopt;
    return number && *number < 1000;
}

// Whatever the file holds: a value that makes no sense is left at its default.
ui::SettingsValues read(const QSettings& settings) {
    ui::SettingsValues values;
    const QString device = settings.value(key("device")).toString();
    if (isDevice(device)) values.device = device;
    const int threads = settings.value(key("threads")).toInt();
    if (threads > 0 && threads <= Dialog::mostThreads) values.threads = threads;
    const int memory = settings.value(key("memoryMb")).toInt();
    if (memory >= Dialog::leastMemoryMb && memory <= Dialog::mostMemoryMb) values.memoryMb = memory;
    return values;
}

engine::OpenRequest requestOf(const ui::SettingsValues& values) {
    engine::OpenRequest request;
    request.device = values.device.toStdString();
    request.threads = values.threads;
    request.memory_limit = values.memoryMb * kMega;
    return request;
}

QString noteOf(CacheEntry::State state) {
    switch (state) {
        case CacheEntry::State::Removable: return QStringLiteral("removed");
        case CacheEntry::State::InUse: return QStringLiteral("kept: in use");
        case CacheEntry::State::Foreign: return QStringLiteral("kept: not Headscope's");
    }
    return {};
}

}  // namespace

void MainView::wireSettings() {
    applySettings();
    connect(m_window.get(), &ui::MainWindow::settingsRequested, this, &MainView::showSettings);
    connect(&m_session, &Session::devicesListed, this, [this](const engine::DeviceList& list) {
        if (!m_settingsDialog) return;
        QList<Dialog::Device> devices;
        for (const engine::DeviceInfo& gpu : list.gpus)
            devices << Dialog::Device{
                QString::fromStdString(gpu.id),
                QStringLiteral("%1, %2").arg(QString::fromStdString(oneLine(gpu.name)),
                                             QString::fromStdString(humanBytes(gpu.memory)))};
        m_settingsDialog->setDevices(devices, QString::fromStdString(list.why));
        // Only now: the engine's own libraries, which may lie in the cache, are open and so in use.
        lookIntoCache(false);
    });
    connect(&m_cache, &CacheJob::looked, this, &MainView::showCache);
    connect(&m_cache, &CacheJob::failed, this, &MainView::showFailure);
}

ui::SettingsValues MainView::openSettings() const {
    ui::SettingsValues values = read(m_settings);
    if (m_start.device) {
        values.device = QString::fromStdString(*m_start.device);
        if (values.device == QLatin1String("cuda")) values.device = QStringLiteral("cuda:0");
    }
    if (m_start.threads) values.threads = *m_start.threads;
    return values;
}

void MainView::applySettings() {
    engine::OpenRequest request = requestOf(openSettings());
    request.dtype = m_start.dtype;
    m_session.setOpenOptions(request);
}

void MainView::showSettings() {
    if (m_settingsDialog) {
        m_settingsDialog->raise();
        return m_settingsDialog->activateWindow();
    }
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    m_settingsDialog = new Dialog(openSettings(), cores, m_window.get());
    connect(m_settingsDialog, &Dialog::valuesChosen, this,
            [this](const ui::SettingsValues& chosen) {
                if (chosen == openSettings()) return;
                m_settings.setValue(key("device"), chosen.device);
                m_settings.setValue(key("threads"), chosen.threads);
                m_settings.setValue(key("memoryMb"), chosen.memoryMb);
                m_start.device.reset();
                m_start.threads.reset();
                applySettings();
                m_window->setStateText(
                    QStringLiteral("Settings kept: they hold from the next model on"));
            });
    connect(m_settingsDialog, &Dialog::emptyCacheRequested, this, [this] { lookIntoCache(true); });
    m_session.listDevices();
    m_settingsDialog->show();
}

void MainView::lookIntoCache(bool empty) {
    std::vector<std::string> models;
    if (m_session.model()) models.push_back(m_session.model()->path);
    if (!m_session.loadingPath().empty()) models.push_back(m_session.loadingPath());
    m_cache.look(cacheFolder(), models, empty);
}

void MainView::showCache(const std::vector<CacheEntry>& entries) {
    if (!m_settingsDialog) return;
    QList<Dialog::CacheRow> rows;
    std::int64_t total = 0, removable = 0;
    for (const CacheEntry& entry : entries) {
        rows << Dialog::CacheRow{QString::fromStdString(oneLine(entry.name)),
                                 QString::fromStdString(humanBytes(entry.bytes)),
                                 noteOf(entry.state)};
        total += entry.bytes;
        if (entry.state == CacheEntry::State::Removable) removable += entry.bytes;
    }
    const bool some = std::any_of(entries.begin(), entries.end(), [](const CacheEntry& entry) {
        return entry.state == CacheEntry::State::Removable;
    });
    m_settingsDialog->setCache(QString::fromStdString(cacheFolder()), rows,
                               QString::fromStdString(humanBytes(total)),
                               some ? QString::fromStdString(humanBytes(removable)) : QString());
}

}  // namespace app
