// SPDX-License-Identifier: GPL-3.0-or-later
// Letter keys, Space and arrows belong to the window. This filter gives them to whoever has the
// focus where it needs them: a text field takes what it can type, a list its arrows, a button its
// Space.
#pragma once
#include <QObject>

class QKeyEvent;
class QWidget;

namespace ui {

class KeyYield : public QObject {
    Q_OBJECT
  public:
    explicit KeyYield(QWidget* window);  // filters the application while it lives

  protected:
    bool eventFilter(QObject*, QEvent*) override;
};

bool keepsKey(const QWidget* focus, const QKeyEvent&);

}  // namespace ui
