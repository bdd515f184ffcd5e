// SPDX-License-Identifier: GPL-3.0-or-later
// A user who never stops looking around, for measuring the window.
#pragma once
#include <QEvent>
#include <QObject>
#include <QPointF>

class QWidget;

namespace app {

class MainView;

// Each move() is one event of mouse, wheel or keys, in rounds: hovers all over the map, zooms in
// where it stands, drags the map about, zooms out, scrolls the grid down or up; on the way the
// focus goes from head to head. GUI thread.
class RestlessUser : public QObject {
  public:
    explicit RestlessUser(MainView& view);
    void move();
    void hoverSeen(double along) const;  // where the map has cells that are seen
    static constexpr int movesARound = 400;

  private:
    QPointF placeOnMap(double along) const;
    void moveMouse(QPointF to, Qt::MouseButtons held) const;
    void press(QEvent::Type, QPointF at) const;
    static void turnWheel(QWidget& widget, QPointF at, int notches);

    MainView& m_view;
    int m_moves = 0;
};

}  // namespace app
