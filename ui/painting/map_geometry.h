// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QRect>
#include <optional>
#include <vector>

#include "engine/values/tile.h"

namespace ui {

// The square of cells in view: `count` a side from (dest, src) on.
struct MapView {
    std::int64_t dest = 0, src = 0, count = 0;
    bool operator==(const MapView&) const = default;
};

struct MapCell {
    std::int64_t dest = 0, src = 0;
    bool operator==(const MapCell&) const = default;
};

// Where the cells in view lie, in device pixels from the map's upper left corner; sources along x,
// destinations along y, also where MapScene turns them for the page. A cell of 4 px or more is a
// whole number of device pixels (at most maxCell); from 1 to 4 the cells fill the side, each edge
// on a device pixel; below 1 a device pixel pools a whole p × p cells.
class MapGeometry {
  public:
    MapGeometry() = default;
    // `view` is clamped to the axes of `tokens` positions, and to multiples of p where pooled.
    MapGeometry(MapView view, std::int64_t tokens, int availableSide, int maxCell);
    // A map that fills the whole side, as on a page: cells differ by a device pixel, and pooled a
    // tile's pixel is one or more of them.
    static MapGeometry filling(MapView view, std::int64_t tokens, int side);

    bool isEmpty() const { return m_view.count == 0; }
    const MapView& view() const { return m_view; }
    std::int64_t tokens() const { return m_tokens; }
    bool isWhole() const { return m_view.count >= m_tokens; }
    engine::Axis dest() const { return m_dest; }
    engine::Axis src() const { return m_src; }
    std::int64_t cellsPerPixel() const { return m_dest.cells_per_pixel; }  // p
    int side() const { return m_edges.empty() ? 0 : m_edges.back(); }
    double cellSize() const;  // device pixels a cell, below 1 when pooled
    // Tile pixel i spans [edges[i], edges[i + 1]) in either direction.
    const std::vector<int>& edges() const { return m_edges; }

    // The cell under a point, the first of its block when pooled; nothing outside the map.
    std::optional<MapCell> cellAt(double x, double y) const;
    // All cells of the tile pixel that holds `cell`.
    engine::Rows destBlock(std::int64_t dest) const;
    engine::Rows srcBlock(std::int64_t src) const;
    // Of a cell or its block; null when it is not in view.
    QRect rectOf(MapCell cell) const;
    // Device x (or y) of a position's leading edge, clamped to the map.
    int xOf(std::int64_t src) const { return edgeOf(src, m_src); }
    int yOf(std::int64_t dest) const { return edgeOf(dest, m_dest); }

  private:
    int edgeOf(std::int64_t position, const engine::Axis& axis) const;

    MapView m_view;
    std::int64_t m_tokens = 0;
    engine::Axis m_dest, m_src;
    std::vector<int> m_edges;
};

// The view `factor` times as large (below 1: closer) around `at`, device pixels from the map's
// corner, under which the cell stays; the same view where it can be neither.
MapView zoomedView(const MapGeometry&, int availableSide, double x, double y, double factor);

// The axis that shows `tokens` positions in at most `pixels` pixels, for thumbnails and figures.
engine::Axis wholeAxis(std::int64_t tokens, int pixels);

}  // namespace ui
