// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QImage>
#include <QSize>

#include "engine/values/failure.h"

namespace ui {

// An image of size × scale pixels, rounded. Throws engine::Error (BadRequest) for a scale
// outside (0, 16] and for a size that cannot be held. With an alpha channel where the ground is not
// opaque.
QImage figureGround(QSize size, double scale, const QColor& ground);
// What an image painted at `scale` says of its size on paper. After painting: fonts in points
// follow it.
void setFigureDpi(QImage&, double scale);

}  // namespace ui
