// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_geometry.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

}  // namespace

MapGeometry::MapGeometry(MapView view, std::int64_t tokens, int availableSide, int maxCell)
    : m_tokens(tokens) {
    if (tokens <= 0 || availableSide <= 0) return;
    std::int64_t count = std::clamp<std::int64_t>(view.count, 1, tokens);
    const std::int64_t p = count > availableSide ? ceilDiv(count, availableSide) : 1;
    count = std::min(ceilDiv(count, p) * p, tokens);
    const std::int64_t pixels = ceilDiv(count, p);
    const std::int64_t lastStart = ceilDiv(tokens - count, p) * p;
    const auto start = [&](std::int64_t wanted) {
        return std::clamp<std::int64_t>(wanted / p * p, 0, lastStart);
    };
    m_view = {start(view.dest), start(view.src), count};
    m_dest = {m_view.dest, std::min(m_view.dest + count, tokens), p, {}};
    m_src = {m_view.src, std::min(m_view.src + count, tokens), p, {}};
    m_edges.resize(static_cast<std::size_t>(pixels) + 1);
    const bool whole = p == 1 && count * 4 <= availableSide;
    const std::int64_t cell = std::min<std::int64_t>(availableSide / pixels, std::max(maxCell, 1));
    for (std::int64_t i = 0; i <= pixels; ++i) {
        const double edge =
            p > 1   ? static_cast<double>(i)
            : whole ? static_cast<double>(i * cell)
                    : static_cast<double>(i * availableSide) / static_cast<double>(pixels);
        m_edges[static_cast<std::size_t>(i)] = static_cast<int>(std::lround(edge));
    }
}

MapGeometry MapGeometry::filling(MapView view, std::int64_t tokens, int side) {
    MapGeometry geometry(view, tokens, side, side);
    const std::int64_t last = std::ssize(geometry.m_edges) - 1;
    for (std::int64_t i = 0; i <= last; ++i)
        geometry.m_edges[static_cast<std::size_t>(i)] = static_cast<int>(
            std::lround(static_cast<double>(i * side) / static_cast<double>(last)));
    return geometry;
}

double MapGeometry::cellSize() const {
    if (isEmpty()) return 0;
    return static_cast<double>(side()) / static_cast<double>(m_edges.size() - 1) /
           static_cast<double>(cellsPerPixel());
}

std::optional<MapCell> MapGeometry::cellAt(double x, double y) const {
    if (isEmpty() || !(x >= 0) || !(y >= 0) || x >= side() || y >= side()) return std::nullopt;
    const auto pixelAt = [this](double at) {
        const auto after =
            std::upper_bound(m_edges.begin(), m_edges.end(), static_cast<int>(std::floor(at)));
        return static_cast<std::int64_t>(after - m_edges.begin()) - 1;
    };
    const std::int64_t row = pixelAt(y), column = pixelAt(x);
    if (row >= m_dest.pixels() || column >= m_src.pixels()) return std::nullopt;
    return MapCell{m_dest.cells_of(row).begin, m_src.cells_of(column).begin};
}

engine::Rows MapGeometry::destBlock(std::int64_t dest) const {
    return m_dest.cells_of((dest - m_dest.begin) / cellsPerPixel());
}

engine::Rows MapGeometry::srcBlock(std::int64_t src) const {
    return m_src.cells_of((src - m_src.begin) / cellsPerPixel());
}

int MapGeometry::edgeOf(std::int64_t position, const engine::Axis& axis) const {
    if (isEmpty()) return 0;
    const std::int64_t last = static_cast<std::int64_t>(m_edges.size()) - 1;
    const std::int64_t pixel =
        position <= axis.begin ? 0 : (position - axis.begin) / cellsPerPixel();
    return m_edges[static_cast<std::size_t>(std::min(pixel, last))];
}

QRect MapGeometry::rectOf(MapCell cell) const {
    if (cell.dest < m_dest.begin || cell.dest >= m_dest.end || cell.src < m_src.begin ||
        cell.src >= m_src.end)
        return {};
    const auto row = static_cast<std::size_t>((cell.dest - m_dest.begin) / cellsPerPixel());
    const auto column = static_cast<std::size_t>((cell.src - m_src.begin) / cellsPerPixel());
    return {m_edges[column], m_edges[row], m_edges[column + 1] - m_edges[column],
            m_edges[row + 1] - m_edges[row]};
}

MapView zoomedView(const MapGeometry& geometry, int availableSide, double x, double y,
                   double factor) {
    if (geometry.isEmpty()) return geometry.view();
    const double cell = geometry.cellSize();
    const std::int64_t before = geometry.view().count;
    const std::int64_t least = std::min<std::int64_t>(4, geometry.tokens());
    std::int64_t after = std::llround(static_cast<double>(before) * factor);
    if (after == before) after += factor < 1 ? -1 : 1;
    // Pooled, only whole multiples of the side fill it.
    const std::int64_t room = std::max(availableSide, 1);
    if (after > room) {
        std::int64_t p = std::max<std::int64_t>(
            1, std::llround(static_cast<double>(after) / static_cast<double>(room)));
        if (factor < 1 && p * room >= before) --p;
        if (factor > 1 && p * room <= before) ++p;
        after = std::max<std::int64_t>(p, 1) * room;
    }
    after = std::clamp(after, least, geometry.tokens());
    if (after == before) return geometry.view();
    // The cell under the cursor stays under it.
    const double shrink = static_cast<double>(after) / static_cast<double>(before);
    const auto start = [&](std::int64_t from, double cells) {
        const double within = std::clamp(cells, 0.0, static_cast<double>(before));
        const std::int64_t wanted =
            std::llround(static_cast<double>(from) + within - within * shrink);
        return std::clamp<std::int64_t>(wanted, 0, geometry.tokens() - after);
    };
    return {start(geometry.view().dest, y / cell), start(geometry.view().src, x / cell), after};
}

engine::Axis wholeAxis(std::int64_t tokens, int pixels) {
    return {0, tokens, std::max<std::int64_t>(1, ceilDiv(tokens, std::max(pixels, 1))), {}};
}

}  // namespace ui
