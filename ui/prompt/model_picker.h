// SPDX-License-Identifier: GPL-3.0-or-later
// The combo box of models: closed it has room for a name, its list says size and verdict as well.
// Another model ends the run, so it is chosen in the open list alone.
#pragma once
#include <QComboBox>

namespace ui {

class ModelPicker : public QComboBox {
    Q_OBJECT
  public:
    using QComboBox::QComboBox;
    // An entry's text while the list is closed; without it that of the list.
    static constexpr int ClosedTextRole = Qt::UserRole + 32;

  protected:
    void paintEvent(QPaintEvent*) override;
    void keyPressEvent(QKeyEvent*) override;  // of the closed box: opens it, chooses nothing
    void wheelEvent(QWheelEvent*) override;
};

}  // namespace ui
