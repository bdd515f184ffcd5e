// SPDX-License-Identifier: GPL-3.0-or-later
// The view onto the clipboard: as the export draws it, and as a program.
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <algorithm>

#include "app/files/code_snippet.h"
#include "app/threads/engine_worker.h"
#include "app/view/main_view.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/drawing.h"

namespace app {

namespace {

constexpr double kScale = 2;              // as an exported PNG
constexpr int kMostLabelCharacters = 24;  // of a span, in a program

}  // namespace

void MainView::wireCopy() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::copyHeatmapRequested, this, [this] {
        if (!m_session.hasRun() || m_session.run().rows == 0) return;
        if (m_figureIsGrid) cancelExport();  // it waited for the figure that is asked now
        m_figureToClipboard = true;
        m_copiedPart.reset();
        if (m_window->isCompareShown() && m_compare.pair()) {  // what is in front
            const MapData data = differenceOfPair();
            m_figureUnits = {};
            const engine::Axis axis = ui::figureAxis(data.rows, 1, kScale);
            takePlaces(m_compare.alignment() != nullptr);
            if (data.rows > 0)
                return m_views.requestFigure({data.run, data.minus, {}, m_compare.alignment()},
                                             data.heads, {axis, axis});
        }
        copyMap();
    });
    connect(window, &ui::MainWindow::copyCodeRequested, this, &MainView::copyCode);
}

// What is seen of it. A file that waits for the whole as well is answered by the same figure.
void MainView::copyMap() {
    const RunView& run = m_session.run();
    const std::vector<engine::LayerHead> heads{m_session.selection().at};
    const ui::MapGeometry& map = m_page->heatmap().geometry();
    m_figureUnits = unitsOf(run.rows);
    if (m_figurePath.isEmpty() && !map.isEmpty() && !map.isWhole()) m_copiedPart = map.view();
    ui::HeadFigure shape =
        headFigure(heads, *m_session.model(), run.tokens, run.rows, m_figureUnits);
    shape.part = m_copiedPart;
    try {
        m_views.requestFigure({run.id, {}}, heads, ui::figureAxes(shape, kScale));
    } catch (...) {
        m_figureToClipboard = false;
        showFailure(currentFailure("clipboard"));
    }
}

void MainView::copyPicture(const ui::Drawing& drawing) {
    try {
        const QImage picture = drawing.raster(kScale);
        if (picture.isNull())
            throw engine::Error(engine::Failure::Kind::OutOfMemory,
                                "the picture cannot be drawn at this size", "clipboard",
                                "export a shorter run");
        QGuiApplication::clipboard()->setImage(picture);
        m_window->setStateText(
            QStringLiteral("Copied: a picture of %1 × %2 pixels%3")
                .arg(picture.width())
                .arg(picture.height())
                .arg(m_copiedPart ? QStringLiteral(", of what is in view") : QString()));
    } catch (...) {
        showFailure(currentFailure("clipboard"));
    }
}

void MainView::copyCode(bool nnsight) {
    if (!m_session.hasRun() || m_session.run().rows == 0) return;
    const RunView& run = m_session.run();
    const ui::Selection& selection = m_session.selection();
    SnippetView view;
    view.model = *m_session.model();
    view.prompt = run.prompt;
    view.edited = !run.edits.empty();
    const ui::MapUnits units = unitsOf(run.rows);
    for (std::int64_t i = 0; i < run.rows; ++i) {
        view.tokens.push_back(run.tokens[static_cast<std::size_t>(i)].id);
        if (units.areTokens())
            view.labels.push_back(m_window->tokenStrip().label(engine::Position(i)).toStdString());
    }
    for (std::int64_t u = 0; u < units.spans(); ++u) {
        const engine::Rows span = units.tokensOf(u);
        QString label;
        for (std::int64_t i = span.begin; i < span.end; ++i)
            label += ui::visibleToken(run.tokens[static_cast<std::size_t>(i)].bytes);
        view.labels.push_back(label.left(kMostLabelCharacters).toStdString());
        view.edges.push_back(span.begin);
        if (u + 1 == units.spans()) view.edges.push_back(span.end);
    }
    const std::int64_t count = units.areTokens() ? run.rows : units.spans();
    view.at = selection.at;
    view.dest = selection.dest;
    view.src = selection.src;
    view.dests = view.srcs = {0, count};
    if (const ui::MapGeometry& map = m_page->heatmap().geometry(); !map.isEmpty()) {
        const ui::MapView shown = map.view();
        view.dests = {std::min(shown.dest, count - 1), std::min(shown.dest + shown.count, count)};
        view.srcs = {std::min(shown.src, count - 1), std::min(shown.src + shown.count, count)};
    }
    view.quantity = m_views.quantity();
    view.renormalized = m_views.isRenormalized();
    view.transposed = isTransposed();
    view.compared = m_window->isCompareShown() && m_compare.pair();
    const std::string why = whyNoSnippet(view);
    if (!why.empty()) {
        m_window->showMessage({ui::Message::Severity::Warn,
                               QStringLiteral("This view cannot be copied as code: %1.")
                                   .arg(QString::fromStdString(why)),
                               {},
                               {},
                               {}});
        return;
    }
    QGuiApplication::clipboard()->setText(QString::fromStdString(
        snippetOf(view, nnsight ? SnippetFor::Nnsight : SnippetFor::TransformerLens)));
    m_window->setStateText(
        QStringLiteral("Copied: a program for %1")
            .arg(nnsight ? QStringLiteral("nnsight") : QStringLiteral("TransformerLens")));
}

}  // namespace app
