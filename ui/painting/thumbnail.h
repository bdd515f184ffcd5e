// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

#include "engine/values/tile.h"
#include "ui/painting/theme.h"

namespace ui {

// Head `index` of a square tile in side × side device pixels. U8 bytes are entries of the colour
// table already; F32 is a pattern, drawn √, 0 to 1. A tile finer than the side is pooled by its
// largest, so that nothing hot is lost.
QImage thumbnailImage(const engine::Tile&, int index, int window, int side, double ratio,
                      const Theme&);

}  // namespace ui
