// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/painting/cell_kind.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_marks.h"

namespace ui {

namespace {

constexpr int largestScreenCell = 96;  // logical pixels

}  // namespace

MapPicture::MapPicture() {
    m_scene.theme = theme();
    m_scene.scale = scaleFor({}, engine::Quantity::Pattern, {}, m_scene.theme.scheme);
}

bool MapPicture::setLook(const MapLook& look) {
    if (look == m_look) return false;
    m_look = look;
    relayout();
    return true;
}

void MapPicture::setWindow(int keys) {
    if (keys == m_scene.window) return;
    m_scene.window = keys;
    m_image = {};
}

void MapPicture::setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens,
                           int labelCharacters, std::vector<QString> numbers) {
    m_scene.tokens = std::move(tokens);
    m_scene.numbers = std::move(numbers);
    m_scene.promptTokens = promptTokens;
    m_scene.labelCharacters = labelCharacters;
}

void MapPicture::setHovered(std::optional<MapCell> cell) {
    m_scene.hovered = cell;
}

void MapPicture::setOneRunOnly(engine::Rows rows, const QString& who) {
    m_scene.oneRunOnly = rows;
    m_scene.oneRunOnlyText = who;
    m_image = {};
}

void MapPicture::setTile(const engine::Tile& tile, int index) {
    const std::int64_t cells = tile.request.dest.pixels() * tile.request.src.pixels();
    if (tile.data.dtype != engine::DType::F32 || index < 0 ||
        index >= std::ssize(tile.request.heads) ||
        tile.data.elements() != cells * std::ssize(tile.request.heads))
        return;
    m_tile = tile;
    m_scene.tileHead = index;
    relayout();
}

void MapPicture::dropTile() {
    m_tile.reset();
    relayout();
}

void MapPicture::place(QPointF origin, double side, double ratio) {
    m_scene.theme = theme();
    m_scene.ratio = ratio;
    m_scene.origin =
        QPointF(std::round(origin.x() * ratio) / ratio, std::round(origin.y() * ratio) / ratio);
    m_available = static_cast<int>(std::floor(std::max(side, 0.0) * ratio));
    relayout();
}

void MapPicture::relayout() {
    m_scene.units = m_look.units;
    m_scene.transposed = m_look.transposed;
    m_scene.geometry =
        m_available > 0 && m_look.positions > 0
            ? MapGeometry(m_look.view, m_look.positions, m_available,
                          static_cast<int>(std::lround(largestScreenCell * m_scene.ratio)))
            : MapGeometry();
    if (m_look.scale.table) m_scene.scale = m_look.scale;
    // A renormalized pixel of several sources holds those from 1 on.
    m_scene.hidesSink =
        m_look.renormalized && !m_scene.geometry.isEmpty()
            ? m_scene.srcTokens({m_look.view.dest, m_scene.geometry.src().begin}).count() == 1
            : !m_look.renormalized && m_look.hidesSink;
    m_scene.selected = m_look.selected;
    m_scene.locked = m_look.locked;
    if (m_tile && m_tile->request.quantity == m_look.quantity &&
        m_tile->request.renormalized == m_look.renormalized &&
        m_tile->request.dest.edges.empty() == m_look.units.areTokens())
        m_scene.tile = m_tile;
    else
        m_scene.tile.reset();
    m_scene.rowsReady = m_look.rowsReady;
    m_image = {};
}

std::optional<MapCell> MapPicture::cellUnder(QPointF position) const {
    const QPointF at = m_scene.toMap(position);
    return m_scene.geometry.cellAt(at.x(), at.y());
}

std::optional<WantedView> MapPicture::wanted(engine::Pooling chosen) const {
    const MapGeometry& geometry = m_scene.geometry;
    if (geometry.isEmpty()) return std::nullopt;
    const MapUnits& units = m_look.units;
    return WantedView{units.tokensOf(geometry.dest()), units.tokensOf(geometry.src()),
                      !units.areTokens()             ? engine::Pooling::Mean
                      : geometry.cellsPerPixel() > 1 ? chosen
                                                     : engine::Pooling::None};
}

std::optional<double> MapPicture::valueAt(MapCell cell) const {
    if (!m_scene.tile || m_scene.geometry.isEmpty() || !m_scene.geometry.rectOf(cell).isValid())
        return std::nullopt;
    const engine::Rows rows = m_scene.destTokens(cell);
    const engine::Axis &dest = m_scene.tile->request.dest, &src = m_scene.tile->request.src;
    if (m_look.renormalized && m_scene.srcTokens(cell).end == 1) return std::nullopt;  // left out
    if (kindOf(rows, m_scene.srcTokens(cell), m_scene.window, m_scene.rowsReady) !=
            CellKind::Value ||
        rows.begin >= m_scene.tile->rows_ready ||
        dest != m_scene.units.tokensOf(m_scene.geometry.dest()) ||
        src != m_scene.units.tokensOf(m_scene.geometry.src()))
        return std::nullopt;
    const std::int64_t row = m_scene.tileHead * dest.pixels() + pixelAt(dest, rows.begin);
    const std::int64_t column = pixelAt(src, m_scene.srcTokens(cell).begin);
    const float value =
        m_scene.tile->data.as<float>()[static_cast<std::size_t>(row * src.pixels() + column)];
    if (std::isnan(value)) return std::nullopt;
    return value;
}

void MapPicture::paint(QPainter& painter) {
    if (m_scene.geometry.isEmpty()) return;
    if (m_image.isNull()) {
        m_image = mapImage(m_scene);
        m_image.setDevicePixelRatio(m_scene.ratio);
    }
    painter.drawImage(m_scene.origin, m_image);
    paintMapLines(painter, m_scene);
}

}  // namespace ui
