// SPDX-License-Identifier: GPL-3.0-or-later
// p of the selected row above the map, of the selected column right of it, on the map's own cell
// grid.
#pragma once
#include <vector>

#include "ui/painting/map_scene.h"

class QPainter;

namespace ui {

inline constexpr double profileTop = 52, profileRight = 54;  // room beside the map, logical pixels

// The tile pixels to write a number at: the five largest, two below 14 px a cell, by falling value;
// none below 0.015.
std::vector<int> numberedBars(const std::vector<float>& bars, double cellPixels);
// Largest p of each pixel of an axis; positions that p lacks are 0.
std::vector<float> profileBars(const std::vector<float>& p, const engine::Axis&);

void paintProfiles(QPainter&, const MapScene&);

}  // namespace ui
