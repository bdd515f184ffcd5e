// SPDX-License-Identifier: GPL-3.0-or-later
// A small flat button that is only a sign, in the colour of the current theme.
#pragma once
#include <QToolButton>

#include "ui/widgets/icons.h"

namespace ui {

class SignButton : public QToolButton {
    Q_OBJECT
  public:
    SignButton(Sign, const QString& name, QWidget* parent = nullptr);  // name: tooltip and access

  protected:
    void changeEvent(QEvent*) override;

  private:
    Sign m_sign;
};

}  // namespace ui
