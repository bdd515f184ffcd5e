// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/focus_ring.h"

#include <QEvent>
#include <QPainter>

#include "ui/painting/theme.h"

namespace ui {

FocusRing::FocusRing(QWidget* focus, QWidget* over) : QWidget(over), m_over(over) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setVisible(focus->hasFocus());
    focus->installEventFilter(this);
    if (over != focus) over->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut) hide();
    if (event->type() == QEvent::FocusIn) {
        setGeometry(m_over->rect());
        raise();
        show();
    }
    if (watched == m_over && event->type() == QEvent::Resize) setGeometry(m_over->rect());
    return false;
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace ui
