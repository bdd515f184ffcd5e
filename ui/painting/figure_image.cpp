// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure_image.h"

#include <cmath>
#include <string>

namespace ui {

QImage figureGround(QSize size, double scale, const QColor& ground) {
    if (!(scale > 0) || !(scale <= 16) || !std::isfinite(scale))
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "the scale must be above 0 and at most 16", "figure");
    const QSize pixels(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale)));
    QImage image;
    const bool opaque = ground.alpha() == 255;
    if (pixels.width() > 0 && pixels.height() > 0)
        image = QImage(pixels, opaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "no picture can have " + std::to_string(pixels.width()) + " by " +
                                std::to_string(pixels.height()) + " pixels",
                            "figure", "choose another scale or fewer heads");
    image.fill(ground);
    return image;
}

void setFigureDpi(QImage& image, double scale) {
    image.setDotsPerMeterX(static_cast<int>(std::lround(96 * scale / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
}

}  // namespace ui
