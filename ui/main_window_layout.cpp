// SPDX-License-Identifier: GPL-3.0-or-later
// Where things stand: default places and sizes, what changes on small windows, what is remembered.
#include <QCheckBox>
#include <QDockWidget>
#include <QResizeEvent>
#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>

#include "ui/empty_page.h"
#include "ui/main_window.h"
#include "ui/prompt_panel.h"
#include "ui/step_bar.h"
#include "ui/token_strip.h"
#include "ui/window_parts.h"

namespace ui {

namespace {

constexpr int layoutVersion = 1;  // grows when docks are renamed or added
constexpr int widthForTwoDocks = 1100;
constexpr int heightForSteps = 700;  // below it the map would fall under its 320 px
constexpr int stepsHeight = 92, nextHeight = 232;

QString geometryKey() {
    return QStringLiteral("window/geometry");
}
QString stateKey() {
    return QStringLiteral("window/state");
}

}  // namespace

void MainWindow::arrangeDocks() {
    for (QDockWidget* dock : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock}) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    addDockWidget(Qt::LeftDockWidgetArea, m->headsDock);
    addDockWidget(Qt::BottomDockWidgetArea, m->stepsDock);
    addDockWidget(Qt::RightDockWidgetArea, m->nextDock);
    addDockWidget(Qt::RightDockWidgetArea, m->barsDock);
    m->rightTabbed = false;
    for (QDockWidget* dock : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock}) dock->show();
}

void MainWindow::sizeDocks() {
    const int left = std::clamp(width() * 19 / 100, 180, 276);
    const int right = std::clamp(width() * 227 / 1000, 240, 326);
    resizeDocks({m->headsDock, m->nextDock}, {left, right}, Qt::Horizontal);
    if (m->barsDock->isVisible()) resizeDocks({m->barsDock}, {right}, Qt::Horizontal);
    if (!m->rightTabbed)
        resizeDocks({m->nextDock, m->barsDock}, {nextHeight, std::max(200, height() - nextHeight)},
                    Qt::Vertical);
    const bool generating = !m->steps->steps().empty();
    resizeDocks({m->stepsDock}, {generating ? m->steps->sizeHint().height() + 26 : stepsHeight},
                Qt::Vertical);
}

void MainWindow::adaptToSize() {
    const bool narrow = width() < widthForTwoDocks;
    const bool bothRight = !m->nextDock->isFloating() && !m->barsDock->isFloating() &&
                           dockWidgetArea(m->nextDock) == Qt::RightDockWidgetArea &&
                           dockWidgetArea(m->barsDock) == Qt::RightDockWidgetArea;
    if (narrow && !m->rightTabbed && bothRight &&
        !tabifiedDockWidgets(m->nextDock).contains(m->barsDock)) {
        tabifyDockWidget(m->nextDock, m->barsDock);
        m->nextDock->raise();
        m->rightTabbed = true;
        sizeDocks();
    } else if (!narrow && m->rightTabbed) {
        m->rightTabbed = false;
        if (bothRight && tabifiedDockWidgets(m->nextDock).contains(m->barsDock)) {
            // Both anew: a dock split from one in a tab bar would become a tab again.
            for (QDockWidget* dock : {m->nextDock, m->barsDock}) {
                const bool visible = dock->toggleViewAction()->isChecked();
                removeDockWidget(dock);
                addDockWidget(Qt::RightDockWidgetArea, dock);
                dock->setVisible(visible);
            }
        }
        sizeDocks();
    }
    // A dock cannot be lower than its content: low windows leave of Steps only the title.
    const bool low = height() < heightForSteps && !m->stepsDock->isFloating();
    m->steps->setMaximumHeight(low ? 0 : QWIDGETSIZE_MAX);
    m->steps->setMinimumHeight(low ? 0 : m->steps->minimumSizeHint().height());
}

void MainWindow::restoreLayout() {
    const QByteArray geometry = m->settings->value(geometryKey()).toByteArray();
    if (!geometry.isEmpty()) restoreGeometry(geometry);
    const QByteArray state = m->settings->value(stateKey()).toByteArray();
    m->restored = !state.isEmpty() && restoreState(state, layoutVersion);
    m->rightTabbed =
        m->settings->value(QStringLiteral("window/rightTabbed"), false).toBool() && m->restored;
}

void MainWindow::saveLayout() {
    m->settings->setValue(geometryKey(), saveGeometry());
    m->settings->setValue(stateKey(), m->solo ? m->beforeSolo : saveState(layoutVersion));
    m->settings->setValue(QStringLiteral("window/rightTabbed"), m->rightTabbed);
    m->settings->sync();
}

void MainWindow::resetLayout() {
    setSolo(false);
    arrangeDocks();
    sizeDocks();
    adaptToSize();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m->shown) return;
    m->shown = true;
    if (!m->restored) sizeDocks();
    adaptToSize();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m->shown) adaptToSize();
    placeProgress();
}

void MainWindow::placeProgress() {
    if (!m->progress->isVisible()) return;
    m->progress->adjustSize();
    const QSize room = m->page->size(), size = m->progress->size();
    // Over the part of the map that comes last where that is known; else low on the page.
    const bool map = m->stack->currentWidget() == m->run;
    QPoint centre(room.width() / 2, map ? room.height() * 62 / 100 : room.height() / 2);
    if (map && m->headPage && !m->progressArea.isEmpty())
        centre = m->headPage->mapTo(m->page, m->progressArea.center());
    const auto inside = [](int at, int length, int whole) {
        return std::clamp(at - length / 2, 0, std::max(0, whole - length));
    };
    m->progress->move(inside(centre.x(), size.width(), room.width()),
                      inside(centre.y(), size.height(), room.height()));
    m->progress->raise();
}

void MainWindow::setSolo(bool solo) {
    if (solo == m->solo) return;
    if (solo) m->beforeSolo = saveState(layoutVersion);
    m->solo = solo;
    if (solo) {
        for (QDockWidget* dock : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock})
            dock->hide();
    } else {
        restoreState(m->beforeSolo, layoutVersion);
        adaptToSize();
    }
    m->strip->setVisible(!solo);
    m->tabs->setVisible(!solo);
}

bool MainWindow::isSolo() const {
    return m->solo;
}

void MainWindow::showPage() {
    m->stack->setCurrentWidget(m->strip->tokens().empty() ? static_cast<QWidget*>(m->empty)
                                                          : m->run);
    placeProgress();
}

}  // namespace ui
