// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a picture of one head's map shows, the same for the window
// and for a figure.
#pragma once
#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

#include "engine/values/edits.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/map_scale.h"
#include "ui/painting/map_units.h"
#include "ui/painting/theme.h"

namespace ui {

struct MapScene {
    Theme theme;
    double ratio = 1;  // device pixels a logical one
    MapGeometry geometry;
    QPointF origin;  // logical, of the map's upper left corner; on a device pixel
    MapUnits units;  // what the geometry counts; all else is in tokens, if not said
    std::vector<engine::Token> tokens;
    // Of the tokens, where a place on the axes is not the position itself; else empty.
    std::vector<QString> numbers;
    std::int64_t promptTokens = 0;
    std::int64_t rowsReady = 0;
    int window = 0;                    // AttentionRule::window
    float softCap = 0;                 // AttentionRule::soft_cap
    std::optional<engine::Tile> tile;  // F32; may hold other axes than the
                                       // geometry while a newer one is on its way
    int tileHead = 0;                  // index in tile->request.heads
    ColourScale scale;
    bool hidesSink = false;           // source 0 is not drawn
    std::optional<MapCell> selected;  // in units; row and column are outlined
    bool locked = false;              // with a box around the cell
    std::optional<MapCell> hovered;
    std::vector<float> row,
        column;  // p of the selected row on every src, of the selected column on
                 // every dest
    std::vector<engine::EdgeEdit> forbidden;  // cells that the run keeps this head from
    // Of two runs: rows that only the other one has, and which that is ("only run B has them").
    engine::Rows oneRunOnly;
    QString oneRunOnlyText;
    int labelCharacters = 8;  // a longer token is elided on the axes

    // Destinations along the page's x and sources along its y. Nothing else of a scene knows: tile,
    // geometry and every rectangle of cells have their sources along x, and `turned`, through
    // `logical` and `toMap`, is the only way between them and the page.
    bool transposed = false;
    // From the map's x and y to the page's, and back: the same.
    QPointF turned(QPointF at) const { return transposed ? at.transposed() : at; }
    QRectF turned(const QRectF& rect) const {
        return transposed ? QRectF(rect.y(), rect.x(), rect.height(), rect.width()) : rect;
    }
    // Logical rectangle on the page of device pixels of the map.
    QRectF logical(const QRectF& device) const {
        const QRectF page = turned(device);
        return {origin + page.topLeft() / ratio, page.size() / ratio};
    }
    // Device pixels from the map's corner of a logical point of the page.
    QPointF toMap(QPointF page) const { return turned((page - origin) * ratio); }
    // What a destination is called where it matters that it is a row on the page.
    QString destWord() const { return transposed ? QStringLiteral("dest") : QStringLiteral("row"); }
    QRectF mapRect() const {
        return logical({0, 0, double(geometry.side()), double(geometry.side())});
    }
    std::int64_t unitsReady() const { return units.unitsReady(rowsReady); }
    // All tokens of the tile pixel that holds a cell.
    engine::Rows destTokens(MapCell cell) const {
        return units.tokensOf(geometry.destBlock(cell.dest));
    }
    engine::Rows srcTokens(MapCell cell) const {
        return units.tokensOf(geometry.srcBlock(cell.src));
    }
    double cellPixels() const { return geometry.cellSize() / ratio; }
};

}  // namespace ui
