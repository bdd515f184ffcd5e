// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/palette_choice.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QWidget>
#include <algorithm>

namespace ui {

namespace {

Palette& chosenPalette() {
    static Palette chosen = Palette::Navia;
    return chosen;
}

}  // namespace

Palette palette() {
    return chosenPalette();
}

void setPalette(Palette chosen) {
    if (chosen == chosenPalette()) return;
    chosenPalette() = chosen;
    if (!qobject_cast<QApplication*>(QCoreApplication::instance())) return;
    // What paints by it repaints on the same event as with another theme.
    QList<QPointer<QWidget>> widgets;
    for (QWidget* widget : QApplication::allWidgets()) widgets << widget;
    for (const QPointer<QWidget>& widget : widgets) {
        QEvent changed(QEvent::PaletteChange);
        if (widget) QApplication::sendEvent(widget, &changed);
    }
}

QString paletteName(Palette palette) {
    return QLatin1String(paletteNames.at(static_cast<std::size_t>(palette)));
}

std::optional<Palette> paletteNamed(std::string_view name) {
    const auto at = static_cast<std::size_t>(
        std::find(paletteNames.begin(), paletteNames.end(), name) - paletteNames.begin());
    if (at == paletteNames.size()) return std::nullopt;
    return static_cast<Palette>(at);
}

}  // namespace ui
