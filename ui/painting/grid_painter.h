// SPDX-License-Identifier: GPL-3.0-or-later
// The grid's header, gutter and frames, the same in the window and in a figure.
#pragma once
#include <QPoint>
#include <QSize>
#include <optional>

#include "ui/painting/grid_layout.h"
#include "ui/painting/theme.h"

class QPainter;

namespace ui {

struct GridScene {
    Theme theme;
    GridLayout layout;
    QSize viewport;
    QPoint
        origin;  // of the content in the viewport; its header is at the top, its gutter at the left
    std::optional<engine::LayerHead> focused;
};

void paintGridFrames(QPainter&, const GridScene&);
void paintGridHeader(QPainter&, const GridScene&);
void paintGridGutter(QPainter&, const GridScene&);
void paintEmptyGrid(QPainter&, const Theme&, QSize viewport);  // what the grid will hold

}  // namespace ui
