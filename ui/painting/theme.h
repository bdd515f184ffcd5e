// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour and font of the window by its role. GUI thread only.
#pragma once
#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QApplication;

namespace ui {

enum class Scheme { Light, Dark };

struct Theme {
    Scheme scheme = Scheme::Light;
    QColor window, base, alternate, title, button, border, softBorder;
    QColor text, text2, text3;
    QColor maskedMap, maskedThumbnail;  // never a data colour
    QColor outOfWindowLine;             // on maskedMap: 45° lines, 1 px every 6
    QColor notComputedGround, notComputedDot;
    QColor halo;                  // under the crosshair
    QColor dest, src;             // the two ends; nothing else uses them
    QColor accent, accentGround;  // focus
    QColor bar, mlpBar;
    QColor ok, warn, error, warnGround, errorGround;

    QPalette palette() const;
    // Hue of KV group g of G (oklch, constant lightness and chroma); frames, header bars and list
    // marks only.
    QColor kvGroup(int g, int groups) const;
};

const Theme& theme();   // the current one
Theme themeOf(Scheme);  // any one, for export
// Also sets the application's palette; widgets that paint by theme() repaint on
// QEvent::PaletteChange.
void setTheme(Scheme);
Scheme desktopScheme();  // what the desktop asks for, as far as Qt tells

// Inter for words, DejaVu Sans Mono for tokens, ids and every number in a column; both bundled. px
// at 96 dpi, scaled by the desktop font's size / 9 pt.
QFont wordFont(double px = 12, bool semiBold = false);
QFont monoFont(double px = 11, bool bold = false);
void loadFonts();  // once, before the first widget

// A token's bytes as literal text on one line: spaces ·, newline ⏎, tab ⇥, other controls and
// broken UTF-8 as hex.
QString visibleToken(const std::string& bytes);
QString signedNumber(double value, int decimals);  // "+0.818", "−0.004" with U+2212
QString thousands(qint64 value);                   // "8,192"

}  // namespace ui
