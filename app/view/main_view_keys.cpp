// SPDX-License-Identifier: GPL-3.0-or-later
// Ways about by keys: to the finder's filter and back, to a place that is typed, from run to run.
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QTableView>
#include <algorithm>

#include "app/view/main_view.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/strip/token_strip.h"
#include "ui/window/go_to_line.h"
#include "ui/window/place.h"

namespace app {

using engine::Position;

void MainView::wireKeys() {
    ui::MainWindow* window = m_window.get();
    const auto action = [&](ui::Menu menu, const QString& text, const QKeySequence& key,
                            auto does) {
        QAction* made = window->addViewAction(menu, text, key);
        connect(made, &QAction::triggered, this, [this, does] {
            if (m_session.hasRun()) does();
        });
    };
    action(ui::Menu::Heads, QStringLiteral("Fil&ter heads"), QKeySequence(Qt::Key_Slash),
           [this] { filterHeads(); });
    action(ui::Menu::Heads, QStringLiteral("&Go to a head, row or step…"),
           QKeySequence(Qt::CTRL | Qt::Key_G), [this] { askPlace(); });
    action(ui::Menu::Run, QStringLiteral("Pre&vious run"), QKeySequence(Qt::CTRL | Qt::Key_PageUp),
           [this] { moveRun(-1); });
    action(ui::Menu::Run, QStringLiteral("Ne&xt run"), QKeySequence(Qt::CTRL | Qt::Key_PageDown),
           [this] { moveRun(1); });
    connect(m_finder, &ui::HeadFinder::filterLeft, this, &MainView::leaveFilter);
    connect(window, &ui::MainWindow::copyLocationRequested, this, [this] {
        if (m_session.run().rows == 0) return;
        const QString text = ui::placeText(m_session.selection().at, m_session.selection().dest);
        QGuiApplication::clipboard()->setText(text);
        m_window->setStateText(QStringLiteral("Copied: %1. Ctrl+G goes there").arg(text));
    });
    m_goTo = new ui::GoToLine(window->centralWidget());
    connect(m_goTo, &ui::GoToLine::chosen, this, &MainView::goTo);
}

void MainView::filterHeads() {
    if (!m_window->isFinderShown()) {
        m_beforeFilter = QApplication::focusWidget();
        m_compareBeforeFilter = m_window->isCompareShown();
        m_leavesFinder = true;
        m_window->showFinderPage();
    }
    m_finder->filter().setFocus(Qt::ShortcutFocusReason);
    m_finder->filter().selectAll();
}

// Back to where `/` was pressed; the filter stays, the grid shows what passes.
void MainView::leaveFilter() {
    if (!std::exchange(m_leavesFinder, false)) return m_finder->table().setFocus();
    if (m_compareBeforeFilter)
        m_window->showComparePage();
    else
        m_window->showHeadPage();
    if (m_beforeFilter && m_beforeFilter->isVisible())
        m_beforeFilter->setFocus();
    else
        m_grid->setFocus();
}

ui::PlaceAnswer MainView::placeOf(const QString& typed) const {
    const RunView& run = m_session.run();
    const engine::ModelInfo& model = *m_session.model();
    return ui::readPlace(typed, {model.layers, model.query_heads, run.rows, run.promptTokens,
                                 std::ssize(run.steps)});
}

void MainView::askPlace() {
    m_goTo->open([this](const QString& typed) -> ui::GoToLine::Answer {
        if (!m_session.hasRun()) return {false, QStringLiteral("No prompt is read.")};
        const ui::PlaceAnswer answer = placeOf(typed);
        if (!answer.place) return {false, answer.problem};
        const ui::Place& place = *answer.place;
        QStringList parts;
        if (place.layer || place.head)
            parts << QStringLiteral("head L%1.H%2")
                         .arg(place.layer.value_or(engine::to_int(m_session.selection().at.layer)))
                         .arg(place.head.value_or(engine::to_int(m_session.selection().at.head)));
        if (place.step) parts << QStringLiteral("step %1").arg(*place.step);
        if (place.row)
            parts << QStringLiteral("row %1").arg(
                m_window->tokenStrip().label(Position(*place.row)));
        return {true, parts.join(QStringLiteral(", "))};
    });
}

void MainView::goTo(const QString& typed) {
    if (!m_session.hasRun()) return;
    const ui::PlaceAnswer answer = placeOf(typed);
    if (!answer.place) return;
    engine::LayerHead at = m_session.selection().at;
    if (answer.place->layer) at.layer = engine::Layer(*answer.place->layer);
    if (answer.place->head) at.head = engine::QueryHead(*answer.place->head);
    if (answer.place->layer || answer.place->head) m_session.selectHead(at);
    if (answer.place->row) m_session.selectDest(Position(*answer.place->row));
}

// By name, round and round.
void MainView::moveRun(int by) {
    const std::vector<RunView>& others = m_session.otherRuns();
    if (others.empty())
        return m_window->setStateText(QStringLiteral(
            "This is the only run. Another token in the place of a step makes a second"));
    if (ui::isBusy(m_session.state()))
        return m_window->setStateText(
            QStringLiteral("Another run can be shown once this one pauses or ends"));
    const auto before = [this](const RunView& run) {
        const std::string& shown = m_session.run().name;
        return std::pair(run.name.size(), run.name) < std::pair(shown.size(), shown);
    };
    const auto count = std::ssize(others);
    const std::ptrdiff_t next = std::count_if(others.begin(), others.end(), before);
    const std::ptrdiff_t to = by > 0 ? next % count : (next + count - 1) % count;
    m_session.showRun(others[static_cast<std::size_t>(to)].id);
}

}  // namespace app
