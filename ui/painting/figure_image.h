// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QImage>
#include <QSizeF>

#include "engine/values/failure.h"

namespace ui {

// Throws engine::Error (BadRequest) with the numbers where a picture of this logical size at
// `scale` would take so much memory and time that it is none to be had, or would have no pixel.
// Asked before the tiles are.
void checkPixels(QSizeF size, double scale);
// An image of size × scale pixels, rounded. Throws engine::Error (BadRequest) for a scale
// outside (0, 16], for a size that cannot be held, and as checkPixels. With an alpha channel where
// the ground is not opaque.
QImage figureGround(QSizeF size, double scale, const QColor& ground);
// What an image of this logical size says of its size on paper: the width to a hundredth of a
// millimetre. After painting: fonts in points follow it.
void setFigureDpi(QImage&, QSizeF size);

}  // namespace ui
