// SPDX-License-Identifier: GPL-3.0-or-later
// Which layers share a row of the grid and which KV groups a column, and what such a picture shows
// of its heads.
#pragma once
#include <QString>
#include <vector>

#include "engine/values/ids.h"

namespace ui {

enum class FoldPooling { Max, Mean };  // over the heads, pixel by pixel

struct GridFold {
    std::vector<engine::Rows> layers;  // each a row, two layers or more; ascending and disjoint
    std::vector<int> groups;           // KV groups, each a column; ascending
    FoldPooling pooling = FoldPooling::Max;

    bool isEmpty() const { return layers.empty() && groups.empty(); }
    bool hasGroup(int group) const;
    void toggleGroup(int group);
    // One row of what the range and the rows that it touches hold.
    void foldLayers(engine::Rows);
    void unfoldLayers(int layer);  // the row that holds it
    bool operator==(const GridFold&) const = default;
};

QString poolingName(FoldPooling);  // "max", "mean"

}  // namespace ui
