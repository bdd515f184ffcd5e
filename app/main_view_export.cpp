// SPDX-License-Identifier: GPL-3.0-or-later
// The current heatmap and bars as pictures.
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <utility>

#include "app/engine_worker.h"
#include "app/main_view.h"
#include "ui/contribution_bars.h"
#include "ui/contribution_figure.h"
#include "ui/head_heatmap.h"
#include "ui/head_page.h"
#include "ui/painting/figure.h"
#include "ui/scale_column.h"
#include "ui/token_strip.h"

namespace app {

namespace {

constexpr double kScale = 2;  // pixels a logical pixel: sharp in print at a column's width

QString folderKey() {
    return QStringLiteral("export/folder");
}

// What a file system takes as a name.
QString fileName(QString text) {
    for (QChar& c : text)
        if (!c.isLetterOrNumber() && c != QLatin1Char('.') && c != QLatin1Char('-'))
            c = QLatin1Char('_');
    return text + QStringLiteral(".png");
}

}  // namespace

void MainView::wireExport() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::exportHeatmapRequested, this, [this] {
        if (!m_session.hasRun() || m_session.run().rows == 0) return;
        const engine::LayerHead at = m_session.selection().at;
        const QString name = QStringLiteral("%1-L%2.H%3")
                                 .arg(QString::fromStdString(m_session.model()->name))
                                 .arg(engine::to_int(at.layer))
                                 .arg(engine::to_int(at.head));
        choosePath(QStringLiteral("Export the heatmap"), fileName(name),
                   [this](const QString& path) {
                       m_heatmapPath = path;
                       m_views.requestFigure(ui::figureAxis(m_session.run().rows, 1, kScale));
                   });
    });
    connect(&m_views, &TraceViews::figureReady, this, &MainView::drawHeatmap);
    connect(window, &ui::MainWindow::exportBarsRequested, this, [this] {
        if (!m_window->contributionBars().hasTable()) return;
        const QString name = QStringLiteral("%1-bars-%2")
                                 .arg(QString::fromStdString(m_session.model()->name))
                                 .arg(engine::to_int(m_session.selection().dest));
        choosePath(QStringLiteral("Export the bars"), fileName(name),
                   [this](const QString& path) { drawBars(path); });
    });
    connect(&m_export, &ExportJob::written, this, [this](const std::string& path) {
        log("written: " + path);
        m_window->setStateText(QStringLiteral("Written: ") + QString::fromStdString(path));
    });
    connect(&m_export, &ExportJob::failed, this, &MainView::showFailure);
}

void MainView::choosePath(const QString& title, const QString& name,
                          std::function<void(QString)> then) {
    auto* dialog = new QFileDialog(m_window.get(), title);
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(QStringLiteral("PNG picture (*.png)"));
    dialog->setDefaultSuffix(QStringLiteral("png"));
    // Without a folder that is there Qt would list the drives, where nothing can be saved.
    const QString folder = m_settings.value(folderKey()).toString();
    dialog->setDirectory(QFileInfo(folder).isDir() ? folder : QDir::homePath());
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, then = std::move(then)](const QString& path) {
                m_settings.setValue(folderKey(), QFileInfo(path).absolutePath());
                then(path);
            });
    dialog->show();
}

QString MainView::figureTitle() const {
    return QString::fromStdString(m_session.model()->name);
}

void MainView::drawHeatmap(const engine::Tile& tile) {
    if (m_heatmapPath.isEmpty()) return;
    const std::string path = QFile::encodeName(std::exchange(m_heatmapPath, {})).toStdString();
    const RunView& run = m_session.run();
    const auto layer = static_cast<std::size_t>(engine::to_int(tile.request.heads.front().layer));
    ui::HeadFigure figure;
    figure.panels = {
        {tile.request.heads.front(), tile, 0, m_session.model()->attention[layer].window, {}}};
    const auto rows = static_cast<std::ptrdiff_t>(tile.request.dest.end);
    figure.tokens.assign(run.tokens.begin(), run.tokens.begin() + rows);
    figure.choice = m_page->scaleColumn().choice();
    figure.title = figureTitle();
    if (tile.request.quantity == engine::Quantity::Attribution)
        figure.title += QStringLiteral(" · target ") + textOf(tile.request.target);
    try {
        m_export.write(ui::renderHeadFigure(figure, kScale), *m_session.model(), path);
    } catch (...) {
        showFailure(currentFailure(path));
    }
}

void MainView::drawBars(const QString& path) {
    const ui::ContributionBars& bars = m_window->contributionBars();
    ui::ContributionFigure figure;
    figure.table = bars.table();
    figure.measure = bars.measure();
    figure.focus = m_session.selection().at;
    figure.kvHeads = m_session.model()->kv_heads;
    figure.model = figureTitle();
    figure.positionText = m_window->tokenStrip().label(figure.table.position);
    figure.targetText = bars.targetText();
    figure.distractorText = bars.distractorText();
    m_export.write(ui::render(figure, ui::figureSize(figure), kScale), *m_session.model(),
                   QFile::encodeName(path).toStdString());
}

}  // namespace app
