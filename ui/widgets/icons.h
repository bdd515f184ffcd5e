// SPDX-License-Identifier: GPL-3.0-or-later
// The few signs of the window, drawn in the theme's text colour so that they fit both schemes and
// every scale.
#pragma once
#include <QIcon>

namespace ui {

enum class Sign { Run, Step, Pause, Stop, Expand, First, Previous, Next, Last, Float, Close, Warn };

QIcon icon(Sign);  // of the current theme; ask again on QEvent::PaletteChange

}  // namespace ui
