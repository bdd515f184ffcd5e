// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a contribution table into QCustomPlots: the heads of one layer as bars, all layers as a
// waterfall (attribution) or as bars from zero (norms). The dock and the figure use it, each with
// its own theme and size.
#pragma once
#include <QString>
#include <optional>

#include "engine/values/contribution.h"
#include "engine/values/ids.h"
#include "ui/painting/theme.h"

class QCustomPlot;

namespace ui {

enum class Measure { Write, Attribution };  // ‖write‖, or what it adds to the target's logit

struct ContributionView {
    const engine::ContributionTable* table = nullptr;  // not null while drawn
    // Of the run it is compared with, of the same shape: under each head's bar, and a mark in each
    // layer's row. Null: none.
    const engine::ContributionTable* beside = nullptr;
    Measure measure = Measure::Attribution;
    engine::LayerHead focus;
    bool markHead = true;  // the focused head's row; its layer is always marked among the layers
    int kvHeads = 0;
    int hoveredRow = -1;
    Theme theme;
};

// Clears the plot and draws a row a head, top to bottom over the plot's whole height, and a row for
// the bias of the output projection where the model has one.
int headRows(const ContributionView&);
std::optional<double> outputBias(const ContributionView&);  // of the focused layer
void drawHeads(QCustomPlot&, const ContributionView&);
constexpr int layersMargin = 3;  // pixels above row 0 and below the last, for their labels
// Row 0 is the embedding, row 1 + l is layer l. height is in pixels: it decides which labels fit.
void drawLayers(QCustomPlot&, const ContributionView&, int height);
// Whether each row's number has room. Else the largest are written, and the hovered row's.
bool allTotalsFit(const ContributionView&, int height);

double headValue(const ContributionView&, int head);
ContributionView besideView(const ContributionView&);  // of the other run alone
double layerValue(const ContributionView&,
                  int layer);                    // attribution: attention + MLP; norm: attention's
double attentionValue(const ContributionView&);  // of the focused layer: what Σ heads must give
double writesSum(
    const engine::ContributionTable&);  // embedding + all layers + the final norm's bias
QString valueText(Measure, double value, int decimals = 3);

}  // namespace ui
