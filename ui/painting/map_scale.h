// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/values/tile.h"
#include "ui/painting/palette.h"

namespace ui {

enum class RangeMode { Head, Fixed };  // the head's largest value; 0 to 1, for the pattern only

// What the four controls under the colour bar say.
struct ScaleChoice {
    engine::Transfer transfer = engine::Transfer::Sqrt;  // log is not offered for signed quantities
    RangeMode range = RangeMode::Head;
    bool sinkInScale = false;  // whether source 0 counts for the range
    engine::Pooling pooling = engine::Pooling::Max;
    bool operator==(const ScaleChoice&) const = default;
};

// Largest magnitudes of what a head's map holds, visible cells only.
struct ValueExtent {
    double withoutSink = 0;  // sources from 1 on
    double sink = 0;         // source 0
    void include(const ValueExtent& other);
};

// What the map drew, for the scale column to say.
struct MapLegend {
    engine::Quantity quantity = engine::Quantity::Pattern;
    ScaleChoice choice;
    ColourScale scale;
    bool exceeded = false;         // some visible cell is beyond the range …
    bool onlySinkExceeds = false;  // … all of them on source 0
    std::int64_t cellsPerPixel = 1;
    double cellPixels = 0;     // logical pixels a cell, when not pooled
    bool notComputed = false;  // rows in view are dotted
    bool hasWindow = false;    // cells in view are outside the layer's window
    bool hasData = false;
};

constexpr bool isSigned(engine::Quantity quantity) {
    return quantity == engine::Quantity::Scores || quantity == engine::Quantity::Attribution;
}

// Of head `index` in an F32 tile; window as in AttentionRule.
ValueExtent extentOf(const engine::Tile&, int index, int window);
ColourScale scaleFor(const ScaleChoice&, engine::Quantity, const ValueExtent&, Scheme);

// "p (pattern)", "score", "‖p·v·Wₒ‖", "logit attribution".
QString quantityTitle(engine::Quantity);
// As a colour bar's tick: ".83", "5e-4", "−0.81".
QString scaleNumber(double value, engine::Quantity);

}  // namespace ui
