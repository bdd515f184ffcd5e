// SPDX-License-Identifier: GPL-3.0-or-later
// Exports in work: what they have done so far, Cancel, and how they end. The panel is the run's
// where one is opened or read.
#include <QFileInfo>
#include <utility>

#include "app/view/main_view.h"
#include "ui/window/progress_panel.h"

namespace app {

void MainView::wireExportJob() {
    connect(&m_export, &ExportJob::progressed, this, &MainView::showExportProgress);
    connect(&m_export, &ExportJob::written, this, [this](const std::string& path) {
        log("written: " + path);
        endExport();
        if (std::exchange(m_exportFailed, false)) m_window->messageBar().dismiss();
        const QString said = QStringLiteral("Written: ") + QString::fromStdString(path);
        m_window->setStateText(said);
        tellComposer(said);
    });
    connect(&m_export, &ExportJob::failed, this, [this](const engine::Failure& failure) {
        endExport();
        showExportFailure(failure);
    });
    connect(&m_export, &ExportJob::cancelled, this, [this](const std::string& path) {
        endExport();
        sayCancelled(QString::fromStdString(path));
    });
    connect(&m_views, &TraceViews::figureFailed, this, [this] {
        m_figurePath.clear();
        m_figureIsGrid = false;
        endExport();
        tellComposer(QString());  // failed() says why
    });
    connect(m_window.get(), &ui::MainWindow::progressCancelled, this, [this] {
        if (m_progressIsExport)
            cancelExport();
        else
            m_session.stop();
    });
    connect(m_window.get(), &ui::MainWindow::stopRequested, this, [this] {
        if (ui::isBusy(m_session.state()) || m_session.state() == ui::RunState::Paused)
            m_session.stop();
        else
            cancelExport();
    });
}

bool MainView::isExporting() const {
    return m_export.isWriting() || !m_figurePath.isEmpty();
}

void MainView::beginExport(const QString& path) {
    m_exportName = QFileInfo(path).fileName();
    showExportProgress(0, 0);
}

// A run that began meanwhile took the panel, and gives it back when it ends.
void MainView::showExportProgress(std::int64_t done, std::int64_t total) {
    if (!isExporting()) return;
    const QString part =
        total > 0 ? QStringLiteral(" (%1 %)").arg(100 * done / total) : QStringLiteral("…");
    tellComposer(QStringLiteral("Writing ") + m_exportName + part);
    const bool running = m_window->progressPanel().isRunning();
    if (running && !m_progressIsExport) return;
    if (!running)
        m_window->beginProgress(QStringLiteral("Writing %1").arg(m_exportName),
                                ui::ProgressPanel::Unit::Rows);
    m_progressIsExport = true;
    m_window->setProgress(done, total);
}

void MainView::endExport() {
    if (isExporting() || !std::exchange(m_progressIsExport, false)) return;
    m_window->endProgress();
}

void MainView::cancelExport() {
    m_export.cancel();
    const QString path = std::exchange(m_figurePath, {});
    m_figureIsGrid = false;
    if (path.isEmpty()) return;  // the job says when it has ended
    m_views.dropFigure();
    endExport();
    sayCancelled(path);
}

void MainView::sayCancelled(const QString& path) {
    const QString said = QStringLiteral("Cancelled, not written: ") + path;
    m_window->setStateText(said);
    tellComposer(said);
}

}  // namespace app
