// SPDX-License-Identifier: GPL-3.0-or-later
// One head's map: rows are destinations, 0 on top, columns are sources. Asks
// for the pixels it shows and draws what it is given; the selection and exact
// cell values come from outside. GUI thread only.
#pragma once
#include <qcustomplot.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/values/edits.h"
#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "ui/painting/map_scale.h"
#include "ui/painting/map_scene.h"
#include "ui/selection.h"

namespace ui {

class ReadOut;

class HeadHeatmap : public QCustomPlot {
    Q_OBJECT
  public:
    explicit HeadHeatmap(QWidget* parent = nullptr);
    ~HeadHeatmap() override;

    // The run's tokens. The axes hold max(tokens, reserved) positions, so that
    // nothing rescales while tokens stream; a prompt of another length shows the
    // whole map again. No tokens: no run.
    void setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens,
                   std::int64_t reserved);
    void appendToken(const engine::Token&);
    // What a row and a column stand for. Spans are found in the tokens' text and follow it as it
    // grows; they cannot be reserved for, so the map grows with them. The same part stays in view.
    void setGranularity(Granularity);
    const MapUnits& units() const;
    void setRowsReady(std::int64_t rows);        // rows from here on are dotted; a tile
                                                 // that knows more rows wins
    void setRule(const engine::AttentionRule&);  // of the layer shown: its window shades the map
    // One head, F32. Kept only if it is the head of the current selection.
    void setTile(const engine::Tile&);
    // Of the run's metrics, so that a range is the whole head's, layer's or
    // model's and not only the view's; reset by a new head.
    void setExtents(const RangeExtents&);
    void setScale(const ScaleChoice&);
    void setTransposed(bool);  // destinations along x; tiles and cells are asked for as before
    void setSelection(const Selection&);
    void clearSelection();
    // The pattern's row of the selected dest and column of the selected src,
    // every position; drawn as profiles.
    void setRow(engine::Position dest, std::vector<float> p);
    void setColumn(engine::Position src, std::vector<float> p);
    // Exact values of the hovered or the locked cell, for the read-out. Another
    // cell is ignored.
    void setCell(const engine::Cell&);
    // Cells that the run forbids, of any head: crossed out where the map shows their head.
    void setForbidden(std::vector<engine::EdgeEdit>);
    // In place of the map: why there is nothing to show. Empty: none.
    void setMessage(const QString&);

    const MapGeometry& geometry() const;
    QRect mapRect() const;          // the map in widget coordinates
    QRect notComputedRect() const;  // of rows without data in view, widget
                                    // coordinates; the whole map without rows
    MapLegend legend() const;
    // One cell a pixel needs no pooling: None then, else the choice; spans' own where they are.
    engine::Pooling pooling() const;
    const MapScene& scene() const;
    QString accessibleValue() const;  // "L23.H3, dest 13 ·to, src 9 ·John, p 0.740"
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

  public Q_SLOTS:
    void zoom(int direction);  // 1 in, −1 out, 0 whole
    void showWhole() { zoom(0); }
    void showView(const ui::MapView& view) { setView(view); }  // clamped to the run
    void moveLock(int dests,
                  int srcs);  // emits cellClicked for the neighbour, where there is one
    void moveLockOnPage(int down, int right);  // the same, as it is seen

  Q_SIGNALS:
    // The tile to draw: axes in cells, or with spans' edges, at device resolution. Emitted when it
    // changes; a new head, quantity, row count or target needs a new tile of the
    // same axes.
    void viewWanted(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void cellHovered(engine::Position dest, engine::Position src);
    // Instead of cellHovered when the pixel pools several cells: setCell answers
    // with the one that stands for it.
    void blockHovered(engine::Rows dest, engine::Rows src);
    void hoverLeft();
    void cellClicked(engine::Position dest, engine::Position src);  // lock it
    // Of visible cells: a pixel's rows and sources. Global position.
    void menuRequested(engine::Rows dest, engine::Rows src, QPoint at);
    void soloRequested();  // double click on the whole map, Enter
    void legendChanged(const ui::MapLegend& legend);
    void layoutChanged();  // mapRect or notComputedRect moved

  protected:
    void resizeEvent(QResizeEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void leaveEvent(QEvent*) override;
    void contextMenuEvent(QContextMenuEvent*) override;
    void changeEvent(QEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;

  private:
    struct Parts;
    void relayout();
    void refresh();
    void refreshMarks();
    void setView(MapView);
    void zoomAt(QPointF position, double factor);
    void takeUnits();
    void setHovered(std::optional<MapCell>);
    void placeReadOut();
    std::optional<MapCell> cellUnder(QPointF position) const;

    std::unique_ptr<Parts> m;
};

}  // namespace ui
