// SPDX-License-Identifier: GPL-3.0-or-later
// Where things stand: default places and sizes, what changes on small windows, what is remembered.
#include <QCheckBox>
#include <QDockWidget>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QSettings>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/painting/grid_layout.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/window/empty_page.h"
#include "ui/window/main_window.h"
#include "ui/window/page_bar.h"
#include "ui/window/window_parts.h"

namespace ui {

namespace {

constexpr int layoutVersion = 1;  // grows when docks are renamed or added
constexpr int widthForTwoDocks = 1100;
constexpr int widthForSides = 900;   // below it the map has no room between two of them
constexpr int togetherWidth = 248;   // that three tabs and what they show need
constexpr int heightForSteps = 700;  // below it the map would fall under its 320 px
constexpr int stepsHeight = 92, nextHeight = 232;
constexpr int aroundGrid = 110;  // menu bar, run bar, dock title, status bar
constexpr int dragged = 2;       // px that a dock's width may be off its share by itself

// Wide enough that all layers fill the height, with at least the narrowest thumbnails of all heads
// in sight, as long as that leaves the map its room.
int headsShare(QSize window, const std::optional<engine::ModelInfo>& model) {
    const int most = std::max(180, window.width() / 5);
    if (!model || model->layers <= 0) return std::min(most, std::max(276, most * 7 / 8));
    const auto wide = [&](int pitch) {
        return GridLayout::gutter +
               GridLayout(model->layers, model->query_heads, model->kv_heads, pitch).size().width();
    };
    const int tall =
        (window.height() - aroundGrid - GridLayout::header - GridLayout::margin) / model->layers;
    const int crowded = std::min(wide(GridLayout::smallestPitch), window.width() / 3);
    return std::clamp(wide(tall), 180, std::max(most, crowded));
}

// Their numbers and bars gain little by width: a tenth of what a large window has more.
int rightShare(int width) {
    return width < 1440 ? std::clamp(width * 227 / 1000, 240, 326) : 326 + (width - 1440) / 10;
}

QString geometryKey() {
    return QStringLiteral("window/geometry");
}
QString stateKey() {
    return QStringLiteral("window/state");
}
QString leftKey() {
    return QStringLiteral("window/leftFollows");
}
QString rightKey() {
    return QStringLiteral("window/rightFollows");
}
QString nextKey() {
    return QStringLiteral("window/nextFollows");
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
    m->rightTabbed = m->sidesTabbed = false;
    for (QDockWidget* dock : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock}) dock->show();
}

void MainWindow::sizeDocks() {
    shareWidth();
    shareRightHeight();
    const bool generating = !m->steps->steps().empty();
    resizeDocks({m->stepsDock}, {generating ? m->steps->sizeHint().height() + 26 : stepsHeight},
                Qt::Vertical);
}

namespace {

bool stands(const MainWindow& window, QDockWidget* dock, Qt::DockWidgetArea area) {
    return dock->isVisible() && !dock->isFloating() && window.dockWidgetArea(dock) == area;
}

}  // namespace

// A side follows the window's size until its edge is dragged. The edges are the window's own: no
// widget is under them.
void MainWindow::noticeDrag() {
    if (!m->drag) return;
    const Parts::Drag before = *std::exchange(m->drag, std::nullopt);
    const auto moved = [](int was, int is) { return std::abs(is - was) > dragged; };
    if (moved(before.left, m->headsDock->width())) m->left = {false, m->headsDock->width()};
    if (moved(before.right, m->nextDock->width())) m->right = {false, m->nextDock->width()};
    if (moved(before.next, m->nextDock->height())) m->nextFollows = false;
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == this && event->type() == QEvent::MouseButtonPress) {
        m->drag.reset();
        if (!m->sidesTabbed && !childAt(static_cast<QMouseEvent*>(event)->position().toPoint()))
            m->drag = {m->headsDock->width(), m->nextDock->width(), m->nextDock->height()};
    } else if (watched == this && event->type() == QEvent::MouseButtonRelease && m->drag) {
        QTimer::singleShot(0, this, &MainWindow::noticeDrag);  // once the docks have moved
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::shareWidth() {
    const auto share = [this](Parts::Share& side, int width, Qt::DockWidgetArea area,
                              const QList<QDockWidget*>& docks) {
        const int wanted = side.follows ? width : side.own;
        QList<QDockWidget*> standing;
        for (QDockWidget* dock : docks)
            if (stands(*this, dock, area)) standing << dock;
        if (standing.isEmpty() || wanted <= 0) return;
        resizeDocks(standing, QList<int>(standing.size(), wanted), Qt::Horizontal);
    };
    if (m->sidesTabbed) {
        Parts::Share together;
        share(together, std::max(togetherWidth, headsShare(size(), m->model)),
              Qt::LeftDockWidgetArea, {m->headsDock, m->nextDock, m->barsDock});
        return;
    }
    share(m->left, headsShare(size(), m->model), Qt::LeftDockWidgetArea, {m->headsDock});
    share(m->right, rightShare(width()), Qt::RightDockWidgetArea, {m->nextDock, m->barsDock});
}

// Qt shares a column's height in proportion: without this Next token would lose its rows for good
// in a window that was small or large for a while.
void MainWindow::shareRightHeight() {
    if (m->rightTabbed || m->sidesTabbed || !m->nextFollows || !m->nextDock->isVisible() ||
        !m->barsDock->isVisible() || !tabifiedDockWidgets(m->nextDock).isEmpty())
        return;
    const auto inColumn = [this](QDockWidget* dock) {
        return !dock->isFloating() && dockWidgetArea(dock) == Qt::RightDockWidgetArea;
    };
    if (!inColumn(m->nextDock) || !inColumn(m->barsDock)) return;
    resizeDocks({m->nextDock, m->barsDock}, {nextHeight, std::max(200, height() - nextHeight)},
                Qt::Vertical);
}

bool MainWindow::standRight() const {
    return !m->nextDock->isFloating() && !m->barsDock->isFloating() &&
           dockWidgetArea(m->nextDock) == Qt::RightDockWidgetArea &&
           dockWidgetArea(m->barsDock) == Qt::RightDockWidgetArea;
}

// One below the other: a dock split from one in a tab bar would become a tab again.
void MainWindow::standRightAnew() {
    for (QDockWidget* dock : {m->nextDock, m->barsDock}) {
        const bool visible = dock->toggleViewAction()->isChecked();
        removeDockWidget(dock);
        addDockWidget(Qt::RightDockWidgetArea, dock);
        dock->setVisible(visible);
    }
}

void MainWindow::gatherSides(bool together) {
    const bool headsLeft =
        !m->headsDock->isFloating() && dockWidgetArea(m->headsDock) == Qt::LeftDockWidgetArea;
    if (together && !m->sidesTabbed && headsLeft && standRight()) {
        tabifyDockWidget(m->headsDock, m->nextDock);
        tabifyDockWidget(m->nextDock, m->barsDock);
        m->headsDock->raise();
        m->rightTabbed = false;
        m->sidesTabbed = true;
    } else if (!together && m->sidesTabbed) {
        m->sidesTabbed = false;
        const QList<QDockWidget*> tabs = tabifiedDockWidgets(m->headsDock);
        if (tabs.contains(m->nextDock) && tabs.contains(m->barsDock)) standRightAnew();
    } else {
        return;
    }
    sizeDocks();
}

void MainWindow::adaptToSize() {
    const bool narrow = width() < widthForTwoDocks;
    gatherSides(width() < widthForSides);
    const bool bothRight = standRight();
    if (narrow && !m->rightTabbed && bothRight &&
        !tabifiedDockWidgets(m->nextDock).contains(m->barsDock)) {
        tabifyDockWidget(m->nextDock, m->barsDock);
        m->nextDock->raise();
        m->rightTabbed = true;
        sizeDocks();
    } else if (!narrow && m->rightTabbed) {
        m->rightTabbed = false;
        if (bothRight && tabifiedDockWidgets(m->nextDock).contains(m->barsDock)) standRightAnew();
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
    m->sidesTabbed =
        m->settings->value(QStringLiteral("window/sidesTabbed"), false).toBool() && m->restored;
    m->left.follows = !m->restored || m->settings->value(leftKey(), false).toBool();
    m->right.follows = !m->restored || m->settings->value(rightKey(), false).toBool();
    m->left.own = m->settings->value(leftKey() + QStringLiteral("Width"), 0).toInt();
    m->right.own = m->settings->value(rightKey() + QStringLiteral("Width"), 0).toInt();
    m->nextFollows = !m->restored || m->settings->value(nextKey(), false).toBool();
}

void MainWindow::saveLayout() {
    m->settings->setValue(leftKey(), m->left.follows);
    m->settings->setValue(rightKey(), m->right.follows);
    m->settings->setValue(leftKey() + QStringLiteral("Width"), m->left.own);
    m->settings->setValue(rightKey() + QStringLiteral("Width"), m->right.own);
    m->settings->setValue(nextKey(), m->nextFollows);
    m->settings->setValue(geometryKey(), saveGeometry());
    m->settings->setValue(stateKey(), m->solo ? m->beforeSolo : saveState(layoutVersion));
    m->settings->setValue(QStringLiteral("window/rightTabbed"), m->rightTabbed);
    m->settings->setValue(QStringLiteral("window/sidesTabbed"), m->sidesTabbed);
    m->settings->sync();
}

void MainWindow::resetLayout() {
    setSolo(false);
    arrangeDocks();
    m->left = m->right = {};
    m->nextFollows = true;
    sizeDocks();
    adaptToSize();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m->shown) return;
    m->shown = true;
    centralWidget()->setFocus();  // not the first field: keys are the window's, as after Esc
    if (!m->restored) sizeDocks();
    adaptToSize();
    shareWidth();
    shareRightHeight();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m->shown && !m->solo) {  // on leaving solo
        adaptToSize();
        shareWidth();
        shareRightHeight();
    }
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
    if (solo) {
        m->beforeSolo = saveState(layoutVersion);
        showHeadPage();  // the map alone
    }
    m->solo = solo;
    if (solo) {
        for (QDockWidget* dock : {m->headsDock, m->stepsDock, m->nextDock, m->barsDock})
            dock->hide();
    } else {
        restoreState(m->beforeSolo, layoutVersion);
        adaptToSize();
        shareWidth();
    }
    m->strip->setVisible(!solo);
    m->pageBar->setVisible(!solo);
}

bool MainWindow::isSolo() const {
    return m->solo;
}

bool MainWindow::isFinderShown() const {
    return m->finder && m->stack->currentWidget() == m->finder;
}

bool MainWindow::isCompareShown() const {
    return m->compare && m->stack->currentWidget() == m->compare;
}

void MainWindow::showHeadPage() {
    m->tabs->setCurrentIndex(0);
}

void MainWindow::showFinderPage() {
    if (!m->solo) m->tabs->setCurrentIndex(1);
}

void MainWindow::showComparePage() {
    if (!m->solo) m->tabs->setCurrentIndex(2);
}

void MainWindow::showPage() {
    const QWidget* before = m->stack->currentWidget();
    if (m->strip->tokens().empty())
        m->stack->setCurrentWidget(m->empty);
    else if (m->finder && m->tabs->currentIndex() == 1)
        m->stack->setCurrentWidget(m->finder);
    else if (m->compare && m->tabs->currentIndex() == 2)
        m->stack->setCurrentWidget(m->compare);
    else
        m->stack->setCurrentWidget(m->run);
    m->pageBar->setSpansOffered(m->stack->currentWidget() == m->run);
    if (before != m->stack->currentWidget()) Q_EMIT pageChanged();
    placeProgress();
}

}  // namespace ui
