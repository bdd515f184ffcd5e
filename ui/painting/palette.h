// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers to colours: tables of 256 and the scale that maps a value into one.
#pragma once
#include <QRgb>
#include <array>
#include <memory>
#include <vector>

#include "engine/values/tile.h"
#include "ui/painting/theme.h"

namespace ui {

using ColourTable = std::array<QRgb, 256>;

// The chosen palette (palette_choice.h), navia at first, turned so that zero recedes into the
// ground of either theme.
const ColourTable& sequentialTable(Scheme);
// vik on light, berlin on dark; entry 128 is zero.
const ColourTable& divergingTable(Scheme);

// Sequential: [low, high] to the table. Diverging: [−high, high], zero in the
// centre, low unused.
struct ColourScale {
    double low = 0, high = 1;
    engine::Transfer transfer = engine::Transfer::Sqrt;  // a diverging Log falls back to Sqrt
    bool diverging = false;
    bool isZero = false;  // there is nothing but zero: a bar of it has no ends
    const ColourTable* table = nullptr;
    // Where given, a value's place is its rank among these magnitudes, ascending.
    std::shared_ptr<const std::vector<float>> ranked;
    double threshold = 0;  // smaller magnitudes take the colour of 0; 0: none do

    double position(
        double value) const;  // in [0, 1], clamped; NaN is 0 (the centre when diverging)
    double valueAt(double position) const;
    int entry(double value) const;  // of the table, the threshold applied
    QRgb colour(double value) const { return (*table)[static_cast<std::size_t>(entry(value))]; }
    // Beyond the range by more than rounding: drawn in the last colour and said
    // beside the bar.
    bool exceeds(double value) const;
    bool operator==(const ColourScale&) const = default;
};

}  // namespace ui
