// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs side by side: which ones, their maps and what moved; the difference as a file.
#include <algorithm>
#include <memory>

#include "app/session/edit_texts.h"
#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/widgets/plain_text.h"

namespace app {

using engine::LayerHead;
using engine::Position;

namespace {

ui::CompareSide sideOf(const RunView& run, const std::string& name) {
    return {run.id,     QString::fromStdString(name), run.tokens, run.promptTokens, run.rows,
            run.planned};
}

QString beginOf(const std::string& prompt) {
    constexpr qsizetype most = 40;
    const QString text = ui::onOneLine(QString::fromStdString(prompt.substr(0, 400)));
    return text.size() <= most ? text : text.left(most - 1) + u'…';
}

}  // namespace

void MainView::wireCompare() {
    wireBeside();
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
    const auto inShown = [this](Position place) -> std::optional<Position> {
        const auto at = m_compare.positionInShown(engine::to_int(place));
        if (at && *at < m_session.run().rows) return Position(*at);
        m_window->setStateText(
            QStringLiteral("%1 %2 is not in run %3, which is on screen: choose the other run in "
                           "%4 to select it")
                .arg(m_compare.alignment() ? QStringLiteral("Place") : QStringLiteral("Row"),
                     m_comparePage->maps().numberOf(engine::to_int(place)),
                     QString::fromStdString(m_session.run().name),
                     m_compare.alignment() ? QStringLiteral("Run › Runs of earlier prompts")
                                           : QStringLiteral("Steps")));
        return std::nullopt;
    };
    connect(&page->maps(), &ui::CompareMaps::cellClicked, this,
            [this, inShown](Position dest, Position src) {
                const auto row = inShown(dest);
                const auto column = row ? inShown(src) : std::nullopt;
                if (row && column) m_session.selectCell(*row, *column);
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
            [this, inShown](Position place, bool asSource) {
                const auto position = inShown(place);
                if (!position) return;
                if (asSource)
                    m_session.selectSrc(*position);
                else
                    m_session.selectDest(*position);
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
    for (const RunView* run : m_compare.runs()) {
        const QString origin = originOf(*run, QStringLiteral("the first run of this prompt"));
        ui::CompareRun entry{run->id, QString::fromStdString(m_compare.nameOf(*run)), origin};
        if (!m_compare.isOfShownPrompt(*run)) {
            entry.prompt = beginOf(run->prompt);
            entry.origin = QStringLiteral("of the earlier prompt “%1”: %2")
                               .arg(entry.prompt, originOf(*run, QStringLiteral("its first run")));
        }
        runs.push_back(std::move(entry));
    }
    m_comparePage->setRuns(runs);
    m_comparePage->setSides(sideOf(*a, m_compare.nameOf(*a)), sideOf(*b, m_compare.nameOf(*b)),
                            m_compare.alignment());
    if (m_session.run().rows > 0) m_comparePage->setSelection(m_session.selection());
    showChanges();
}

void MainView::showChanges() {
    m_comparePage->setChanges(m_compare.changes(), m_views.isPending(ReadKind::Changes));
}

MapData MainView::differenceOfPair() const {
    MapData data;
    const auto& pair = m_compare.pair();
    const RunView* a = pair ? m_compare.run(pair->a) : nullptr;
    const RunView* b = pair ? m_compare.run(pair->b) : nullptr;
    if (!a || !b) return data;  // gone while the dialog was open
    data.run = b->id;
    data.minus = a->id;
    data.heads = {m_session.selection().at};
    data.rows = std::min(a->rows, b->rows);  // what both have
    data.tokens = b->tokens;
    data.minusTokens = a->tokens;
    data.alignment = m_compare.alignment();
    if (data.alignment)
        data.rows = std::min(data.alignment->placesBefore(0, a->rows),
                             data.alignment->placesBefore(1, b->rows));
    else if (a->prompt != b->prompt)  // what stands at a position is not the same
        data.alignment = std::make_shared<const ui::RunAlignment>(
            ui::RunAlignment::byPosition(std::ssize(a->tokens), std::ssize(b->tokens)));
    return data;
}

void MainView::takePlaces(bool byToken) {
    m_figurePlaces = {};
    if (byToken)
        m_figurePlaces = {m_comparePage->maps().placeTokens(),
                          m_comparePage->maps().placeNumbers()};
}

// What is outside a layer's window the tiles say themselves: places are not as far apart as
// positions.
void MainView::namePlaces(ui::HeadFigure& figure) const {
    if (m_figurePlaces.numbers.empty()) return;
    figure.numbers = m_figurePlaces.numbers;
    for (ui::HeadPanel& panel : figure.panels) panel.window = 0;
}

void MainView::exportDifference(const QString& path) {
    exportMaps(path, differenceOfPair());
}

}  // namespace app
