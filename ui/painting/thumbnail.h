// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/tile.h"
#include "ui/painting/grid_fold.h"
#include "ui/painting/theme.h"

namespace ui {

// Head `index` of a square tile in side × side device pixels. U8 bytes are entries of the colour
// table already; F32 is a pattern, drawn √, 0 to 1, and NaN as no value. A tile finer than the side
// is pooled by its largest, so that nothing hot is lost.
QImage thumbnailImage(const engine::Tile&, int index, int window, int side, double ratio,
                      const Theme&);

// A head of a tile.
struct TileHead {
    std::shared_ptr<const engine::Tile> tile;
    int index = 0;
};

// One picture of several heads as a tile of one: of every pixel the largest or the mean of their p,
// where a masked cell counts with its p of 0. A tile pixel of several cells holds a head's largest
// already, so a mean is over these. None when a tile is missing or the axes differ; rows are those
// that all of them have. As the first tile given, U8 (√: the mean is that of p, not of its root) or
// F32, where NaN of a head stays.
std::optional<engine::Tile> foldedTile(const std::vector<TileHead>&, FoldPooling);

}  // namespace ui
