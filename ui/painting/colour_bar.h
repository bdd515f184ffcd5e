// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRectF>
#include <QString>
#include <vector>

#include "ui/painting/map_scale.h"

class QFontMetricsF;
class QPainter;

namespace ui {

inline constexpr double colourBarHeight = 27;  // bar 12, ticks and numbers below

// Where the colours lie within the area of a bar, its numbers and its cap.
QRectF colourStrip(const QRectF& area);
// Values worth a number: both ends, zero, and round ones with `gap` logical pixels between them;
// ascending.
std::vector<double> colourBarTicks(const ColourScale&, double width, double gap);

struct ColourBarNumber {
    double value;
    QString text;
    double left, width;  // of the text, logical pixels from the bar's left end
};
// The ticks' numbers that have room, ascending: none touches another. On a short bar the upper end
// goes before the lower one, both before zero, and zero before what is round.
std::vector<ColourBarNumber> colourBarNumbers(const ColourScale&, double width,
                                              const QFontMetricsF&);
// What is below the scale's threshold has the colour of 0, up to a mark.
// `exceeded` adds the cap: values beyond the range exist and take the last colour.
void paintColourBar(QPainter&, const Theme&, const QRectF& area, const ColourScale&, bool exceeded);

}  // namespace ui
