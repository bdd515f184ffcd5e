// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>
#include <QImage>
#include <QSize>

#include "engine/values/failure.h"

namespace ui {

// An opaque image of size × scale pixels, rounded. Throws engine::Error (BadRequest) for a scale
// outside (0, 16] and for a size that cannot be held.
QImage figureGround(QSize size, double scale, const QColor& ground);

}  // namespace ui
