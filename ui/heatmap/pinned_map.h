// SPDX-License-Identifier: GPL-3.0-or-later
// A pinned head: its name and its map in little, with the selected cell marked as on the large one.
#pragma once
#include <QWidget>

#include "ui/painting/map_picture.h"

namespace ui {

class PinnedMap : public QWidget {
    Q_OBJECT
  public:
    explicit PinnedMap(engine::LayerHead, QWidget* parent = nullptr);

    engine::LayerHead head() const { return m_head; }
    void setLook(const MapLook&);
    void setWindow(int keys);
    void setTile(const engine::Tile&, int index);
    void dropTile();
    const MapPicture& picture() const { return m_picture; }
    void setFocused(bool);         // it is the head of the large map
    void setNote(const QString&);  // right of the name: its logit attribution
    QRect unpinRect() const;       // the ×, in place of the note under the mouse or with the focus
    static int heightFor(int width);
    void placePicture();  // in the size it has, shown or not

  Q_SIGNALS:
    void chosen(engine::LayerHead);     // click, Space
    void activated(engine::LayerHead);  // double click, Enter
    void unpinned(engine::LayerHead);   // ×, Ctrl-click, Delete

  protected:
    bool event(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void enterEvent(QEnterEvent*) override;
    void leaveEvent(QEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;

  private:
    void paintTitle(QPainter&) const;
    void paintMarks(QPainter&) const;

    MapPicture m_picture;
    engine::LayerHead m_head;
    QString m_note;
    bool m_focused = false, m_under = false;
};

}  // namespace ui
