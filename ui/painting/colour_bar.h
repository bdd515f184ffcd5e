// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRectF>
#include <vector>

#include "ui/painting/map_scale.h"

class QPainter;

namespace ui {

inline constexpr double colourBarHeight = 27;  // bar 12, ticks and numbers below

// Values worth a number: both ends, zero, and round ones with `gap` logical pixels between them;
// ascending.
std::vector<double> colourBarTicks(const ColourScale&, double width, double gap);
// `exceeded` adds the cap: values beyond the range exist and take the last colour.
void paintColourBar(QPainter&, const Theme&, const QRectF& area, const ColourScale&, bool exceeded);

}  // namespace ui
