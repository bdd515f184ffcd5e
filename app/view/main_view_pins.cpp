// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned heads: pinned in the grid and the finder, shown beside the map, written as one figure.
#include <QAction>
#include <QKeySequence>
#include <utility>

#include "app/command_line/cli_text.h"
#include "app/view/main_view.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"

namespace app {

using engine::LayerHead;

void MainView::wirePins() {
    ui::PinnedHeads* shown = &m_page->pinnedHeads();
    const auto toggle = [this](LayerHead at) { toldAbout(m_pins.toggle(at)); };
    connect(m_grid, &ui::HeadGrid::headPinToggled, this, toggle);
    connect(m_finder, &ui::HeadFinder::headPinToggled, this, toggle);
    connect(m_finder, &ui::HeadFinder::pinsWanted, this,
            [this](const std::vector<LayerHead>& heads) { toldAbout(m_pins.add(heads)); });
    connect(m_window.get(), &ui::MainWindow::pinRequested, this, [this, toggle] {
        if (m_session.hasRun()) toggle(m_session.selection().at);
    });
    QAction* again = m_window->addViewAction(
        ui::Menu::Heads, QStringLiteral("Pin them a&gain"), QKeySequence::Undo,
        QStringLiteral("The heads that were all unpinned at once"));
    again->setEnabled(false);
    connect(m_window.get(), &ui::MainWindow::unpinAllRequested, this, [this, again] {
        if (m_pins.heads().empty()) return;
        m_unpinned = m_pins.heads();
        m_pins.clear();
        again->setEnabled(true);
        m_window->setStateText(
            QStringLiteral("%1 unpinned: %2 pins them again")
                .arg(QString::fromStdString(counted(std::ssize(m_unpinned), "head")),
                     again->shortcut().toString(QKeySequence::NativeText)));
    });
    connect(again, &QAction::triggered, this, [this, again] {
        again->setEnabled(false);
        toldAbout(m_pins.add(std::exchange(m_unpinned, {})));
    });
    connect(&m_session, &Session::modelOpened, again, [again] { again->setEnabled(false); });
    connect(&m_pins, &Pins::changed, this, &MainView::showPins);
    connect(shown, &ui::PinnedHeads::viewWanted, &m_views, &TraceViews::setPinView);
    connect(shown, &ui::PinnedHeads::headChosen, &m_session, &Session::selectHead);
    connect(shown, &ui::PinnedHeads::headActivated, this, [this](LayerHead at) {
        m_session.selectHead(at);
        m_window->setSolo(true);
    });
    connect(shown, &ui::PinnedHeads::unpinRequested, &m_pins, &Pins::remove);
    connect(&m_views, &TraceViews::pinsReady, shown, &ui::PinnedHeads::setTile);
}

void MainView::showPins() {
    const std::vector<LayerHead>& heads = m_pins.heads();
    m_grid->setPinned(heads);
    m_finder->setPinned(heads);
    m_page->setPins(heads);
    if (const auto& table = m_views.contributions())
        m_page->pinnedHeads().setAttributions(table->head_attribution);
    m_views.setPins(heads);
}

void MainView::toldAbout(bool allPinned) {
    if (!allPinned)
        m_window->setStateText(
            QStringLiteral("%1 heads are pinned, as many as stand side by side: unpin one first")
                .arg(Pins::most));
}

}  // namespace app
