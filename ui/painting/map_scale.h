// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/tile.h"
#include "ui/painting/map_units.h"
#include "ui/painting/palette.h"

namespace ui {

// Whose largest value the last colour stands for; Fixed is 0 to 1, for the
// pattern only.
enum class RangeMode { Head, Layer, Model, Fixed };
// Source 0, where many heads put what they do not use: left out of the range,
// in it, not drawn, or out of the pattern itself (TileRequest::renormalized).
enum class SinkMode { OutOfScale, InScale, Hidden, Renormalized };

// What the four controls under the colour bar say.
struct ScaleChoice {
    engine::Transfer transfer = engine::Transfer::Sqrt;  // log is not offered for signed quantities
    // Instead: by its rank among the cells in view, or a sample of those of a wider range.
    bool rank = false;
    RangeMode range = RangeMode::Head;
    SinkMode sink = SinkMode::OutOfScale;
    engine::Pooling pooling = engine::Pooling::Max;
    // Of each quantity, in its own unit: what shows a smaller magnitude takes the colour of 0, and
    // its value stays what it is; 0: nothing does. There is no threshold by mass, a row's largest
    // cells until they hold a share of it: which these are follows from the whole row, and a view
    // may hold a part of it or a pixel of several rows, each with a cut of its own. A magnitude is
    // exact at every zoom: of maxima a pixel is below it where all of its cells are.
    std::array<double, 4> thresholds{};
    double threshold(engine::Quantity quantity) const {
        return thresholds[static_cast<std::size_t>(quantity)];
    }
    void setThreshold(engine::Quantity quantity, double magnitude) {
        thresholds[static_cast<std::size_t>(quantity)] = magnitude;
    }
    bool operator==(const ScaleChoice&) const = default;
};

// Largest magnitudes of what a head's map holds, visible cells only.
struct ValueExtent {
    double withoutSink = 0;  // sources from 1 on
    double sink = 0;         // source 0
    bool operator==(const ValueExtent&) const = default;
    void include(const ValueExtent& other);
};

// What is known of values beyond those in view, cell by cell.
struct RangeExtents {
    // By the metrics: the largest p of sources from 1 on.
    std::optional<float> headPattern, layerPattern, modelPattern;
    // Of the heads that the range asks for and the quantity in view, and what a rank among them
    // counts: magnitudes, ascending.
    std::optional<ValueExtent> wider;
    std::shared_ptr<const std::vector<float>> ranked;
    bool operator==(const RangeExtents&) const = default;
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
    bool offersWider = false;        // a layer's and the model's range
    bool measuring = false;          // one is chosen and not known yet: the head's till then
    std::int64_t rankedCells = 0;    // of a wider range, that the rank is among
    std::int64_t hiddenSources = 0;  // from 0 on, not drawn
    bool onlyColumn = false;         // no other: drawn, not hidden
    bool renormalized = false;       // the values are
    MapUnits units;                  // spans: what a value is, is another thing
};

constexpr bool isSigned(engine::Quantity quantity) {
    return quantity == engine::Quantity::Scores || quantity == engine::Quantity::Attribution;
}

// In effect: only a pattern can be renormalized, other quantities leave the sink
// out of their scale.
SinkMode sinkOf(const ScaleChoice&, engine::Quantity);

// Source 0 is not drawn, with those that share its column; of as many columns. The only one is: a
// blank map would say nothing.
inline bool hidesSinkOf(const ScaleChoice& choice, std::int64_t columns) {
    return choice.sink == SinkMode::Hidden && columns > 1;
}

// Of head `index` in an F32 tile; window as in AttentionRule.
ValueExtent extentOf(const engine::Tile&, int index, int window);
// Magnitudes of visible cells, ascending: at most some thousand of them, evenly
// taken; source 0 only where it is in the scale.
std::shared_ptr<const std::vector<float>> rankedMagnitudes(const engine::Tile&, int index,
                                                           int window, SinkMode);
// `difference`: of two runs, signed whatever the quantity.
ColourScale scaleFor(const ScaleChoice&, engine::Quantity, const ValueExtent&, Scheme,
                     bool difference = false);

// "p (pattern)", "p, renormalized", "score", "‖p·v·Wₒ‖", "logit attribution".
QString quantityTitle(engine::Quantity, bool renormalized = false);
// Of a map's values: "mass, by words" where its axes count those.
QString mapTitle(engine::Quantity, bool renormalized, const MapUnits&);
inline constexpr double largestThreshold = 1e9;
// "value < 0.05: as 0", "|value| < 0.05: as 0" of both signs; empty: no threshold.
QString thresholdNote(const ColourScale&);
// The number as short as it can be read back, as a person types it.
QString thresholdNumber(double magnitude);
// As a colour bar's tick: ".83", "5e-4", "−0.81".
QString scaleNumber(double value, bool withSign);
inline QString scaleNumber(double value, engine::Quantity quantity) {
    return scaleNumber(value, isSigned(quantity));
}

}  // namespace ui
