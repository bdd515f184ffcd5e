// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parts of a figure of heads lie on its page. Logical pixels before the page's text size,
// which scales everything.
#pragma once
#include <QPointF>
#include <QSizeF>
#include <QStringList>

#include "ui/painting/figure.h"
#include "ui/painting/map_labels.h"

namespace ui {

namespace figure {
inline constexpr double edge = 14, titleHeight = 22, titleLine = 17, panelTitle = 20,
                        axisTitle = 18, panelGap = 16, barGap = 10, barWidth = 220, noteLine = 14,
                        noteGap = 10, captionLine = 15;
inline constexpr int largestCell = 48;
}  // namespace figure

struct FigureLayout {
    QSizeF size;      // logical, text size applied
    double text = 1;  // by which the rest is scaled to it
    double width = 0, side = 0;
    int columns = 1, panels = 0;
    LabelRoom room;
    FigureLabels labels = FigureLabels::Every;
    double gutter = 0;            // left of a labelled map
    double below = 0;             // under one
    QPointF first;                // upper left corner of the first map
    double across = 0, down = 0;  // from a map to the next
    double raggedGap = 0;         // more above a last row that is not full
    QPointF legend;               // upper left corner of the colour bar's title
    double captionTop = 0;
    bool noteBeside = true;            // the title, on its line
    QStringList title, note, caption;  // lines

    QPointF mapAt(int panel) const {
        const int row = panel / columns;
        const bool isInLastRow = row == (panels - 1) / columns;
        return first +
               QPointF(panel % columns * across, row * down + (isInLastRow ? raggedGap : 0));
    }
    bool isAtLeft(int panel) const { return panel % columns == 0; }
    bool isAtBottom(int panel) const { return panel + columns >= panels; }
    bool labelsRows(int panel) const {
        return labels == FigureLabels::Every || (labels == FigureLabels::Edge && isAtLeft(panel));
    }
    bool labelsColumns(int panel) const {
        return labels == FigureLabels::Every || (labels == FigureLabels::Edge && isAtBottom(panel));
    }
};

// Logical side of a panel's map where the page leaves it open: the more panels, the smaller.
int naturalSide(int panels);
// Of an axis, in its units, and how many of them are shown.
std::int64_t positionsOf(const HeadFigure&);
std::int64_t shownPositions(const HeadFigure&);
// Throws engine::Error (BadRequest) where the page has no room for maps that can be read.
FigureLayout layoutOf(const HeadFigure&);

// "Δ p (pattern)", beside which a note stands, and how wide it is.
QString colourBarTitle(const HeadFigure&);
double colourBarTitleWidth(const HeadFigure&);
// "√, sink out of scale, 1 px = 4 × 4 cells, max".
QString scaleNote(const HeadFigure&);

}  // namespace ui
