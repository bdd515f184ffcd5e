// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens along a map's axes: which of them, how they are cut, and how they are drawn. Literal
// text always.
#pragma once
#include <QString>
#include <optional>
#include <vector>

#include "engine/values/run.h"
#include "ui/painting/map_scene.h"

class QPainter;

namespace ui {

struct TokenLabel {
    std::int64_t position = 0;
    QString index, token;  // "4,096", "·hib"; no token for reserved positions
    bool selected = false;
    QString text() const { return token.isEmpty() ? index : index + u' ' + token; }
};

struct LabelWish {
    engine::Axis axis;        // positions in view
    double cellPixels = 1;    // logical
    double minimumGap = 12;   // logical, between the baselines of two labels
    double selectedGap = 12;  // the same around the selected one
    std::optional<std::int64_t> selected;
    int characters = 8;                             // a longer token is elided
    MapUnits units = {};                            // of the axis
    const std::vector<QString>* numbers = nullptr;  // MapScene::numbers
};

// Every n-th position in view, n from 1, 2, 5, 10 … (powers of two when pooled), and the selected
// one, which pushes out the labels it would touch.
std::vector<TokenLabel> tokenLabels(const std::vector<engine::Token>& tokens, const LabelWish&);
std::int64_t labelStep(double cellPixels, double minimumGap, bool pooled);

// Room that the labels of `positions` need, logical pixels. From the prompt alone, so that it stays
// while tokens stream.
struct LabelRoom {
    int characters = 8;                       // of a token
    double rowWidth = 0;                      // left of the map, without tick marks and title
    double columnHeight(double angle) const;  // below it, tick marks included
};
LabelRoom labelRoom(const std::vector<engine::Token>& tokens, std::int64_t promptTokens,
                    std::int64_t positions);
// For labels that say a position in each of two runs.
void widenForTwoNumbers(LabelRoom&, std::int64_t positions);
// Of spans, which are as long as they are: so many of their first characters.
LabelRoom spanLabelRoom(const MapUnits&, std::int64_t tokens);
double columnLabelAngle(double cellPixels);  // degrees: 50, from 16 px a cell on; 65 below

// Rows and columns as they are on the page: destinations and sources, or transposed.
QString rowAxisTitle(bool transposed);
QString columnAxisTitle(bool transposed);
std::vector<TokenLabel> rowLabels(const MapScene&);
std::vector<TokenLabel> columnLabels(const MapScene&);
// Right-aligned at the map's left edge; `left` is where the selected one's ground starts (logical
// x).
void paintRowLabels(QPainter&, const MapScene&, const std::vector<TokenLabel>&, double left);
void paintColumnLabels(QPainter&, const MapScene&, const std::vector<TokenLabel>&);

}  // namespace ui
