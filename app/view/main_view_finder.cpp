// SPDX-License-Identifier: GPL-3.0-or-later
// The Finder page: its numbers, what is chosen there, and the grid that shows its order.
#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/heads_panel.h"
#include "ui/strip/token_strip.h"

namespace app {

using engine::LayerHead;

void MainView::wireFinder() {
    connect(m_finder, &ui::HeadFinder::headChosen, &m_session, &Session::selectHead);
    connect(m_finder, &ui::HeadFinder::headActivated, this, [this](LayerHead at) {
        m_session.selectHead(at);
        m_window->showHeadPage();
    });
    connect(&m_window->tokenStrip(), &ui::TokenStrip::spanChanged, this,
            [this](const std::optional<engine::Rows>& span) {
                m_views.setSpan(span);
                m_finder->setSpan({}, m_window->tokenStrip().spanText());
            });
    connect(&m_views, &TraceViews::spanReady, this,
            [this](const engine::Rows& span, const std::vector<float>& mass) {
                if (span == m_window->tokenStrip().span())
                    m_finder->setSpan(mass, m_window->tokenStrip().spanText());
            });
    connect(m_finder, &ui::HeadFinder::rankingChanged, this, &MainView::showRanking);
    connect(m_heads, &ui::HeadsPanel::columnChosen, m_finder, &ui::HeadFinder::rankBy);
    connect(m_window.get(), &ui::MainWindow::pageChanged, this,
            [this] { m_finder->setFocusedHead(m_session.selection().at); });
}

// The grid shows what the finder's table shows: its order as badges, its filter by dimming.
void MainView::showRanking() {
    if (!m_session.model()) return;
    if (m_window->isCompareShown() && m_compare.changes()) {
        m_grid->setRanking(m_comparePage->ranked(), false);
        m_heads->setRankedElsewhere(m_comparePage->rankText());
        return m_window->setHeadsNote(m_comparePage->hasMoved()
                                          ? QStringLiteral("by ") + m_comparePage->rankText()
                                          : QStringLiteral("no difference"));
    }
    m_heads->setSpanOffered(m_finder->isSpanOffered());
    m_heads->setColumn(m_finder->rankColumn());
    const std::vector<LayerHead> ranked = m_finder->ranked();
    const bool ranks = m_finder->isRankKnown();
    m_grid->setRanking(ranks || m_finder->isFiltered() ? ranked : std::vector<LayerHead>(),
                       m_finder->isFiltered(), m_finder->rankedByNumber());
    const int all = m_session.model()->layers * m_session.model()->query_heads;
    QString note = m_finder->isFiltered() ? QStringLiteral("%1 of %2").arg(ranked.size()).arg(all)
                                          : QStringLiteral("%1 heads").arg(all);
    if (ranks) note += QStringLiteral(" · by ") + m_finder->rankText();
    if (!m_grid->fold().isEmpty())
        note = ui::poolingName(m_grid->fold().pooling) + QStringLiteral(" of folded · ") + note;
    m_window->setHeadsNote(note);
}

}  // namespace app
