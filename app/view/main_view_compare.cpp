// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs side by side: which ones, their maps and what moved; the difference as a file.
#include <QFile>
#include <algorithm>

#include "app/session/edit_texts.h"
#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"

namespace app {

using engine::LayerHead;
using engine::Position;

namespace {

ui::CompareSide sideOf(const RunView& run) {
    return {run.id,     QString::fromStdString(run.name), run.tokens, run.promptTokens, run.rows,
            run.planned};
}

}  // namespace

void MainView::wireCompare() {
    ui::ComparePage* page = m_comparePage;
    connect(&m_compare, &CompareViews::pairChanged, this, &MainView::showPair);
    connect(&m_compare, &CompareViews::changesReady, this, &MainView::showChanges);
    connect(&m_compare, &CompareViews::mapReady, &page->maps(), &ui::CompareMaps::setTile);
    connect(page, &ui::ComparePage::pairChosen, this, [this](int a, int b) {
        const auto runs = m_compare.runs();
        const int count = static_cast<int>(runs.size());
        if (a < 0 || b < 0 || a >= count || b >= count) return;
        m_compare.choose(
            {runs[static_cast<std::size_t>(a)]->id, runs[static_cast<std::size_t>(b)]->id});
    });
    connect(&page->maps(), &ui::CompareMaps::viewWanted, &m_compare, &CompareViews::setView);
    // What only the other run has cannot be selected in the one on screen, and another row in its
    // place would be a surprise.
    const auto hasRow = [this](Position at) {
        if (engine::to_int(at) < m_session.run().rows) return true;
        m_window->setStateText(
            QStringLiteral("Row %1 is not in run %2, which is on screen: choose the other run in "
                           "Steps to select it")
                .arg(ui::thousands(engine::to_int(at)),
                     QString::fromStdString(m_session.run().name)));
        return false;
    };
    connect(&page->maps(), &ui::CompareMaps::cellClicked, this,
            [this, hasRow](Position dest, Position src) {
                if (hasRow(dest)) m_session.selectCell(dest, src);
            });
    connect(&page->maps(), &ui::CompareMaps::cellDescribed, this, [this](const QString& text) {
        if (text.isEmpty())
            showLockedText();
        else
            m_window->setHoverText(text);
    });
    const auto alone = [this] {
        m_window->showHeadPage();
        m_window->setSolo(true);
    };
    connect(&page->maps(), &ui::CompareMaps::soloRequested, this, alone);
    connect(&page->strip(), &ui::CompareStrip::tokenClicked, this,
            [this, hasRow](Position position, bool asSource) {
                if (!hasRow(position)) return;
                if (asSource)
                    m_session.selectSrc(position);
                else
                    m_session.selectDest(position);
            });
    connect(&page->headBar(), &ui::HeadBar::quantityChosen, this, &MainView::setQuantity);
    connect(page, &ui::ComparePage::headChosen, &m_session, &Session::selectHead);
    connect(page, &ui::ComparePage::headActivated, this, [this, alone](LayerHead at) {
        m_session.selectHead(at);
        alone();
    });
    connect(page, &ui::ComparePage::rankingChanged, this, [this] {
        if (m_window->isCompareShown()) showRanking();
    });
    connect(&m_page->scaleColumn(), &ui::ScaleColumn::scaleChanged, &page->maps(),
            &ui::CompareMaps::setScale);
    connect(&m_views, &TraceViews::contributionsReady, this, [this] {
        if (m_views.quantity() == engine::Quantity::Attribution) m_compare.refreshMaps();
    });
    connect(m_window.get(), &ui::MainWindow::pageChanged, this, [this] {
        m_compare.setShown(m_window->isCompareShown());
        showChanges();
        showRanking();
    });
}

void MainView::showPair() {
    const auto& pair = m_compare.pair();
    const RunView* a = pair ? m_compare.run(pair->a) : nullptr;
    const RunView* b = pair ? m_compare.run(pair->b) : nullptr;
    if (!a || !b) return m_comparePage->clear();
    std::vector<ui::CompareRun> runs;
    for (const RunView* run : m_compare.runs())
        runs.push_back({run->id, QString::fromStdString(run->name),
                        originOf(*run, QStringLiteral("the first run of this prompt"))});
    m_comparePage->setRuns(runs);
    m_comparePage->setSides(sideOf(*a), sideOf(*b));
    if (m_session.run().rows > 0) m_comparePage->setSelection(m_session.selection());
    showChanges();
}

void MainView::showChanges() {
    m_comparePage->setChanges(m_compare.changes(), m_views.isPending(ReadKind::Changes));
}

void MainView::exportDifference(const QString& path) {
    const auto& pair = m_compare.pair();
    const RunView* a = pair ? m_compare.run(pair->a) : nullptr;
    const RunView* b = pair ? m_compare.run(pair->b) : nullptr;
    if (!a || !b) return;  // gone while the dialog was open
    MapData data;
    data.run = b->id;
    data.minus = a->id;
    data.heads = {m_session.selection().at};
    data.rows = std::min(a->rows, b->rows);  // what both have
    data.tokens = b->tokens;
    exportMaps(path, std::move(data));
}

}  // namespace app
