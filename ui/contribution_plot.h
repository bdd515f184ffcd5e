// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a contribution table into QCustomPlots: the heads of one layer as bars, all layers as a
// waterfall (attribution) or as bars (norms). Used by the dock and by the figure, with the theme
// and the size that each wants.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "engine/values/contribution.h"
#include "engine/values/ids.h"
#include "ui/painting/theme.h"

class QCustomPlot;

namespace ui {

enum class Measure { Write, Attribution };  // ‖write‖, or what it adds to the target's logit

struct ContributionView {
    const engine::ContributionTable* table = nullptr;
    Measure measure = Measure::Attribution;
    engine::LayerHead focus;
    int kvHeads = 0;
    std::optional<int> hoveredRow;
    Theme theme;
};

// One row a head. The plot's height is rows · rowHeight; returns that row's value.
void drawHeads(QCustomPlot&, const ContributionView&);
// Row 0 is the embedding, row 1 + l is layer l.
void drawLayers(QCustomPlot&, const ContributionView&);

double headValue(const ContributionView&, int head);
double layerTotal(const ContributionView&,
                  int layer);              // attention + MLP; for norms their sum is not shown
double headsSum(const ContributionView&);  // what "Σ heads = attention out" writes
QString valueText(const ContributionView&, double value, int decimals = 3);

}  // namespace ui
