// SPDX-License-Identifier: GPL-3.0-or-later
// What a shown window's geometry tells of what a user sees: what is cut off, what has too little
// room for its words, what lies over another.
#pragma once
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>

#include "ui/heatmap/head_heatmap.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segment_bar.h"
#include "ui/window/main_window.h"

namespace geometry {

// The first of what is shown that stands outside of the window or is squeezed to nothing.
inline QString cut(const ui::MainWindow& window) {
    const auto isBehind = [&](const QWidget* widget) {  // a tab: Qt parks it off the window
        const auto* dock = qobject_cast<const QDockWidget*>(widget);
        return dock && dock->geometry().bottom() < 0 &&
               !window.tabifiedDockWidgets(const_cast<QDockWidget*>(dock)).isEmpty();
    };
    const auto isExempt = [&](const QWidget* widget) {
        for (const QWidget* up = widget; up && up != &window; up = up->parentWidget())
            if (isBehind(up) || (up != widget && qobject_cast<const QAbstractScrollArea*>(up)))
                return true;
        return false;
    };
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        const bool holds = qobject_cast<const QAbstractButton*>(widget) ||
                           qobject_cast<const QComboBox*>(widget) ||
                           qobject_cast<const QDockWidget*>(widget) ||
                           qobject_cast<const ui::SegmentBar*>(widget) ||
                           qobject_cast<const ui::HeadHeatmap*>(widget);
        if (!holds || !widget->isVisible() || widget->window() != &window || isExempt(widget))
            continue;
        const QRect at(widget->mapTo(&window, QPoint()), widget->size());
        const QRect parent(widget->parentWidget()->mapTo(&window, QPoint()),
                           widget->parentWidget()->size());
        if (!window.rect().contains(at) || !parent.contains(at) || at.width() < 8)
            return QStringLiteral("%1 %2 at %3, %4, %5 x %6")
                .arg(QLatin1String(widget->metaObject()->className()), widget->accessibleName())
                .arg(at.x())
                .arg(at.y())
                .arg(at.width())
                .arg(at.height());
    }
    return {};
}

inline QString named(const QWidget& widget, const QString& text) {
    return QStringLiteral("%1 \"%2\" %3 x %4")
        .arg(QLatin1String(widget.metaObject()->className()), text)
        .arg(widget.width())
        .arg(widget.height());
}

// The first button or label whose words have too little room and do not end in an ellipsis.
inline QString clipped(const QWidget& root) {
    for (const auto* label : root.findChildren<QLabel*>()) {
        const bool elides = qobject_cast<const ui::ElidedLabel*>(label);
        if (!label->isVisibleTo(&root) || elides || label->text().isEmpty()) continue;
        const int needed =
            label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
        const bool wide = !label->wordWrap() && label->sizeHint().width() > label->width();
        if (wide || needed > label->height()) return named(*label, label->text());
    }
    for (const auto* button : root.findChildren<QAbstractButton*>()) {
        if (!button->isVisibleTo(&root) || button->text().isEmpty()) continue;
        const int words = button->fontMetrics().size(Qt::TextShowMnemonic, button->text()).width();
        if (words > button->width()) return named(*button, button->text());
    }
    return {};
}

// The first two labels, buttons or boxes of one parent of which one lies over the other by
// more than a line that they share.
inline QString overlapping(const QWidget& root) {
    QList<const QWidget*> leaves;
    for (const auto* widget : root.findChildren<QWidget*>())
        if (widget->isVisibleTo(&root) &&
            (qobject_cast<const QLabel*>(widget) || qobject_cast<const QAbstractButton*>(widget) ||
             qobject_cast<const QComboBox*>(widget)))
            leaves << widget;
    for (const QWidget* one : leaves)
        for (const QWidget* other : leaves)
            if (one < other && one->parentWidget() == other->parentWidget() &&
                one->geometry().adjusted(1, 1, -1, -1).intersects(other->geometry()))
                return named(*one, one->accessibleName()) + QStringLiteral(" and ") +
                       named(*other, other->accessibleName());
    return {};
}

}  // namespace geometry
