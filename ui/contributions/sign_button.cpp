// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/sign_button.h"

#include <QEvent>

namespace ui {

SignButton::SignButton(Sign sign, const QString& name, QWidget* parent)
    : QToolButton(parent), m_sign(sign) {
    setAutoRaise(true);
    setFixedSize(22, 20);
    setIconSize({14, 14});
    setIcon(ui::icon(sign));
    setToolTip(name);
    setAccessibleName(name);
    setFocusPolicy(Qt::TabFocus);
}

void SignButton::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) setIcon(ui::icon(m_sign));
    QToolButton::changeEvent(event);
}

}  // namespace ui
