// SPDX-License-Identifier: GPL-3.0-or-later
// What a figure's colour bar says of its scale.
#include <QFontMetricsF>

#include "ui/painting/figure_layout.h"
#include "ui/painting/map_geometry.h"

namespace ui {

namespace {

engine::Rows tokensOf(const engine::Axis& axis) {
    return axis.edges.empty() ? engine::Rows{axis.begin, axis.end}
                              : engine::Rows{axis.edges.front(), axis.edges.back()};
}

}  // namespace

QString colourBarTitle(const HeadFigure& figure) {
    const engine::TileRequest& request = figure.panels.front().tile.request;
    return (request.minus ? QStringLiteral("Δ ") : QString()) +
           mapTitle(request.quantity, request.renormalized, figure.units);
}

double colourBarTitleWidth(const HeadFigure& figure) {
    return QFontMetricsF(wordFont(11, true)).horizontalAdvance(colourBarTitle(figure));
}

QString scaleNote(const HeadFigure& figure) {
    const engine::TileRequest& request =
        figure.noted ? *figure.noted : figure.panels.front().tile.request;
    const engine::Transfer transfer = figure.choice.transfer;
    QString note;
    if (!figure.target.isEmpty()) note = QStringLiteral("target ") + figure.target + u',' + u' ';
    note += figure.ranked
                ? QStringLiteral("rank among %2 of the %1's cells")
                      .arg(figure.choice.range == RangeMode::Layer ? QStringLiteral("layer")
                                                                   : QStringLiteral("model"),
                           thousands(static_cast<std::int64_t>(figure.ranked->size())))
            : figure.choice.rank                   ? QStringLiteral("rank")
            : transfer == engine::Transfer::Linear ? QStringLiteral("linear")
            : transfer == engine::Transfer::Sqrt || isSigned(request.quantity) || request.minus
                ? QStringLiteral("√")
                : QStringLiteral("log");
    note += request.renormalized                      ? QStringLiteral(", source 0 left out")
            : figure.choice.sink == SinkMode::InScale ? QStringLiteral(", sink in scale")
            : hidesSinkOf(figure.choice, positionsOf(figure))
                ? QStringLiteral(", sink not drawn")
                : QStringLiteral(", sink out of scale");
    const ColourScale scale =
        scaleFor(figure.choice, request.quantity, {}, figure.scheme, request.minus.has_value());
    if (const QString below = thresholdNote(scale); !below.isEmpty())
        note += QStringLiteral(", ") + below;
    if (!figure.numbers.empty()) note += QStringLiteral(", aligned by token");
    if (figure.transposed) note += QStringLiteral(", transposed");
    if (figure.part)
        note += QStringLiteral(", rows %1, sources %2")
                    .arg(rangeText(tokensOf(request.dest)), rangeText(tokensOf(request.src)));
    if (!figure.units.areTokens()) {
        note += QStringLiteral(", ") + spanPoolingNote(request.quantity);
        if (request.renormalized && tokensOf(request.dest).begin == 0)
            note += QStringLiteral(", row 0 counts as 0: it sees nothing else");
        const std::int64_t units = figure.part ? figure.part->count : figure.units.spans();
        const std::int64_t p =
            wholeAxis(units, static_cast<int>(request.src.pixels())).cells_per_pixel;
        if (p > 1)
            note += QStringLiteral(", 1 px = %1 × %1 %2")
                        .arg(thousands(p), unitsName(figure.units.granularity()));
        return note;
    }
    if (request.src.cells_per_pixel <= 1) return note;
    const QString how = request.pooling == engine::Pooling::Mean  ? QStringLiteral("mean")
                        : request.pooling == engine::Pooling::Sum ? QStringLiteral("sum")
                        : isSigned(request.quantity) || request.minus
                            ? QStringLiteral("largest magnitude")
                            : QStringLiteral("max");
    return note + QStringLiteral(", 1 px = %1 × %1 cells, %2")
                      .arg(thousands(request.src.cells_per_pixel), how);
}

}  // namespace ui
