// SPDX-License-Identifier: GPL-3.0-or-later
// What HeadHeatmap keeps; included by its own sources only.
#pragma once
#include <QTimer>
#include <functional>
#include <memory>

#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/read_out.h"
#include "ui/steps/token_ticker.h"

namespace ui {

// The tile on the map's axes, kept as an image until something it shows
// changes.
class TilePlottable : public QCPAbstractPlottable {
  public:
    TilePlottable(QCPAxis* src, QCPAxis* dest, const MapScene& scene)
        : QCPAbstractPlottable(src, dest), m_scene(scene) {
        setPen(Qt::NoPen);
        setAntialiased(false);
    }
    void invalidate() { m_image = {}; }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = true;
        return {-0.5, static_cast<double>(m_scene.geometry.tokens()) - 0.5};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain domain, const QCPRange&) const override {
        return getKeyRange(found, domain);
    }

  protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

  private:
    const MapScene& m_scene;
    QImage m_image;
};

// A painting function as a layerable, unclipped.
class PaintedLayer : public QCPLayerable {
  public:
    using Paint = std::function<void(QPainter&)>;
    PaintedLayer(QCustomPlot* plot, const QString& layer, Paint paint)
        : QCPLayerable(plot, layer), m_paint(std::move(paint)) {}

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override {
        painter->setAntialiasing(false);
    }
    void draw(QCPPainter* painter) override { m_paint(*painter); }

  private:
    Paint m_paint;
};

struct HeadHeatmap::Parts {
    MapScene scene;
    MapView view;                // as wished; scene.geometry holds what came of it
    std::int64_t positions = 0;  // tokens, or what is reserved for them
    Granularity granularity = Granularity::Tokens;
    Selection selection;
    bool hasSelection = false;
    std::vector<engine::EdgeEdit> forbidden;  // of all heads; the scene has the head's own
    void takeForbidden();
    ScaleChoice choice;
    ValueExtent headExtent;  // of all tiles of this head and quantity seen so far
    ValueExtent tileExtent;  // of the tile in view
    RangeExtents extents;
    bool stale = false;  // the tile is of another head, drawn until the new one is there
    QTimer staleTimer;
    std::optional<std::pair<engine::Position, std::vector<float>>> row, column;
    std::optional<engine::Cell> lockedCell, hoveredCell;
    QString message;
    LabelRoom room;
    int availableSide = 0;  // device pixels for the map
    MapLegend legend;

    engine::Axis wantedDest, wantedSrc;  // last asked
    engine::Pooling wantedPooling = engine::Pooling::None;

    bool dirty = true, marksDirty = true;
    double paintedRatio = 0;
    std::optional<QPointF> pressed;
    MapView pressedView;
    bool dragging = false;

    TilePlottable* plottable = nullptr;                   // owned by the plot
    QSharedPointer<TokenTicker> rowTicker, columnTicker;  // as on the page
    ReadOut* readOut = nullptr;

    // Of the axes: positions or spans.
    std::int64_t axisCount() const {
        return scene.units.areTokens() ? positions : scene.units.spans();
    }
    void takeRoom();  // of the labels
    void takeTile(const engine::Tile&);
    void rescale();    // colour scale and legend from choice and extents
    void takeRanks();  // of the tile, where the choice asks for them
    std::shared_ptr<const std::vector<float>> ranked;
    bool hasProfiles = true;  // a map too small for them has none
    void takeProfiles();      // the scene's row and column for the selection
    std::optional<double> drawnValue(MapCell) const;  // of the tile, exact, if it is this head's
    CellKind kindAt(MapCell) const;
    void takeSpanProfiles();
    ReadOutContent contentFor(MapCell, const std::optional<engine::Cell>&) const;
    // The edit that forbids the cell, "13 ← 1"; empty where none does.
    // The edits that keep rows of `dest` from sources of `src`, as "13 ← 1"; empty: none does.
    QString forbiddenIn(engine::Rows dest, engine::Rows src) const;
    void takeSpans(MapCell, ReadOutContent&) const;
};

}  // namespace ui
