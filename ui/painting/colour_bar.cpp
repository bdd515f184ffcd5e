// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/colour_bar.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double barHeight = 12, capWidth = 8;

}  // namespace

std::vector<double> colourBarTicks(const ColourScale& scale, double width, double gap) {
    if (scale.isZero) return {0};
    const double bottom = scale.diverging ? -scale.high : scale.low;
    std::vector<double> ticks{bottom, scale.high};
    if (scale.diverging) ticks.push_back(0);
    const auto offer = [&](double value) {
        if (value <= bottom || value >= scale.high) return;
        const double at = scale.position(value) * width;
        const bool free = std::all_of(ticks.begin(), ticks.end(), [&](double tick) {
            return std::abs(scale.position(tick) * width - at) >= gap;
        });
        if (free) ticks.push_back(value);
    };
    const int top = static_cast<int>(std::floor(std::log10(scale.high)));
    for (const double digit : {1.0, 3.0, 2.0, 5.0})
        for (int decade = top; decade > top - 5; --decade) {
            offer(digit * std::pow(10, decade));
            if (scale.diverging) offer(-digit * std::pow(10, decade));
        }
    std::sort(ticks.begin(), ticks.end());
    return ticks;
}

QRectF colourStrip(const QRectF& area) {
    return {area.left() + 0.5, area.top() + 0.5, area.width() - capWidth - 3, barHeight - 1};
}

void paintColourBar(QPainter& painter, const Theme& theme, const QRectF& area,
                    const ColourScale& scale, bool exceeded) {
    QImage strip(256, 1, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i) {
        const bool isBelow = std::abs(scale.valueAt(i / 255.0)) < scale.threshold;
        strip.setPixel(i, 0,
                       isBelow ? scale.colour(0) : (*scale.table)[static_cast<std::size_t>(i)]);
    }
    const QRectF bar = colourStrip(area);
    painter.save();
    if (scale.isZero)
        painter.fillRect(bar, QColor(scale.colour(0)));
    else
        painter.drawImage(bar, strip);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    if (exceeded) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.border, 0.5));
        painter.setBrush(QColor(scale.table->back()));
        const double left = bar.right() + 2, middle = bar.center().y();
        painter.drawPolygon(
            QPolygonF({{left, bar.top()}, {left + capWidth - 1, middle}, {left, bar.bottom()}}));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    for (const double side : {1.0, -1.0}) {
        const double value = side * scale.threshold;
        if (!(scale.threshold > 0) || (side < 0 && !scale.diverging)) continue;
        const double x = bar.left() + scale.position(value) * bar.width();
        painter.fillRect(QRectF(std::round(x - 0.5), bar.top(), 1, bar.height()), theme.text);
    }
    painter.setFont(monoFont(10));
    const QFontMetricsF metrics(painter.font());
    const std::vector<double> ticks = colourBarTicks(scale, bar.width(), 44);
    for (const double tick : ticks) {
        const double x = bar.left() + scale.position(tick) * bar.width();
        const QString text = scaleNumber(tick, scale.diverging);
        const double width = metrics.horizontalAdvance(text);
        const double at = std::clamp(x - width / 2, bar.left(), bar.right() - width);
        painter.fillRect(QRectF(std::round(x - 0.5), bar.bottom() - 2, 1, 4), theme.text3);
        painter.setPen(theme.text2);
        painter.drawText(QPointF(at, bar.bottom() + 3 + metrics.ascent()), text);
    }
    painter.restore();
}

}  // namespace ui
