// SPDX-License-Identifier: GPL-3.0-or-later
// A figure before it is a file: the same painting as pixels, SVG or PDF. GUI thread with a
// QApplication (any platform), no window.
#pragma once
#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <functional>

#include "ui/contributions/contribution_figure.h"
#include "ui/painting/figure.h"

class QCPPainter;

namespace ui {

struct Drawing {
    QSizeF size;                              // logical pixels, 96 to the inch
    std::function<QImage(double)> raster;     // size × scale pixels; throws engine::Error as
                                              // renderHeadFigure, or gives a null image
    std::function<void(QCPPainter&)> vector;  // in logical pixels; maps as embedded pictures
};

Drawing drawingOf(HeadFigure);
Drawing drawingOf(GridFigure);
Drawing drawingOf(ContributionFigure);

// Embedded maps have that many pixels a logical one: sharp in print.
inline constexpr double vectorMapScale = 3;

// An SVG's text: words in fonts that it names with what may stand in for them, or drawn outlines.
enum class SvgText { Named, Outlined };

// Title and description are written into the file; both plain text. A PDF carries its fonts. Empty
// on failure.
QByteArray svgOf(const Drawing&, const QString& title, const QString& description,
                 SvgText = SvgText::Named);
QByteArray pdfOf(const Drawing&, const QString& title, const QString& description);

}  // namespace ui
