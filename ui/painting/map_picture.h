// SPDX-License-Identifier: GPL-3.0-or-later
// One of several heads' or runs' maps that stand beside one another on the same axes and scale,
// painted by the widget that holds them: a QCustomPlot each would cost more than it draws.
#pragma once
#include <QImage>
#include <optional>

#include "ui/painting/map_scene.h"

class QPainter;

namespace ui {

// What the pictures of a group have in common.
struct MapLook {
    MapView view;
    MapUnits units;              // of the axes
    std::int64_t positions = 0;  // of the axes, in those
    std::int64_t rowsReady = 0;
    engine::Quantity quantity = engine::Quantity::Pattern;
    bool renormalized = false;  // as TileRequest's: tiles that are not are not drawn
    ColourScale scale;
    bool hidesSink = false;  // of a tile that is not renormalized
    std::optional<MapCell> selected;
    bool locked = false;
    bool transposed = false;  // MapScene::transposed
    bool operator==(const MapLook&) const = default;
};

// The tile that a picture needs, of its axes in tokens.
struct WantedView {
    engine::Axis dest, src;
    engine::Pooling pooling = engine::Pooling::None;
    bool operator==(const WantedView&) const = default;
};

class MapPicture {
  public:
    MapPicture();

    bool setLook(const MapLook&);  // false: it is the same
    void setWindow(int keys);      // as AttentionRule::window
    void setTokens(std::vector<engine::Token>, std::int64_t promptTokens, int labelCharacters,
                   std::vector<QString> numbers = {});
    void setHovered(std::optional<MapCell>);
    // Rows that the other run of a comparison has, and this one does not; and who has them.
    void setOneRunOnly(engine::Rows, const QString&);
    // F32, `index` in its heads; another shape is ignored. A tile of another quantity than the
    // look's is kept but not drawn.
    void setTile(const engine::Tile&, int index);
    void dropTile();
    const std::optional<engine::Tile>& tile() const { return m_tile; }
    // Logical place of the map's square and device pixels a logical one; by theme().
    void place(QPointF origin, double side, double ratio);

    const MapScene& scene() const { return m_scene; }
    const MapLook& look() const { return m_look; }
    // `chosen`: where several cells share a pixel. None before the picture has a place.
    std::optional<WantedView> wanted(engine::Pooling chosen) const;
    // What the picture shows at a cell in view, where that is known.
    std::optional<double> valueAt(MapCell) const;
    std::optional<MapCell> cellUnder(QPointF) const;
    int availableSide() const { return m_available; }  // device pixels

    void paint(QPainter&);  // the data and the lines over it

  private:
    void relayout();

    MapScene m_scene;
    MapLook m_look;
    std::optional<engine::Tile> m_tile;
    QImage m_image;  // null: to be painted
    int m_available = 0;
};

}  // namespace ui
