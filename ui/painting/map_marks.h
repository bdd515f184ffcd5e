// SPDX-License-Identifier: GPL-3.0-or-later
// What lies over the data: cell lines, the prompt's end, the causal staircase, the selected row and
// column, the crosshair.
#pragma once
#include "ui/painting/map_scene.h"

class QPainter;

namespace ui {

void paintMapLines(QPainter&, const MapScene&);     // under the marks; part of every figure
void paintForbidden(QPainter&, const MapScene&);    // a cross over cells that are forbidden
void paintNotComputed(QPainter&, const MapScene&);  // "row 22 and later: not computed yet"
void paintSelection(QPainter&, const MapScene&);    // selected row and column, lock box
void paintCrosshair(QPainter&, const MapScene&);    // the hovered cell
void paintOneRunOnly(QPainter&, const MapScene&);   // "rows 19 to 21: only run B has them"
QRectF notComputedRect(const MapScene&);  // logical; empty when every row in view has data

}  // namespace ui
