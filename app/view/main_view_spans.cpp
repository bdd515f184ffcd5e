// SPDX-License-Identifier: GPL-3.0-or-later
// What the map's rows and columns stand for, and the whole of it beside a part.
#include <QSettings>
#include <algorithm>

#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/painting/text_spans.h"

namespace app {

void MainView::wireSpans() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::granularityRequested, this, &MainView::setGranularity);
    connect(window, &ui::MainWindow::nextGranularityRequested, this, [this] {
        if (m_window->isFinderShown() || m_window->isCompareShown()) return;  // no map by spans
        const int next = (static_cast<int>(m_granularity) + 1) % ui::granularities;
        const auto granularity = static_cast<ui::Granularity>(next);
        const bool offered = granularity != ui::Granularity::Turns || m_hasTurns;
        setGranularity(offered ? granularity : ui::Granularity::Tokens);
    });
    connect(window, &ui::MainWindow::cellMoveRequested, this, [this](int down, int right) {
        const int dests = isTransposed() ? right : down, srcs = isTransposed() ? down : right;
        if (m_page->heatmap().units().areTokens() || m_window->isCompareShown())
            m_session.moveCell(dests, srcs);
        else
            m_page->heatmap().moveLock(dests, srcs);  // by spans
    });
}

// Maps and figures, not the grid's thumbnails: those are small, tell heads apart by the shape that
// everyone knows, and carry their badges in the masked corner. Files of data stay [dest, src].
void MainView::wireTransposed() {
    const QString key = QStringLiteral("view/transposed");
    m_transposed = m_window->addViewAction(
        ui::Menu::View, QStringLiteral("Transposed: dest alon&g x, src along y"),
        QKeySequence(Qt::Key_T),
        QStringLiteral("Maps and their pictures with destinations along x and sources along y; "
                       "files of data stay as they are"));
    m_transposed->setCheckable(true);
    connect(m_transposed, &QAction::toggled, this, [this, key](bool transposed) {
        m_settings.setValue(key, transposed);
        m_window->setTransposed(transposed);
        m_page->heatmap().setTransposed(transposed);
        m_comparePage->maps().setTransposed(transposed);
        followComposer();
    });
    m_transposed->setChecked(m_settings.value(key).toBool());
}

void MainView::setGranularity(ui::Granularity granularity) {
    m_granularity = granularity;
    m_window->setGranularity(granularity);
    m_page->heatmap().setGranularity(granularity);
}

// Of the run shown: without turns there is nothing to choose, and a choice made before goes back.
void MainView::showTurns() {
    const std::vector<engine::Token>& tokens = m_session.run().tokens;
    m_hasTurns = ui::spanEdges(tokens, ui::Granularity::Turns).size() > 2;
    m_window->setTurnsOffered(m_hasTurns);
    if (!m_hasTurns && !tokens.empty() && m_granularity == ui::Granularity::Turns)
        setGranularity(ui::Granularity::Tokens);
}

ui::MapUnits MainView::unitsOf(std::int64_t rows) const {
    const std::vector<engine::Token>& tokens = m_session.run().tokens;
    const auto count =
        static_cast<std::ptrdiff_t>(std::min<std::int64_t>(rows, std::ssize(tokens)));
    return ui::unitsOf({tokens.begin(), tokens.begin() + count}, m_granularity);
}

void MainView::wireMiniMap() {
    const QString key = QStringLiteral("view/miniMap");
    ui::MiniMap* mini = &m_page->miniMap();
    connect(mini, &ui::MiniMap::viewWanted, &m_views, &TraceViews::setOverview);
    connect(mini, &ui::MiniMap::notWanted, &m_views, &TraceViews::dropOverview);
    connect(&m_views, &TraceViews::overviewReady, mini, &ui::MiniMap::setTile);
    QAction* action = m_window->addViewAction(
        ui::Menu::View, QStringLiteral("&Overview of a zoomed map"), QKeySequence(Qt::Key_O),
        QStringLiteral("The whole head, small, beside a map that shows a part of it"));
    action->setCheckable(true);
    action->setChecked(m_settings.value(key, true).toBool());
    m_page->setMiniMapWanted(action->isChecked());
    connect(action, &QAction::toggled, this, [this, key](bool wanted) {
        m_settings.setValue(key, wanted);
        m_page->setMiniMapWanted(wanted);
    });
}

}  // namespace app
