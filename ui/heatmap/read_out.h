// SPDX-License-Identifier: GPL-3.0-or-later
// The exact numbers of one cell, over the map; placed so that it never hides the cell's row or
// column. Tokens are data: everything is drawn as literal text.
#pragma once
#include <QWidget>
#include <optional>
#include <vector>

#include "engine/values/tile.h"
#include "ui/painting/cell_kind.h"
#include "ui/painting/map_geometry.h"

namespace ui {

struct ReadOutContent {
    std::int64_t dest = 0, src = 0;
    engine::Rows destSpan, srcSpan;    // instead, where the axes count spans; else empty
    QString destToken, srcToken;       // as visibleToken gives them
    CellKind kind = CellKind::Value;   // of the others only that they have no value is said
    int window = 0;                    // of the layer, for a cell outside it
    float softCap = 0;                 // of the layer's scores; 0: none
    QString forbiddenBy;               // "13 ← 1": the edit that keeps dest from src; else empty
    QString forbiddenWithin;           // of spans: edits that keep some of dest from some of src
    std::optional<engine::Cell> cell;  // exact values, when they are known
    std::optional<double> drawn;       // the drawn value of the quantity, until the cell is known
    QString drawnName;                 // "p", "score", …
    bool renormalized = false;         // the drawn value is, the cell's p never
    std::int64_t cellsPerPixel = 1;
    engine::Pooling pooling = engine::Pooling::None;
};

class ReadOut : public QWidget {
    Q_OBJECT
  public:
    explicit ReadOut(QWidget* parent = nullptr);  // takes no mouse events
    void setContent(const ReadOutContent&);
    // Of the map, and what is free beside it: what would hide most of the one and does not fit the
    // other says only the cell and its value. Counts from the next content on.
    void setRoom(QSize map, QSize beside) {
        m_room = map;
        m_beside = beside;
    }
    const ReadOutContent& content() const { return m_content; }
    struct Field {
        QString name, value;
    };
    std::vector<Field> fields() const;
    QString header() const;  // "dest 13 ·to ← src 9 ·John", "tokens 12–17 ·the·cat ← …"
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    bool isTwoLines() const;
    QString end(bool dest) const;  // half of the header
    QString alignedSource() const;
    void appendCell(std::vector<Field>&) const;

    std::vector<Field> shownFields() const;
    QSize sizeOf(const std::vector<Field>&) const;

    ReadOutContent m_content;
    QSize m_room;    // empty: any
    QSize m_beside;  // right of the map, its bars included
};

// Upper left corner for a read-out of `size`: the map's upper right (transposed its lower left),
// 8 px in, when it fits the masked triangle in view; else where it hides least, 16 px off the cell
// and off its row and column where there is room at all; inside `viewport` always. All logical,
// widget coordinates.
struct ReadOutSurroundings {
    QRect viewport, map;
    QRectF cell;              // the hovered or locked cell
    MapView view;             // cells in view
    double cellPixels = 1;    // logical size of one cell
    bool transposed = false;  // destinations along x: the masked triangle is the lower left one
    // Whose row's bars and whose column's stand beside the map; none: there are none.
    std::optional<MapCell> profiled = {};
};
QPoint placeReadOut(QSize size, const ReadOutSurroundings&);

}  // namespace ui
