// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures for paper: heads' maps and the grid, laid out at a logical size and
// painted at any scale. Opaque ground.
#pragma once
#include <QImage>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/metrics.h"
#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "ui/painting/figure_page.h"
#include "ui/painting/grid_fold.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/map_scale.h"

class QPainter;

namespace ui {

struct HeadPanel {
    engine::LayerHead at;
    engine::Tile tile;  // F32, on figureAxes(), in tokens; none yet where that is asked
    int tileHead = 0;   // index in tile.request.heads
    int window = 0;     // of its layer
    QString note;       // right of the title, plain text; may be empty
};

// One head with its labels, several side by side, or all heads of a layer; all
// on one scale.
struct HeadFigure {
    std::vector<HeadPanel> panels;
    std::vector<engine::Token> tokens;  // as many as the tile's axes have positions
    MapUnits units;                     // of those axes
    // Of the tokens, where the axes are places of two runs aligned by token, as MapScene's; else
    // empty.
    std::vector<QString> numbers = {};
    ScaleChoice choice;             // quantity and pooling are the tiles' own
    std::optional<double> largest;  // of a layer's or model's range; none: the panels' own
    // Where ranks are of such a range: magnitudes, ascending. Null: of the first panel's cells.
    std::shared_ptr<const std::vector<float>> ranked;
    Scheme scheme = Scheme::Light;
    QString title;  // plain text, one line: model and prompt; may be empty
    QString
        target;  // of an attribution, in the note on the scale; empty: none, or the title has it
    FigurePage page;
    // What the note says of pooling and axes, where the tiles are a preview's: the request for
    // those of the file. None: the tiles' own.
    std::optional<engine::TileRequest> noted;
    std::optional<MapView> part;  // of the axes, in units, said in the note; none: all of them
    bool transposed = false;      // MapScene::transposed, said in the note; no tile is another

    // Says what an attribution is for: in the title, or beside the scale where `ownTitle`.
    void nameTarget(const QString& token, bool ownTitle) {
        if (ownTitle)
            target = token;
        else
            title += QStringLiteral(" · target ") + token;
    }
};

// The axes to ask the tiles of a figure on, which needs none to say so: at most as many pixels as a
// panel has at `scale`. This, size and pictures throw engine::Error (BadRequest) where the page has
// no room for its panels.
struct FigureAxes {
    engine::Axis dest, src;
};
FigureAxes figureAxes(const HeadFigure&, double scale);
// The same for a natural page.
engine::Axis figureAxis(std::int64_t tokens, int panels, double scale);
engine::Axis figureAxis(const MapUnits&, std::int64_t tokens, int panels, double scale);
QSizeF headFigureSize(const HeadFigure&);  // logical; of a page exactly its width
void paintHeadFigure(QPainter&, const HeadFigure&, double scale);
// Exactly headFigureSize() × scale pixels, rounded, with their number to the inch. Throws
// engine::Error (BadRequest) for a scale that is not in (0, 16], or an image that Qt cannot hold.
QImage renderHeadFigure(const HeadFigure&, double scale);

// All layers × heads as in the window's grid.
struct GridFigure {
    engine::ModelInfo model;
    engine::Tile tile;  // U8 or F32 pattern, all heads in order [layer · heads +
                        // head], on wholeAxis(tokens, gridThumbnail)
    Scheme scheme = Scheme::Light;
    QString title;
    GridFold fold;  // said under the pictures
};
inline constexpr int gridThumbnail = 47;  // logical pixels
QSize gridFigureSize(const GridFigure&);
void paintGridFigure(QPainter&, const GridFigure&, double scale);
QImage renderGridFigure(const GridFigure&, double scale);

}  // namespace ui
