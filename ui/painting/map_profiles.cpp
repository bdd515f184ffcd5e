// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_profiles.h"
#include "ui/painting/number_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ui {

namespace {

constexpr double fullLength = 33;  // of a bar of p = 1
constexpr double gap = 4;          // between the map and the bars' base line

struct Side {
    bool above;  // the map; else right of it
    QColor colour;
    std::vector<float> bars;
    int selected = -1;  // tile pixel
};

// The bar in logical coordinates, growing away from the map.
QRectF barRect(const MapScene& scene, const Side& side, int i) {
    const std::vector<int>& edges = scene.geometry.edges();
    const int from = edges[static_cast<std::size_t>(i)],
              to = edges[static_cast<std::size_t>(i) + 1];
    const double air = to - from >= 6 ? std::floor((to - from) * 0.15) : 0;
    const double share = scene.geometry.cellsPerPixel() > 1
                             ? std::sqrt(side.bars[static_cast<std::size_t>(i)])
                             : side.bars[static_cast<std::size_t>(i)];
    const double length = fullLength * std::clamp(share, 0.0, 1.0);
    const QRectF map = scene.mapRect();
    const double begin = (from + air) / scene.ratio, width = (to - from - 2 * air) / scene.ratio;
    return side.above ? QRectF(map.left() + begin, map.top() - gap - length, width, length)
                      : QRectF(map.right() + gap, map.top() + begin, length, width);
}

void paintNumbers(QPainter& painter, const MapScene& scene, const Side& side) {
    painter.setFont(monoFont(10));
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> taken;
    std::vector<int> numbered = numberedBars(side.bars, scene.cellPixels());
    if (side.selected >= 0 && side.bars[static_cast<std::size_t>(side.selected)] >= 0.015F) {
        std::erase(numbered, side.selected);
        numbered.insert(numbered.begin(), side.selected);
    }
    for (const int i : numbered) {
        const QRectF bar = barRect(scene, side, i);
        const QString text = shareNumber(side.bars[static_cast<std::size_t>(i)]);
        QRectF place(0, 0, metrics.horizontalAdvance(text), metrics.height() - 2);
        if (side.above)
            place.moveCenter({bar.center().x(), bar.top() - 2 - place.height() / 2});
        else
            place.moveCenter({bar.right() + 4 + place.width() / 2, bar.center().y()});
        const bool collides = std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) {
            return other.adjusted(-2, 0, 2, 0).intersects(place);
        });
        if (collides) continue;
        taken.push_back(place);
        painter.setPen(i == side.selected ? side.colour : scene.theme.text2);
        painter.drawText(QPointF(place.left(), place.bottom() - metrics.descent() + 1), text);
    }
}

void paintSide(QPainter& painter, const MapScene& scene, const Side& side) {
    const QRectF map = scene.mapRect();
    const double line = 1;
    painter.fillRect(side.above ? QRectF(map.left(), map.top() - gap, map.width(), line)
                                : QRectF(map.right() + gap - line, map.top(), line, map.height()),
                     scene.theme.softBorder);
    QColor pale = side.colour;
    pale.setAlphaF(0.6F);
    for (int i = 0; i < static_cast<int>(side.bars.size()); ++i)
        if (side.bars[static_cast<std::size_t>(i)] > 0) {
            QRectF bar = barRect(scene, side, i);
            // Anything above zero leaves a trace of one device pixel.
            const double least = 1 / scene.ratio;
            if (side.above && bar.height() < least) bar.setTop(bar.bottom() - least);
            if (!side.above && bar.width() < least) bar.setRight(bar.left() + least);
            painter.fillRect(bar, i == side.selected ? side.colour : pale);
        }
    paintNumbers(painter, scene, side);
}

int pixelOf(std::int64_t position, const engine::Axis& axis) {
    return position < axis.begin || position >= axis.end
               ? -1
               : static_cast<int>((position - axis.begin) / axis.cells_per_pixel);
}

}  // namespace

std::vector<float> profileBars(const std::vector<float>& p, const engine::Axis& axis) {
    std::vector<float> bars(static_cast<std::size_t>(axis.pixels()), 0);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const engine::Rows cells = axis.cells_of(static_cast<std::int64_t>(i));
        for (std::int64_t at = cells.begin; at < std::min<std::int64_t>(cells.end, std::ssize(p));
             ++at)
            bars[i] = std::max(bars[i], p[static_cast<std::size_t>(at)]);
    }
    return bars;
}

std::vector<int> numberedBars(const std::vector<float>& bars, double cellPixels) {
    std::vector<int> order(bars.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return bars[static_cast<std::size_t>(a)] > bars[static_cast<std::size_t>(b)];
    });
    order.resize(std::min<std::size_t>(order.size(), cellPixels >= 14 ? 5 : 2));
    std::erase_if(order, [&](int i) { return !(bars[static_cast<std::size_t>(i)] >= 0.015F); });
    return order;
}

void paintProfiles(QPainter& painter, const MapScene& scene) {
    if (!scene.selected || scene.geometry.isEmpty() || scene.geometry.tokens() == 1) return;
    const QRectF map = scene.mapRect();
    const bool pooled = scene.geometry.cellsPerPixel() > 1;
    const QString root = pooled ? QStringLiteral(", √") : QString();
    painter.save();
    const QFont words = wordFont(10);
    const QFontMetricsF metrics(words);
    // `p` of the selected position `of`, along `axis`, on which `at` is selected.
    const auto paint = [&](bool above, const std::vector<float>& p, const QColor& colour,
                           const engine::Axis& axis, std::int64_t at, const QString& word,
                           std::int64_t of) {
        if (p.empty()) return;
        paintSide(painter, scene, {above, colour, profileBars(p, axis), pixelOf(at, axis)});
        const QString title = word + u' ' + rangeText(scene.units.tokensOf(of)) + root;
        painter.setFont(words);
        painter.setPen(colour);
        painter.drawText(
            above ? QPointF(map.left() - 7 - metrics.horizontalAdvance(title), map.top() - gap - 3)
                  : QPointF(map.right() + gap, map.bottom() + metrics.ascent() + 2),
            title);
    };
    const MapCell selected = *scene.selected;
    // Along the sources, which lie along the page's x, or transposed along its y.
    paint(!scene.transposed, scene.row, scene.theme.dest, scene.geometry.src(), selected.src,
          scene.destWord(), selected.dest);
    paint(scene.transposed, scene.column, scene.theme.src, scene.geometry.dest(), selected.dest,
          scene.transposed ? QStringLiteral("src") : QStringLiteral("column"), selected.src);
    painter.restore();
}

}  // namespace ui
