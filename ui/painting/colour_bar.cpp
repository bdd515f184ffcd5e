// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/colour_bar.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double barHeight = 12, capWidth = 8, tickGap = 44, numberGap = 4;

// "+0.25" as "+.25".
QString shortened(QString text) {
    const qsizetype zero = text.indexOf(QStringLiteral("0."));
    if (zero == 0 || (zero == 1 && !text.at(0).isDigit())) text.remove(zero, 1);
    return text;
}

bool isFree(const std::vector<ColourBarNumber>& numbers, const ColourBarNumber& one) {
    return std::all_of(numbers.begin(), numbers.end(), [&one](const ColourBarNumber& other) {
        return one.left >= other.left + other.width + numberGap ||
               other.left >= one.left + one.width + numberGap;
    });
}

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

std::vector<ColourBarNumber> colourBarNumbers(const ColourScale& scale, double width,
                                              const QFontMetricsF& metrics) {
    std::vector<double> ticks = colourBarTicks(scale, width, tickGap);
    const double low = ticks.front(), high = ticks.back();
    const auto rank = [&](double value) {
        return value == high ? 0 : value == low ? 1 : value == 0 ? 2 : 3;
    };
    std::stable_sort(ticks.begin(), ticks.end(),
                     [&](double a, double b) { return rank(a) < rank(b); });
    const auto placed = [&](bool isShort) {
        std::vector<ColourBarNumber> numbers;
        for (const double value : ticks) {
            const QString text = scaleNumber(value, scale.diverging);
            ColourBarNumber one{value, isShort ? shortened(text) : text, 0, 0};
            one.width = metrics.horizontalAdvance(one.text);
            one.left = std::clamp(scale.position(value) * width - one.width / 2, 0.0,
                                  std::max(0.0, width - one.width));
            if (isFree(numbers, one)) numbers.push_back(std::move(one));
        }
        return numbers;
    };
    // An end or zero is worth the others' leading 0.
    std::vector<ColourBarNumber> numbers = placed(false);
    const auto important = [&](const std::vector<ColourBarNumber>& of) {
        return std::count_if(of.begin(), of.end(),
                             [&](const ColourBarNumber& one) { return rank(one.value) < 3; });
    };
    if (std::vector<ColourBarNumber> brief = placed(true); important(brief) > important(numbers))
        numbers = std::move(brief);
    std::sort(numbers.begin(), numbers.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });
    return numbers;
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
    for (const ColourBarNumber& one : colourBarNumbers(scale, bar.width(), metrics)) {
        const double x = bar.left() + scale.position(one.value) * bar.width();
        painter.fillRect(QRectF(std::round(x - 0.5), bar.bottom() - 2, 1, 4), theme.text3);
        painter.setPen(theme.text2);
        painter.drawText(QPointF(bar.left() + one.left, bar.bottom() + 3 + metrics.ascent()),
                         one.text);
    }
    painter.restore();
}

}  // namespace ui
