// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRectF>
#include <vector>

#include "ui/painting/map_scale.h"

class QPainter;

namespace ui {

inline constexpr double colourBarHeight = 27;  // bar 12, ticks and numbers below

// Where the colours lie within the area of a bar, its numbers and its cap.
QRectF colourStrip(const QRectF& area);
// Values worth a number: both ends, zero, and round ones with `gap` logical pixels between them;
// ascending.
std::vector<double> colourBarTicks(const ColourScale&, double width, double gap);
// What is below the scale's threshold has the colour of 0, up to a mark.
// `exceeded` adds the cap: values beyond the range exist and take the last colour.
void paintColourBar(QPainter&, const Theme&, const QRectF& area, const ColourScale&, bool exceeded);

}  // namespace ui
