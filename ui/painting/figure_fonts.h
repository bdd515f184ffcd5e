// SPDX-License-Identifier: GPL-3.0-or-later
// What sizes the fonts of theme.h.
#pragma once

namespace ui {

void followDesktopFont(double points);  // its size, for what is asked for from then on

// While one lives on this thread, fonts are of just so many pixels: what is exported is the same on
// every desktop, whatever its font's size and its screen's resolution.
class FigureFonts {
  public:
    FigureFonts();
    ~FigureFonts();
    FigureFonts(const FigureFonts&) = delete;
    FigureFonts& operator=(const FigureFonts&) = delete;
};

}  // namespace ui
