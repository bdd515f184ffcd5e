// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFontDatabase>
#include <algorithm>
#include <cmath>

#include "ui/painting/figure_fonts.h"
#include "ui/painting/theme.h"

namespace ui {

namespace {

// The desktop's font size in points as it was before loadFonts replaced the application's font.
double& desktopPoints() {
    static double points = 9;
    return points;
}

thread_local int figuresDrawn = 0;

void setSize(QFont& font, double px) {
    if (figuresDrawn > 0)
        font.setPixelSize(static_cast<int>(std::lround(px)));
    else
        font.setPointSizeF(px * 0.75 * desktopPoints() / 9);
}

}  // namespace

void loadFonts() {
    static bool loaded = false;
    if (loaded) return;
    loaded = true;
    for (const QLatin1StringView name :
         {QLatin1StringView("Inter-Regular.otf"), QLatin1StringView("Inter-SemiBold.otf"),
          QLatin1StringView("DejaVuSansMono.ttf"), QLatin1StringView("DejaVuSansMono-Bold.ttf")}) {
        if (QFontDatabase::addApplicationFont(QLatin1StringView(":/fonts/") + name) < 0)
            qWarning("the bundled font %s cannot be read; a system font stands in", name.data());
    }
    const double asked = QApplication::font().pointSizeF();
    // Offscreen platforms have no desktop and report a default of their own: not a wish.
    if (asked > 0 && QGuiApplication::platformName() != QLatin1StringView("offscreen"))
        followDesktopFont(asked);
    QApplication::setFont(wordFont(12));
}

void followDesktopFont(double points) {
    desktopPoints() = std::clamp(points, 6.0, 36.0);
}

FigureFonts::FigureFonts() {
    ++figuresDrawn;
}

FigureFonts::~FigureFonts() {
    --figuresDrawn;
}

QFont wordFont(double px, bool semiBold) {
    QFont font(QStringLiteral("Inter"));
    font.setStyleHint(QFont::SansSerif);
    setSize(font, px);
    font.setWeight(semiBold ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);  // the same shapes at every scale
    return font;
}

QFont monoFont(double px, bool bold) {
    QFont font(QStringLiteral("DejaVu Sans Mono"));
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    setSize(font, px);
    font.setWeight(bold ? QFont::Bold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

}  // namespace ui
