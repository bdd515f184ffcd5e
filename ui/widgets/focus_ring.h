// SPDX-License-Identifier: GPL-3.0-or-later
// The frame that says where the keys go, for widgets that do not paint themselves.
#pragma once
#include <QWidget>

namespace ui {

// Lies over `over`, takes no mouse, and is seen while `focus` has the focus.
class FocusRing : public QWidget {
    Q_OBJECT
  public:
    FocusRing(QWidget* focus, QWidget* over);

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    QWidget* m_over;
};

}  // namespace ui
