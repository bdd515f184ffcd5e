// SPDX-License-Identifier: GPL-3.0-or-later
// Several heads composed to one figure: a dialog beside the window, which shows it as it will be.
#include <QClipboard>
#include <QGuiApplication>
#include <QSettings>
#include <algorithm>
#include <utility>

#include "app/files/figure_command.h"
#include "app/view/main_view.h"
#include "ui/composer/figure_composer.h"
#include "ui/composer/figure_preview.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/figure_layout.h"
#include "ui/widgets/drawing.h"

namespace app {

namespace {

constexpr double kMostComposedScale = 3;  // of the preview
constexpr int kComposeDelay = 30;         // ms: keys and a window that is dragged larger

QString composeKey(const char* name) {
    return QStringLiteral("figure/") + QLatin1String(name);
}

// Whatever the file holds; the dialog takes what it offers.
ui::FigureWish rememberedWish(const QSettings& settings) {
    ui::FigureWish wish;
    wish.page.letters = settings.value(composeKey("letters"), true).toBool();
    wish.page.transparent = settings.value(composeKey("transparent")).toBool();
    wish.page.columns = std::clamp(settings.value(composeKey("columns")).toInt(), 0, 24);
    const int labels = settings.value(composeKey("labels"), 1).toInt();
    wish.page.labels = static_cast<ui::FigureLabels>(std::clamp(labels, 0, 2));
    const QString size = settings.value(composeKey("size")).toString();
    if (ui::pageSizeOf(size.toStdString()) || size.toDouble() >= ui::leastPageMm) wish.size = size;
    wish.dpi = settings.value(composeKey("dpi"), wish.dpi).toInt();
    if (settings.value(composeKey("dark")).toBool()) wish.scheme = ui::Scheme::Dark;
    return wish;
}

void rememberWish(QSettings& settings, const ui::FigureWish& wish) {
    settings.setValue(composeKey("letters"), wish.page.letters);
    settings.setValue(composeKey("transparent"), wish.page.transparent);
    settings.setValue(composeKey("columns"), wish.page.columns);
    settings.setValue(composeKey("labels"), static_cast<int>(wish.page.labels));
    settings.setValue(composeKey("size"), wish.size);
    settings.setValue(composeKey("dpi"), wish.dpi);
    settings.setValue(composeKey("dark"), wish.scheme == ui::Scheme::Dark);
}

FigureLook lookOf(const ui::FigureWish& wish) {
    return {wish.page, wish.scheme, wish.title, {}, wish.dpi / 96.0};
}

}  // namespace

void MainView::wireComposer() {
    connect(m_window.get(), &ui::MainWindow::composeRequested, this, &MainView::composeFigure);
    m_composing.setSingleShot(true);
    m_composing.setInterval(kComposeDelay);
    connect(&m_composing, &QTimer::timeout, this, &MainView::showComposed);
    connect(&m_views, &TraceViews::composedReady, this, &MainView::drawComposed);
    connect(&m_pins, &Pins::changed, this, [this] {
        if (m_composer) m_composer->setPinned(m_pins.heads());
    });
    connect(&m_session, &Session::selectionChanged, this, [this](const ui::Selection& selection) {
        if (m_composer) m_composer->setFocused(selection.at);
    });
    connect(&m_session, &Session::modelOpened, this, [this] {
        if (!m_composer) return;
        m_composer->setModel(*m_session.model());
        m_composer->setDefaultTitle(figureTitle());
    });
    // What the map shows, it shows as well.
    connect(&m_views, &TraceViews::mapReady, this, &MainView::followComposer);
    connect(&m_page->scaleColumn(), &ui::ScaleColumn::scaleChanged, this,
            &MainView::followComposer);
    connect(m_window.get(), &ui::MainWindow::schemeChanged, this,
            &MainView::followComposer);  // or another palette
    connect(&m_session, &Session::runOpened, this, &MainView::followComposer);
    connect(&m_session, &Session::runClosed, this, &MainView::followComposer);
}

void MainView::composeFigure() {
    if (!m_session.hasRun() || m_session.run().rows == 0) return;
    if (m_composer) {
        m_composer->raise();
        return m_composer->activateWindow();
    }
    ui::FigureWish wish = rememberedWish(m_settings);
    wish.heads = m_pins.heads();
    if (wish.heads.empty()) wish.heads = {m_session.selection().at};
    m_composer = new ui::FigureComposer(*m_session.model(), wish, m_window.get());
    m_composer->setDefaultTitle(figureTitle() + runTitle(m_session.run()));
    m_composer->setPinned(m_pins.heads());
    m_composer->setFocused(m_session.selection().at);
    connect(m_composer, &ui::FigureComposer::changed, this, &MainView::followComposer);
    connect(m_composer, &ui::FigureComposer::exportRequested, this, &MainView::exportComposed);
    connect(m_composer, &ui::FigureComposer::commandRequested, this, &MainView::copyCommand);
    connect(m_composer, &QDialog::finished, this, [this] {
        rememberWish(m_settings, m_composer->wish());
        m_composing.stop();
        m_views.dropComposed();
    });
    m_composer->show();
}

void MainView::followComposer() {
    if (m_composer && m_session.hasRun())
        m_composer->setDefaultTitle(figureTitle() + runTitle(m_session.run()));
    if (m_composer && !m_composing.isActive()) m_composing.start();
}

// What the file's title says without being told, so that preview, file and command say the same.
ui::FigureWish MainView::composedWish() const {
    ui::FigureWish wish = m_composer->wish();
    const QString run = runTitle(m_session.run());
    if (!wish.title && !run.isEmpty()) wish.title = figureTitle() + run;
    return wish;
}

void MainView::tellComposer(const QString& text) {
    if (m_composer) m_composer->setStatus(text);
}

void MainView::tellComposer(const engine::Failure& failure) {
    QString text = QString::fromStdString(failure.what);
    if (!failure.where.empty())
        text += QStringLiteral(": ") + QString::fromStdString(failure.where);
    if (!failure.hint.empty())
        text += QStringLiteral(". Remedy: ") + QString::fromStdString(failure.hint);
    tellComposer(text);
}

// The figure without its tiles, and these asked for. It is measured and described as the PNG that
// would be written; only what is painted is coarser or finer.
void MainView::showComposed() {
    if (!m_composer) return;
    const ui::FigureWish wish = composedWish();
    if (wish.heads.empty()) return m_views.dropComposed();  // it says what is typed wrongly
    const RunView& run = m_session.run();
    if (!m_session.hasRun() || run.rows == 0) {
        m_views.dropComposed();
        return m_composer->setProblem(QStringLiteral("No prompt is read yet"));
    }
    m_composed =
        headFigure(wish.heads, *m_session.model(), run.tokens, run.rows, unitsOf(run.rows));
    m_composed->page = wish.page;
    m_composed->title = wish.title.value_or(figureTitle());
    try {
        ui::checkPixels(ui::headFigureSize(*m_composed), lookOf(wish).zoom);
        m_composed->noted = m_views.tileOfFigure({run.id, {}, {}}, wish.heads,
                                                 ui::figureAxes(*m_composed, lookOf(wish).zoom));
        dress(*m_composed, *m_composed->noted, lookOf(wish));
        const QSizeF size = ui::headFigureSize(*m_composed), room = m_composer->preview().room();
        m_composedScale = std::min(
            {room.width() / size.width(), room.height() / size.height(), kMostComposedScale});
        m_views.requestComposed(wish.heads, ui::figureAxes(*m_composed, m_composedScale));
    } catch (const engine::Error& error) {
        const engine::Failure& failure = error.failure();
        m_views.dropComposed();
        m_composer->setProblem(QString::fromStdString(failure.what + ". Remedy: " + failure.hint));
    }
}

void MainView::drawComposed(const std::vector<engine::Tile>& tiles) {
    if (!m_composer || !m_composed || !setTiles(*m_composed, tiles)) return;
    const engine::TileRequest& request = tiles.front().request;
    dress(*m_composed, request, lookOf(composedWish()));
    m_composer->setShows(ui::mapTitle(request.quantity, request.renormalized, m_composed->units) +
                         QStringLiteral(", ") + ui::scaleNote(*m_composed));
    try {
        const QImage picture = ui::renderHeadFigure(*m_composed, m_composedScale);
        m_composer->setPicture(picture, ui::headFigureSize(*m_composed));
    } catch (const engine::Error& error) {
        m_composer->setProblem(QString::fromStdString(error.failure().what));
    }
}

void MainView::exportComposed() {
    const ui::FigureWish wish = composedWish();
    rememberWish(m_settings, wish);
    choosePath(QStringLiteral("Export the figure"),
               fileNameOf(figureTitle() + QStringLiteral("-figure")),
               [this, wish](const QString& path) { exportHeads(path, wish.heads, lookOf(wish)); });
}

void MainView::copyCommand() {
    if (!m_composed || m_composed->panels.empty()) return;
    FigureCommand command;
    command.model = *m_session.model();
    command.run = m_session.run();
    command.wish = composedWish();
    command.figure = *m_composed;
    command.request = m_composed->panels.front().tile.request;
    command.out = fileNameOf(figureTitle() + QStringLiteral("-figure")).toStdString();
    const std::string why = whyNoCommand(command);
    if (!why.empty()) {
        const QString said = QStringLiteral("There is no command for this figure: %1.")
                                 .arg(QString::fromStdString(why));
        tellComposer(said);
        return m_window->showMessage({ui::Message::Severity::Warn, said, {}, {}, {}});
    }
    QGuiApplication::clipboard()->setText(QString::fromStdString(commandOf(command)));
    const QString said = QStringLiteral("Copied: the command that writes this figure");
    tellComposer(said);
    m_window->setStateText(said);
}

}  // namespace app
