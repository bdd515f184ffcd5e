// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/restless_user.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "app/view/main_view.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"

namespace app {

namespace {

// The moves of a round at which each part of it is over.
constexpr int hovered = 200, zoomedIn = 230, dragged = 300, zoomedOut = 330;
constexpr int headEvery = 40, zoomEvery = 5, scrollEvery = 2;
constexpr int gridPitch = 48;  // logical pixels a head: not all of them fit

}  // namespace

RestlessUser::RestlessUser(MainView& view) : m_view(view) {
    view.grid().setPitch(gridPitch);
}

// A curve that comes by every part of the square.
QPointF RestlessUser::placeOnMap(double along) const {
    const QRect map = m_view.headPage().heatmap().mapRect();
    return {map.left() + map.width() * (0.5 + 0.49 * std::sin(7 * along)),
            map.top() + map.height() * (0.5 + 0.49 * std::sin(11 * along + 1))};
}

void RestlessUser::moveMouse(QPointF to, Qt::MouseButtons held) const {
    QWidget& map = m_view.headPage().heatmap();
    QMouseEvent event(QEvent::MouseMove, to, map.mapToGlobal(to), Qt::NoButton, held,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(&map, &event);
}

void RestlessUser::hoverSeen(double along) const {
    const QRect map = m_view.headPage().heatmap().mapRect();
    moveMouse({map.left() + map.width() * (0.25 + 0.24 * std::sin(7 * along)),
               map.top() + map.height() * (0.75 + 0.24 * std::sin(11 * along))},
              Qt::NoButton);
}

void RestlessUser::press(QEvent::Type type, QPointF at) const {
    QWidget& map = m_view.headPage().heatmap();
    const bool down = type == QEvent::MouseButtonPress;
    QMouseEvent event(type, at, map.mapToGlobal(at), Qt::LeftButton,
                      down ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&map, &event);
}

void RestlessUser::turnWheel(QWidget& widget, QPointF at, int notches) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
}

void RestlessUser::move() {
    const int round = m_moves / movesARound, at = m_moves % movesARound;
    ++m_moves;
    QWidget& map = m_view.headPage().heatmap();
    QWidget& grid = *m_view.grid().viewport();
    const double along = 0.01 * m_moves;
    if (at % headEvery == 0) m_view.session().moveHead(at == 0 ? 1 : 0, 1);
    if (at < hovered) return moveMouse(placeOnMap(along), Qt::NoButton);
    if (at < zoomedIn) {
        if (at % zoomEvery == 0) turnWheel(map, placeOnMap(round), 2);
    } else if (at < dragged) {
        if (at == zoomedIn) press(QEvent::MouseButtonPress, placeOnMap(round));
        moveMouse(placeOnMap(round + 0.004 * (at - zoomedIn)), Qt::LeftButton);
        if (at == dragged - 1) press(QEvent::MouseButtonRelease, placeOnMap(round));
    } else if (at < zoomedOut) {
        if (at % zoomEvery == 0) turnWheel(map, placeOnMap(round), -2);
    } else if (at % scrollEvery == 0) {
        turnWheel(grid, QRectF(grid.rect()).center(), round % 2 == 0 ? -1 : 1);
    }
}

}  // namespace app
