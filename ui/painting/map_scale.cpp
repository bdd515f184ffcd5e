// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_scale.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "ui/painting/cell_kind.h"

namespace ui {

void ValueExtent::include(const ValueExtent& other) {
    withoutSink = std::max(withoutSink, other.withoutSink);
    sink = std::max(sink, other.sink);
}

SinkMode sinkOf(const ScaleChoice& choice, engine::Quantity quantity) {
    return choice.sink == SinkMode::Renormalized && quantity != engine::Quantity::Pattern
               ? SinkMode::OutOfScale
               : choice.sink;
}

ValueExtent extentOf(const engine::Tile& tile, int index, int window) {
    ValueExtent extent;
    const engine::Axis &dest = tile.request.dest, &src = tile.request.src;
    const std::int64_t rows = dest.pixels(), columns = src.pixels();
    const float* values = tile.data.as<float>().data() + index * rows * columns;
    for (std::int64_t y = 0; y < rows; ++y) {
        const engine::Rows row = dest.cells_of(y);
        if (row.begin >= tile.rows_ready) break;
        for (std::int64_t x = 0; x < columns; ++x) {
            const engine::Rows column = src.cells_of(x);
            const CellKind kind = kindOf(row, column, window, tile.rows_ready);
            if (kind == CellKind::Masked) break;
            const double value = std::abs(values[y * columns + x]);
            if (kind != CellKind::Value || !std::isfinite(value)) continue;
            // Without its first source a pattern has no sink.
            double& largest =
                column.begin == 0 && !tile.request.renormalized ? extent.sink : extent.withoutSink;
            largest = std::max(largest, value);
        }
    }
    return extent;
}

ColourScale scaleFor(const ScaleChoice& choice, engine::Quantity quantity,
                     const ValueExtent& extent, Scheme scheme, bool difference) {
    ColourScale scale;
    scale.transfer = choice.transfer;
    scale.threshold = choice.threshold(quantity);
    scale.diverging = difference || isSigned(quantity);
    scale.table = scale.diverging ? &divergingTable(scheme) : &sequentialTable(scheme);
    scale.high = extent.withoutSink;
    // A head with nothing but its sink (one token) has no other range to take.
    if (choice.sink == SinkMode::InScale || !(scale.high > 0))
        scale.high = std::max(scale.high, extent.sink);
    if (choice.range == RangeMode::Fixed && quantity == engine::Quantity::Pattern) scale.high = 1;
    scale.isZero = difference && !(scale.high > 0);
    if (!(scale.high > 0)) scale.high = 1;
    // Three and a third decades: what is below is as good as not attended to.
    scale.low = !scale.diverging && !choice.rank && choice.transfer == engine::Transfer::Log
                    ? scale.high * 5e-4
                    : 0;
    return scale;
}

std::shared_ptr<const std::vector<float>> rankedMagnitudes(const engine::Tile& tile, int index,
                                                           int window, SinkMode sink) {
    constexpr std::int64_t most = 16384;
    const engine::Axis &dest = tile.request.dest, &src = tile.request.src;
    const std::int64_t rows = dest.pixels(), columns = src.pixels(), area = rows * columns;
    const float* values = tile.data.as<float>().data() + index * area;
    // An odd step, so that no column is met more often than others.
    const std::int64_t step = std::max<std::int64_t>(1, area / most) | 1;
    auto ranked = std::make_shared<std::vector<float>>();
    for (std::int64_t at = 0; at < area; at += step) {
        const engine::Rows row = dest.cells_of(at / columns), column = src.cells_of(at % columns);
        const bool left = tile.request.renormalized ? column.end == 1 : sink != SinkMode::InScale;
        if (column.begin == 0 && left) continue;
        if (kindOf(row, column, window, tile.rows_ready) != CellKind::Value) continue;
        const float value = std::abs(values[at]);
        if (std::isfinite(value)) ranked->push_back(value);
    }
    std::sort(ranked->begin(), ranked->end());
    return ranked;
}

QString quantityTitle(engine::Quantity quantity, bool renormalized) {
    if (renormalized) return QStringLiteral("p, renormalized");
    switch (quantity) {
        case engine::Quantity::Scores: return QStringLiteral("score");
        case engine::Quantity::Pattern: return QStringLiteral("p (pattern)");
        case engine::Quantity::Value: return QStringLiteral("‖p·v·Wₒ‖");
        case engine::Quantity::Attribution: return QStringLiteral("logit attribution");
    }
    return {};
}

QString mapTitle(engine::Quantity quantity, bool renormalized, const MapUnits& units) {
    if (units.areTokens()) return quantityTitle(quantity, renormalized);
    const QString what = quantity != engine::Quantity::Pattern ? quantityTitle(quantity)
                         : renormalized ? QStringLiteral("mass, renormalized")
                                        : QStringLiteral("mass");
    return QStringLiteral("%1, by %2").arg(what, unitsName(units.granularity()));
}

QString thresholdNumber(double magnitude) {
    return QString::number(magnitude, 'g', QLocale::FloatingPointShortest);
}

QString thresholdNote(const ColourScale& scale) {
    if (!(scale.threshold > 0)) return {};
    return (scale.diverging ? QStringLiteral("|value| < %1: as 0")
                            : QStringLiteral("value < %1: as 0"))
        .arg(thresholdNumber(scale.threshold));
}

QString scaleNumber(double value, bool withSign) {
    if (value == 0) return QStringLiteral("0");
    const double magnitude = std::abs(value);
    QString text;
    if (magnitude < 0.00995) {
        text = QLocale::c().toString(magnitude, 'e', 0);
        text.replace(QStringLiteral("e-0"), QStringLiteral("e-"));
    } else {
        const int decimals = magnitude < 10 ? 2 : magnitude < 100 ? 1 : 0;
        text = QLocale::c().toString(magnitude, 'f', decimals);
        if (text.contains(u'.')) {
            while (text.endsWith(u'0')) text.chop(1);
            if (text.endsWith(u'.')) text.chop(1);
        }
        if (!withSign && text.startsWith(QStringLiteral("0."))) text.remove(0, 1);
    }
    if (!withSign) return text;
    return (value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + text;
}

}  // namespace ui
