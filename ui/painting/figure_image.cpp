// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure_image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ui/painting/theme.h"

namespace ui {

namespace {

// A journal's two columns at 600 dpi have 25 million; these take 0.4 GB, and the file some seconds.
constexpr double mostPixels = 100e6;

std::string grouped(double pixels) {
    return thousands(std::llround(pixels)).toStdString();
}

}  // namespace

void checkPixels(QSizeF size, double scale) {
    const double side = std::min(size.width(), size.height());
    if (std::lround(side * scale) == 0) {
        const double least = std::ceil(5e3 / side) / 1e4;
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "the picture would have less than a pixel's side", "figure",
                            "draw it at " + QString::number(least, 'g', 4).toStdString() +
                                " pixels a unit or more");
    }
    const double pixels = size.width() * scale * size.height() * scale;
    if (!(pixels > mostPixels)) return;
    // Rounded down: what is advised must do.
    const double fits =
        std::floor(100 * std::sqrt(mostPixels / (size.width() * size.height()))) / 100;
    const std::string most = QString::number(fits, 'g', 4).toStdString();
    throw engine::Error(engine::Failure::Kind::BadRequest,
                        "the picture would have " + grouped(size.width() * scale) + " by " +
                            grouped(size.height() * scale) + " pixels, " + grouped(pixels) +
                            " in all, and the most is " + grouped(mostPixels),
                        "figure",
                        "draw it at " + most + " pixels a unit (" + grouped(std::floor(fits * 96)) +
                            " dpi) or fewer, on a smaller page, or as SVG or PDF");
}

QImage figureGround(QSizeF size, double scale, const QColor& ground) {
    if (!(scale > 0) || !(scale <= 16) || !std::isfinite(scale))
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "the scale must be above 0 and at most 16", "figure");
    checkPixels(size, scale);
    const QSize pixels(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale)));
    const bool opaque = ground.alpha() == 255;
    QImage image(pixels, opaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "no picture can have " + std::to_string(pixels.width()) + " by " +
                                std::to_string(pixels.height()) + " pixels",
                            "figure", "choose another scale or fewer heads");
    image.fill(ground);
    return image;
}

void setFigureDpi(QImage& image, QSizeF size) {
    image.setDotsPerMeterX(
        static_cast<int>(std::lround(image.width() / (size.width() / 96 * 0.0254))));
    image.setDotsPerMeterY(image.dotsPerMeterX());
}

}  // namespace ui
