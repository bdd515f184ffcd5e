// SPDX-License-Identifier: GPL-3.0-or-later
// One selection, broadcast to every view; what views ask for, and what they are given.
#include <algorithm>
#include <cmath>

#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/heatmap/scale_column.h"
#include "ui/heatmap/top_ends.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/text_view.h"
#include "ui/strip/token_strip.h"
#include "ui/window/checks_badge.h"

namespace app {

using engine::LayerHead;
using engine::Position;
using engine::to_int;

namespace {

QString headText(LayerHead at) {
    return QStringLiteral("L%1.H%2").arg(to_int(at.layer)).arg(to_int(at.head));
}

QString cellText(const engine::Cell& cell) {
    return QStringLiteral("%1 · dest %2 ← src %3 · p %4")
        .arg(headText(cell.at))
        .arg(to_int(cell.dest))
        .arg(to_int(cell.src))
        .arg(ui::plainNumber(static_cast<double>(cell.pattern), 4));
}

}  // namespace

void MainView::wireSelection() {
    ui::MainWindow* window = m_window.get();
    connect(&m_session, &Session::selectionChanged, this, &MainView::showSelection);
    connect(&m_session, &Session::followChanged, this,
            [this](bool follow) { m_window->stepBar().setFollowNewest(follow); });
    connect(window, &ui::MainWindow::headMoveRequested, this, [this](int layers, int heads) {
        m_session.selectHead(m_grid->neighbour(m_session.selection().at, layers, heads));
    });
    connect(window, &ui::MainWindow::rowMoveRequested, &m_session, &Session::moveRow);
    connect(window, &ui::MainWindow::firstRowRequested, &m_session, &Session::selectFirstRow);
    connect(window, &ui::MainWindow::newestRowRequested, &m_session, &Session::selectNewestRow);
    connect(window, &ui::MainWindow::unlockRequested, &m_session, &Session::unlock);
    connect(&window->stepBar(), &ui::StepBar::stepSelected, &m_session, &Session::selectDest);
    connect(&window->stepBar(), &ui::StepBar::followNewestChanged, &m_session,
            &Session::setFollowNewest);
    connect(&window->tokenStrip(), &ui::TokenStrip::tokenClicked, this,
            [this](Position position, bool asSource) {
                if (asSource)
                    m_session.selectSrc(position);
                else
                    m_session.selectDest(position);
            });
}

void MainView::showSelection(const ui::Selection& selection) {
    m_page->headBar().setHead(selection.at);
    m_grid->setFocusedHead(selection.at);
    m_finder->setFocusedHead(selection.at);
    m_page->pinnedHeads().setFocusedHead(selection.at);
    if (m_session.run().rows == 0) {  // nothing to select yet
        m_comparePage->clearSelection();
        m_window->clearSelection();
        m_page->textView().setSelection({}, {});
        m_page->heatmap().clearSelection();
        m_page->topEnds().clear();
        return;
    }
    m_window->setSelection(selection);
    m_page->textView().setSelection(selection.dest, selection.src);
    m_comparePage->setSelection(selection);
    m_page->heatmap().setSelection(selection);
    const auto layer = static_cast<std::size_t>(to_int(selection.at.layer));
    const auto& rules = m_session.model()->attention;
    if (layer < rules.size()) {
        m_page->heatmap().setRule(rules[layer]);
        m_window->tokenStrip().setWindow(rules[layer].window);
        m_page->miniMap().setHead(selection.run, selection.at, rules[layer].window);
    }
    m_ranges.follow();
    m_page->heatmap().setExtents(m_ranges.extents());
    if (m_locked && (m_locked->at != selection.at || m_locked->dest != selection.dest ||
                     m_locked->src != selection.src))
        m_locked.reset();
    showLockedText();
}

void MainView::wireGrid() {
    connect(m_grid, &ui::HeadGrid::thumbnailsWanted, this,
            [this](const QVector<LayerHead>& visible, int pixels) {
                m_views.setThumbnailView({visible.begin(), visible.end()}, pixels);
            });
    connect(m_grid, &ui::HeadGrid::headFocused, &m_session, &Session::selectHead);
    connect(m_grid, &ui::HeadGrid::headActivated, this, [this](LayerHead at) {
        m_session.selectHead(at);
        m_window->setSolo(true);
    });
    connect(m_grid, &ui::HeadGrid::headHovered, this,
            [this](LayerHead at) { m_window->setHoverText(m_grid->describe(at)); });
    connect(m_grid, &ui::HeadGrid::hoverLeft, this, &MainView::showLockedText);
    connect(&m_views, &TraceViews::thumbnailsReady, m_grid, &ui::HeadGrid::setThumbnails);
}

std::vector<ui::TopEnds::End> MainView::endsOf(const std::vector<float>& p) const {
    std::vector<ui::TopEnds::End> ends;
    for (const auto& [at, value] : ui::largestOf(p, ui::TopEnds::shown))
        ends.push_back({Position(at), m_window->tokenStrip().label(Position(at)), value});
    return ends;
}

void MainView::wireMap() {
    connect(&m_page->topEnds(), &ui::TopEnds::sourceChosen, &m_session, &Session::selectSrc);
    connect(&m_page->topEnds(), &ui::TopEnds::destChosen, &m_session, &Session::selectDest);
    ui::MainWindow* window = m_window.get();
    ui::HeadHeatmap* map = &m_page->heatmap();
    ui::ScaleColumn* scale = &m_page->scaleColumn();
    connect(map, &ui::HeadHeatmap::viewWanted, &m_views, &TraceViews::setMapView);
    connect(map, &ui::HeadHeatmap::cellHovered, this, [this](Position dest, Position src) {
        m_views.hoverCells({to_int(dest), to_int(dest) + 1}, {to_int(src), to_int(src) + 1});
    });
    connect(map, &ui::HeadHeatmap::blockHovered, &m_views, &TraceViews::hoverCells);
    connect(map, &ui::HeadHeatmap::hoverLeft, this, [this] {
        m_views.leaveCells();
        showLockedText();
    });
    connect(map, &ui::HeadHeatmap::cellClicked, &m_session, &Session::selectCell);
    connect(map, &ui::HeadHeatmap::layoutChanged, this, [this, map] {
        const QRect area = map->notComputedRect();
        m_window->setProgressArea(area.isEmpty() ? QRect() : area.translated(map->pos()));
    });
    connect(map, &ui::HeadHeatmap::soloRequested, this,
            [this] { m_window->setSolo(!m_window->isSolo()); });
    connect(&m_page->headBar(), &ui::HeadBar::quantityChosen, this, &MainView::setQuantity);
    connect(window, &ui::MainWindow::quantityRequested, this, &MainView::setQuantity);
    connect(window, &ui::MainWindow::scaleRequested, scale, &ui::ScaleColumn::nextScale);
    connect(window, &ui::MainWindow::rangeRequested, scale, &ui::ScaleColumn::nextRange);
    connect(scale, &ui::ScaleColumn::scaleChanged, this, [this](const ui::ScaleChoice& choice) {
        const bool before = m_views.isRenormalized();
        m_views.setRenormalized(choice.sink == ui::SinkMode::Renormalized);
        if (m_views.isRenormalized() != before) m_compare.refreshMaps();
        m_ranges.setChoice(choice);
    });
    connect(&m_ranges, &RangeViews::extentsChanged, this,
            [this, map] { map->setExtents(m_ranges.extents()); });
    connect(window, &ui::MainWindow::sinkRequested, scale, &ui::ScaleColumn::nextSink);
    connect(window, &ui::MainWindow::poolingRequested, scale, &ui::ScaleColumn::nextPooling);
    connect(window, &ui::MainWindow::zoomRequested, this, [this, map](int direction) {
        if (m_window->isCompareShown())
            m_comparePage->maps().zoom(direction);
        else
            map->zoom(direction);
    });

    connect(&m_views, &TraceViews::mapReady, this, [this](const engine::Tile& tile) {
        m_page->heatmap().setTile(tile);
        if (!std::exchange(m_loggedMap, true)) log("first heatmap");
    });
    connect(&m_views, &TraceViews::rowReady, this,
            [this](Position dest, const std::vector<float>& p) {
                if (dest != m_session.selection().dest) return;
                m_page->heatmap().setRow(dest, p);
                m_window->tokenStrip().setRow(p);
                m_page->topEnds().setRow(m_window->tokenStrip().label(dest), endsOf(p));
            });
    connect(&m_views, &TraceViews::columnReady, this,
            [this](Position src, const std::vector<float>& p) {
                if (src != m_session.selection().src) return;
                m_page->heatmap().setColumn(src, p);
                m_window->tokenStrip().setColumn(p);
                m_page->topEnds().setColumn(m_window->tokenStrip().label(src), endsOf(p));
            });
    connect(&m_views, &TraceViews::hoverCellReady, this, [this](const engine::Cell& cell) {
        m_page->heatmap().setCell(cell);
        m_window->setHoverText(cellText(cell));
    });
    connect(&m_views, &TraceViews::lockedCellReady, this, [this](const engine::Cell& cell) {
        m_locked = cell;
        m_page->heatmap().setCell(cell);
        showLockedText();
    });
}

void MainView::setQuantity(engine::Quantity quantity) {
    m_page->headBar().setQuantity(quantity);
    m_views.setQuantity(quantity);
    m_ranges.follow();
    m_comparePage->headBar().setQuantity(quantity);
    m_comparePage->maps().setQuantity(quantity);
    m_compare.refreshMaps();
}

void MainView::showLockedText() {
    if (m_locked)
        m_window->setHoverText(cellText(*m_locked));
    else
        m_window->setHoverText(m_session.hasRun() ? headText(m_session.selection().at) : QString());
}

void MainView::wirePanels() {
    ui::MainWindow* window = m_window.get();
    connect(&m_views, &TraceViews::metricsReady, this, [this](const engine::HeadTable& table) {
        m_metrics = table;
        m_page->headBar().setMetrics(table);
        m_finder->setMetrics(table);
    });
    connect(&m_views, &TraceViews::checksReady, &window->checksBadge(),
            &ui::ChecksBadge::setReports);
    connect(&window->checksBadge(), &ui::ChecksBadge::checksRequested, &m_views,
            &TraceViews::checkNow);

    connect(&m_views, &TraceViews::logitsReady, this, [this](const engine::TopTokens& top) {
        know(top.candidates);
        m_window->logitsPanel().setTopTokens(top);
        if (to_int(top.position) == m_session.run().promptTokens - 1) {
            keepCandidates(top.candidates);
            m_window->stepBar().setCandidates(top.candidates);
        }
        showContributions();
    });
    connect(&m_views, &TraceViews::contributionsReady, this, &MainView::showContributions);
    const auto chosen = [this](const std::optional<engine::Candidate>& candidate) {
        if (!candidate) return std::optional<engine::TokenId>();
        know({*candidate});
        return std::optional(candidate->token);
    };
    connect(&window->logitsPanel(), &ui::LogitsPanel::targetChanged, this,
            [this, chosen](const auto& candidate) { m_views.setTarget(chosen(candidate)); });
    connect(&window->logitsPanel(), &ui::LogitsPanel::distractorChanged, this,
            [this, chosen](const auto& candidate) { m_views.setDistractor(chosen(candidate)); });
    connect(&window->contributionBars(), &ui::ContributionBars::headActivated, &m_session,
            &Session::selectHead);
    connect(&window->contributionBars(), &ui::ContributionBars::layerActivated, this,
            [this](engine::Layer layer) {
                m_session.selectHead({layer, m_session.selection().at.head});
            });
}

void MainView::showContributions() {
    const auto& table = m_views.contributions();
    if (!table || table->run != m_session.run().id) return;
    m_window->contributionBars().setTable(*table, m_session.model()->kv_heads,
                                          textOf(table->target), textOf(table->distractor));
    m_window->contributionBars().setFocusedHead(m_session.selection().at);
    m_page->pinnedHeads().setAttributions(table->head_attribution);
    // Beside the tokens of another row it would be taken for theirs.
    m_window->logitsPanel().setLogit(table->position == m_window->logitsPanel().position()
                                         ? std::optional<double>(table->logit)
                                         : std::nullopt);
    QString target = textOf(table->target);
    if (table->distractor) target += QStringLiteral(" − ") + textOf(table->distractor);
    m_finder->setContributions(*table, m_window->tokenStrip().label(table->position), target);
}

void MainView::know(const std::vector<engine::Candidate>& candidates) {
    for (const engine::Candidate& candidate : candidates)
        m_bytes[candidate.token] = candidate.bytes;
}

QString MainView::textOf(std::optional<engine::TokenId> token) const {
    if (!token) return {};
    const auto it = m_bytes.find(*token);
    return it != m_bytes.end() ? ui::visibleToken(it->second)
                               : QStringLiteral("token %1").arg(to_int(*token));
}

}  // namespace app
