// SPDX-License-Identifier: GPL-3.0-or-later
// The grid's folded rows and columns by keys and menu, and the grid as a file.
#include <QFile>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "app/files/picture_file.h"
#include "app/view/main_view.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/figure.h"
#include "ui/painting/map_geometry.h"
#include "ui/widgets/drawing.h"

namespace app {

namespace {

// The tiles of a figure in one, of all heads in order.
engine::Tile joinedTiles(const std::vector<engine::Tile>& parts) {
    engine::Tile all = parts.front();
    std::vector<float> values;
    all.request.heads.clear();
    for (const engine::Tile& part : parts) {
        const auto of = part.data.as<float>();
        values.insert(values.end(), of.begin(), of.end());
        all.request.heads.insert(all.request.heads.end(), part.request.heads.begin(),
                                 part.request.heads.end());
        all.rows_ready = std::min(all.rows_ready, part.rows_ready);
    }
    all.data = engine::make_payload(
        engine::DType::F32,
        {std::ssize(all.request.heads), all.request.dest.pixels(), all.request.src.pixels()},
        std::move(values));
    return all;
}

}  // namespace

void MainView::wireFold() {
    ui::MainWindow* window = m_window.get();
    const auto action = [&](const QString& text, const QKeySequence& key, const QString& tip,
                            auto does) {
        connect(window->addViewAction(ui::Menu::Heads, text, key, tip), &QAction::triggered, this,
                [this, does] {
                    if (m_session.model()) does();
                });
    };
    const auto shared = [this] {
        if (m_grid->canFoldGroups()) return true;
        m_window->setStateText(
            QStringLiteral("Every head of this model has a KV head of its own: no group to fold"));
        return false;
    };
    action(QStringLiteral("Fold &KV groups into columns, or unfold"), QKeySequence(Qt::Key_K),
           QStringLiteral("One picture for the heads that share a KV head"), [this, shared] {
               if (shared()) m_grid->foldGroups();
           });
    action(QStringLiteral("Fold or unfold the focused KV &group"),
           QKeySequence(Qt::SHIFT | Qt::Key_K), QStringLiteral("As a click on the group's name"),
           [this, shared] {
               if (shared()) m_grid->foldFocusedGroup();
           });
    action(QStringLiteral("Fold l&ayers from here to the next L, or unfold"),
           QKeySequence(Qt::Key_L),
           QStringLiteral("One row for a range of layers, as a drag over their names"),
           [this] { m_grid->foldLayers(); });
    action(QStringLiteral("Unfold &everything"), QKeySequence(Qt::SHIFT | Qt::Key_L), {},
           [this] { m_grid->unfoldAll(); });
    action(QStringLiteral("Folded pictures: ma&x or mean"), QKeySequence(Qt::SHIFT | Qt::Key_M),
           QStringLiteral("The largest p of the heads, or their mean"),
           [this] { m_grid->nextFoldPooling(); });
    connect(m_grid, &ui::HeadGrid::foldChanged, this, [this] {
        showRanking();
        showStateText();
        m_window->setHoverText(m_grid->describe(m_session.selection().at));
    });
    connect(m_grid, &ui::HeadGrid::foldBegun, this, [this](int layer) {
        m_window->setStateText(
            QStringLiteral("Folding layers from L%1: move to the last one and press L again")
                .arg(layer));
    });
    connect(window->addViewAction(ui::Menu::Export, QStringLiteral("&Grid of heads…"), {},
                                  QStringLiteral("As it is folded")),
            &QAction::triggered, this, [this] {
                if (!m_session.hasRun() || m_session.run().rows == 0) return;
                choosePath(QStringLiteral("Export the grid of heads"), QStringLiteral("heads.png"),
                           [this](const QString& path) { exportGrid(path); });
            });
}

void MainView::exportGrid(const QString& path) {
    const std::string file = QFile::encodeName(path).toStdString();
    const RunView& run = m_session.run();
    const engine::ModelInfo& model = *m_session.model();
    if (!m_session.hasRun() || run.rows == 0) return;  // gone while the dialog was open
    if (!isPicture(*formatOf(file)))
        return showExportFailure({engine::Failure::Kind::Io, "the grid is written as a picture",
                                  file, "name the file .png, .svg or .pdf"});
    std::vector<engine::LayerHead> heads;
    for (int layer = 0; layer < model.layers; ++layer)
        for (int head = 0; head < model.query_heads; ++head)
            heads.push_back({engine::Layer(layer), engine::QueryHead(head)});
    m_figurePath = path;
    m_figureIsGrid = true;
    beginExport(path);
    const engine::Axis axis = ui::wholeAxis(run.rows, ui::gridThumbnail);
    m_views.requestFigure({run.id, {}, engine::Quantity::Pattern}, std::move(heads), {axis, axis});
}

void MainView::drawGrid(const std::vector<engine::Tile>& tiles) {
    const std::string path = QFile::encodeName(std::exchange(m_figurePath, {})).toStdString();
    const RunView* run = tiles.empty() ? nullptr : m_compare.run(tiles.front().request.run);
    if (!run || path.empty()) return endExport();  // closed meanwhile
    ui::GridFigure figure;
    figure.model = *m_session.model();
    figure.tile = joinedTiles(tiles);
    figure.title = figureTitle() + runTitle(*run);
    figure.fold = m_grid->fold();
    const std::string subject = subjectOf(figure, run->rows);
    writePicture(ui::drawingOf(std::move(figure)), path, subject);
}

}  // namespace app
