// SPDX-License-Identifier: GPL-3.0-or-later
// The bars as a picture to export. Needs a QApplication (any platform) on the GUI thread, no
// window.
#pragma once
#include <QImage>
#include <QString>

#include "engine/values/contribution.h"
#include "ui/contributions/contribution_plot.h"

class QCPPainter;

namespace ui {

struct ContributionFigure {
    engine::ContributionTable table;
    Measure measure = Measure::Attribution;
    engine::LayerHead focus;  // whose layer's heads are drawn; the head is marked when markHead
    bool markHead = true;
    bool layers = true;  // below the heads, all layers
    int kvHeads = 0;
    QString model;         // title lines, shown literally
    QString positionText;  // "13 ·to"
    QString targetText, distractorText;
    Scheme scheme = Scheme::Light;
};

// A size that shows every row at its usual height, in logical pixels.
QSize figureSize(const ContributionFigure&);
// size.width() · scale by size.height() · scale pixels, rounded, whatever the screen's ratio. An
// image that cannot be allocated, a size or scale ≤ 0, or a table without layers gives a null
// image.
QImage render(const ContributionFigure&, QSize size, double scale = 1);
// The same onto any device, in logical pixels, without a ground. A table without layers is not
// painted.
void paintContributions(QCPPainter&, const ContributionFigure&, QSize size);

}  // namespace ui
