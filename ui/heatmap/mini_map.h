// SPDX-License-Identifier: GPL-3.0-or-later
// The whole head, small, while the large map shows a part of it: the part is framed and goes where
// it is dragged. Beside the map and not over it, so that it never hides a value.
#pragma once
#include <QWidget>

#include "ui/painting/map_picture.h"

namespace ui {

class MiniMap : public QWidget {
    Q_OBJECT
  public:
    explicit MiniMap(QWidget* parent = nullptr);

    // The large map's; `look.view` is the part in view.
    void setLook(const MapLook& look, engine::Pooling);
    void setHead(engine::RunId, engine::LayerHead, int window);  // another one drops the tile
    void setTile(const engine::Tile&);  // one head, on the axes asked for; others are ignored
    bool isNeeded() const;              // a part is in view

    const MapView& view() const { return m_view; }  // framed
    QRect viewRect() const;                         // widget coordinates
    const MapPicture& picture() const { return m_picture; }
    static int heightFor(int width);

  Q_SIGNALS:
    // What to ask for; emitted when it changes. Only asked while it is shown.
    void viewWanted(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void notWanted();                         // it is hidden
    void viewMoved(const ui::MapView& view);  // by mouse or arrow keys; not clamped

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent*) override;
    void hideEvent(QHideEvent*) override;
    void changeEvent(QEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;

  private:
    void place();
    void askForView();
    void moveTo(QPointF position);  // of the view's middle
    void moveView(std::int64_t dest, std::int64_t src);

    MapPicture m_picture;
    MapView m_view;
    engine::RunId m_run{};
    engine::LayerHead m_head;
    engine::Pooling m_pooling = engine::Pooling::Max;
    std::optional<WantedView> m_wanted;  // asked for last
    std::optional<QPointF> m_grip;  // from the frame's middle to the mouse, while it is dragged
};

}  // namespace ui
