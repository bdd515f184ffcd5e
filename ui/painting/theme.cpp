// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/theme.h"

#include <QApplication>
#include <QStyleHints>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace ui {

namespace {

Theme lightTheme() {
    Theme t;
    t.scheme = Scheme::Light;
    t.window = QColor(0xEFEFEE);
    t.base = QColor(0xFFFFFF);
    t.alternate = QColor(0xF7F7F6);
    t.title = QColor(0xE4E4E2);
    t.button = QColor(0xFAFAF9);
    t.border = QColor(0xBEBEBB);
    t.softBorder = QColor(0xDADAD7);
    t.text = QColor(0x1B1C1E);
    t.text2 = QColor(0x55585C);
    t.text3 = QColor(0x686B6F);
    t.maskedMap = QColor(0xCCCCCC);
    t.maskedThumbnail = QColor(0xE4E4E3);
    t.outOfWindowLine = QColor(0xA6A6A6);
    t.notComputedGround = QColor(0xF3F3F2);
    t.notComputedDot = QColor(0xBDBDBA);
    t.halo = QColor(0xFFFFFF);
    t.dest = QColor(0xB84A00);
    t.src = QColor(0x7A3DB8);
    t.accent = QColor(0x2A6BB0);
    t.accentGround = QColor(0xD9E6F4);
    t.bar = QColor(0x52667A);
    t.mlpBar = QColor(0x8694A1);
    t.ok = QColor(0x2B7A36);
    t.warn = QColor(0x8A5D00);
    t.error = QColor(0xB3261E);
    t.warnGround = QColor(0xFFF3D6);
    t.errorGround = QColor(0xFBE4E1);
    return t;
}

Theme darkTheme() {
    Theme t;
    t.scheme = Scheme::Dark;
    t.window = QColor(0x2C2D2F);
    t.base = QColor(0x1F2022);
    t.alternate = QColor(0x252628);
    t.title = QColor(0x363739);
    t.button = QColor(0x3A3B3E);
    t.border = QColor(0x4E5054);
    t.softBorder = QColor(0x3D3E42);
    t.text = QColor(0xE6E7E9);
    t.text2 = QColor(0xACAFB4);
    t.text3 = QColor(0x92959B);
    t.maskedMap = QColor(0x3B3C3F);
    t.maskedThumbnail = QColor(0x333437);
    t.outOfWindowLine = QColor(0x5E6065);
    t.notComputedGround = QColor(0x28292B);
    t.notComputedDot = QColor(0x505257);
    t.halo = QColor(0x0A0A0B);
    t.dest = QColor(0xFF9A47);
    t.src = QColor(0xC9A2FF);
    t.accent = QColor(0x5B9BDD);
    t.accentGround = QColor(0x2B4058);
    t.bar = QColor(0x9FB2C5);
    t.mlpBar = QColor(0x6B7783);
    t.ok = QColor(0x74C57C);
    t.warn = QColor(0xE3B34F);
    t.error = QColor(0xF4897F);
    t.warnGround = QColor(0x43381F);
    t.errorGround = QColor(0x47292A);
    return t;
}

double gammaEncoded(double linear) {
    const double v = std::clamp(linear, 0.0, 1.0);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

// Björn Ottosson's OKLCH; hue in degrees.
QColor fromOklch(double l, double c, double h) {
    const double radians = h * std::numbers::pi / 180;
    const double a = c * std::cos(radians), b = c * std::sin(radians);
    const double l3 = std::pow(l + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m3 = std::pow(l - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s3 = std::pow(l - 0.0894841775 * a - 1.2914855480 * b, 3);
    return QColor::fromRgbF(
        static_cast<float>(gammaEncoded(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3)),
        static_cast<float>(
            gammaEncoded(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3)),
        static_cast<float>(
            gammaEncoded(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3)));
}

Theme& current() {
    static Theme instance = lightTheme();
    return instance;
}

}  // namespace

Theme themeOf(Scheme scheme) {
    return scheme == Scheme::Light ? lightTheme() : darkTheme();
}

QPalette Theme::palette() const {
    QPalette p(button, window);  // derives bevel shades; the roles below replace what it guesses
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, alternate);
    p.setColor(QPalette::Button, button);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(role, text);
    p.setColor(QPalette::Highlight, accentGround);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::PlaceholderText, text3);
    p.setColor(QPalette::ToolTipBase, base);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Midlight, softBorder);
    QColor faint = text3;
    faint.setAlphaF(0.6F);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, faint);
    return p;
}

QColor Theme::kvGroup(int g, int groups) const {
    double lightness = scheme == Scheme::Light ? 0.60 : 0.74;
    if (groups > 12) lightness += g % 2 == 0 ? 0.06 : -0.06;  // neighbours' hues are too close
    return fromOklch(lightness, 0.105, 85 + 360.0 * g / std::max(groups, 1));
}

const Theme& theme() {
    return current();
}

void setTheme(Scheme scheme) {
    desktopScheme();  // remembers what the desktop asked for before its palette is replaced
    current() = themeOf(scheme);
    QApplication::setPalette(current().palette());
}

Scheme desktopScheme() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark ? Scheme::Dark
                                                                                 : Scheme::Light;
#else
    // Only the palette tells, and setTheme replaces it: what the first call saw counts.
    static const Scheme seen = QGuiApplication::palette().color(QPalette::Window).lightness() < 128
                                   ? Scheme::Dark
                                   : Scheme::Light;
    return seen;
#endif
}

}  // namespace ui
