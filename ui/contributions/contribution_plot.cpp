// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/contribution_plot.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "ui/heatmap/span_bars.h"
#include "ui/painting/number_text.h"

namespace ui {

namespace {

constexpr int labelWidth = 50, valueWidth = 62, edge = 8, besideWidth = 52;
constexpr double labelGap = 9.5, totalGap = 9.5;  // pixels between baselines

float at(const std::vector<float>& values, std::size_t index) {
    return index < values.size() ? values[index] : 0;
}

// Row r of n in a plot with a spare pixel or so above and below.
void prepare(QCustomPlot& plot, int rows, int spare, const Theme& colours, int values) {
    plot.clearItems();
    plot.clearPlottables();
    plot.setNotAntialiasedElements(QCP::aeAll);
    plot.setBackground(QBrush(colours.base));
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMargins(QMargins(labelWidth, spare, values, spare));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setVisible(false);
        axis->grid()->setVisible(false);
    }
    plot.yAxis->setRangeReversed(true);
    plot.yAxis->setRange(-0.5, rows - 0.5);
}

void band(QCustomPlot& plot, double top, double bottom, const QColor& fill, const QPen& pen) {
    auto* item = new QCPItemRect(&plot);
    item->setLayer(pen.style() == Qt::NoPen ? QStringLiteral("grid") : QStringLiteral("overlay"));
    item->setClipToAxisRect(false);
    for (QCPItemPosition* corner : {item->topLeft, item->bottomRight}) {
        corner->setTypeX(QCPItemPosition::ptViewportRatio);
        corner->setTypeY(QCPItemPosition::ptPlotCoords);
    }
    item->topLeft->setCoords(0, top);
    item->bottomRight->setCoords(1, bottom);
    item->setBrush(fill);
    item->setPen(pen);
}

// side: AlignLeft starts at x pixels, AlignRight ends fromRight pixels left of the plot's right
// side.
void write(QCustomPlot& plot, double row, int x, const QString& text, const QFont& font,
           const QColor& colour, Qt::Alignment side, int fromRight = edge) {
    auto* item = new QCPItemText(&plot);
    item->setClipToAxisRect(false);
    item->position->setTypeX(side == Qt::AlignLeft ? QCPItemPosition::ptAbsolute
                                                   : QCPItemPosition::ptViewportRatio);
    item->position->setTypeY(QCPItemPosition::ptPlotCoords);
    item->position->setCoords(side == Qt::AlignLeft ? x : 1, row);
    item->setPositionAlignment(side | Qt::AlignVCenter);
    item->setPadding(side == Qt::AlignLeft ? QMargins() : QMargins(0, 0, fromRight, 0));
    item->setText(text);
    item->setFont(font);
    item->setColor(colour);
}

void zeroLine(QCustomPlot& plot, const QColor& colour) {
    auto* line = new QCPItemStraightLine(&plot);
    line->point1->setCoords(0, 0);
    line->point2->setCoords(0, 1);
    line->setPen(QPen(colour, 1));
}

// The range of the bars and zero, with room for the last pixel.
void fitValues(QCustomPlot& plot, const std::vector<SpanBar>& bars) {
    double low = 0, high = 0;
    for (const SpanBar& bar : bars) {
        for (const double value : {bar.from, bar.to}) {
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (high - low <= 0) high = low + 1;
    const double spare = 0.02 * (high - low);
    plot.xAxis->setRange(low < 0 ? low - spare : low, high > 0 ? high + spare : high);
}

void addBars(QCustomPlot& plot, std::vector<SpanBar> bars) {
    fitValues(plot, bars);
    auto* plottable = new SpanBars(plot.yAxis, plot.xAxis);
    plottable->setBars(std::move(bars));
}

// Labels every n-th row; the focused one always, its neighbours then give way.
std::vector<bool> labelledRows(int rows, double rowHeight, int focus) {
    int n = 1;
    for (const int step : {1, 2, 5, 10, 20, 50}) {
        n = step;
        if (step * rowHeight >= labelGap) break;
    }
    std::vector<bool> shown(static_cast<std::size_t>(rows), false);
    for (int row = 0; row < rows; ++row)
        shown[static_cast<std::size_t>(row)] =
            row == focus || (row % n == 0 && std::abs(row - focus) * rowHeight >= labelGap);
    return shown;
}

// Where the other run is after each layer (attribution), or how far its attention writes.
void markBeside(std::vector<SpanBar>& bars, const ContributionView& other) {
    const bool waterfall = other.measure == Measure::Attribution;
    std::vector<double> places;
    double sum = static_cast<double>(waterfall ? other.table->embedding_attribution
                                               : other.table->embedding_norm);
    places.push_back(sum);
    for (int layer = 0; layer < other.table->layers; ++layer) {
        sum = waterfall ? sum + layerValue(other, layer) : layerValue(other, layer);
        places.push_back(sum);
    }
    double low = 0, high = 0;
    for (const SpanBar& bar : bars) {
        low = std::min({low, bar.from, bar.to});
        high = std::max({high, bar.from, bar.to});
    }
    for (const double place : places) {
        low = std::min(low, place);
        high = std::max(high, place);
    }
    const double half = 0.004 * (high - low);
    for (std::size_t row = 0; row < places.size(); ++row)
        bars.push_back({static_cast<double>(row) - 0.46, static_cast<double>(row) + 0.46,
                        places[row] - half, places[row] + half, other.theme.text});
}

double layersRowHeight(const ContributionView& view, int height) {
    return static_cast<double>(height - 2 * layersMargin) / (view.table->layers + 1);
}

// Row 0 is the embedding.
double rowTotal(const ContributionView& view, int row) {
    if (row > 0) return layerValue(view, row - 1);
    return static_cast<double>(view.measure == Measure::Write ? view.table->embedding_norm
                                                              : view.table->embedding_attribution);
}

// Every row whose number has room; where not all have, the hovered row's first, then the focused
// layer's, then the largest.
std::vector<int> writtenTotals(const ContributionView& view, double rowHeight) {
    const int rows = view.table->layers + 1, focus = 1 + engine::to_int(view.focus.layer);
    std::vector<int> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    const auto weight = [&](int row) {
        return row == view.hoveredRow ? 2e300
               : row == focus         ? 1e300
                                      : std::abs(rowTotal(view, row));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight(a) > weight(b); });
    std::vector<int> written;
    for (const int row : order) {
        const bool fits = std::all_of(written.begin(), written.end(), [&](int other) {
            return std::abs(other - row) * rowHeight >= totalGap;
        });
        if (fits) written.push_back(row);
    }
    return written;
}

}  // namespace

bool allTotalsFit(const ContributionView& view, int height) {
    return layersRowHeight(view, height) >= totalGap;
}

std::optional<double> outputBias(const ContributionView& view) {
    const std::vector<float>& values = view.measure == Measure::Write
                                           ? view.table->output_bias_norm
                                           : view.table->output_bias_attribution;
    const auto layer = static_cast<std::size_t>(engine::to_int(view.focus.layer));
    if (layer >= values.size()) return std::nullopt;
    return static_cast<double>(values[layer]);
}

int headRows(const ContributionView& view) {
    return view.table->query_heads + (outputBias(view) ? 1 : 0);
}

double headValue(const ContributionView& view, int head) {
    const auto index = static_cast<std::size_t>(engine::to_int(view.focus.layer)) *
                           static_cast<std::size_t>(view.table->query_heads) +
                       static_cast<std::size_t>(head);
    return static_cast<double>(view.measure == Measure::Write
                                   ? at(view.table->head_norm, index)
                                   : at(view.table->head_attribution, index));
}

ContributionView besideView(const ContributionView& view) {
    ContributionView other = view;
    other.table = view.beside;
    other.beside = nullptr;
    return other;
}

double layerValue(const ContributionView& view, int layer) {
    const auto l = static_cast<std::size_t>(layer);
    if (view.measure == Measure::Write)
        return static_cast<double>(at(view.table->attention_norm, l));
    return static_cast<double>(at(view.table->attention_attribution, l)) +
           static_cast<double>(at(view.table->mlp_attribution, l));
}

double attentionValue(const ContributionView& view) {
    const auto l = static_cast<std::size_t>(engine::to_int(view.focus.layer));
    return static_cast<double>(view.measure == Measure::Write
                                   ? at(view.table->attention_norm, l)
                                   : at(view.table->attention_attribution, l));
}

double writesSum(const engine::ContributionTable& table) {
    double sum = static_cast<double>(table.embedding_attribution) +
                 static_cast<double>(table.bias_attribution);
    for (const float value : table.attention_attribution) sum += static_cast<double>(value);
    for (const float value : table.mlp_attribution) sum += static_cast<double>(value);
    return sum;
}

QString valueText(Measure measure, double value, int decimals) {
    if (measure == Measure::Attribution) return signedNumber(value, decimals);
    return plainNumber(value, std::abs(value) >= 1000 ? 0 : std::min(decimals, 2));
}

void drawHeads(QCustomPlot& plot, const ContributionView& view) {
    const int heads = view.table->query_heads, rows = headRows(view);
    const int focus = view.markHead ? engine::to_int(view.focus.head) : -1;
    const Theme& t = view.theme;
    const bool two = view.beside != nullptr;
    prepare(plot, rows, 0, t, two ? valueWidth + besideWidth : valueWidth);
    if (focus >= 0 && focus < heads)
        band(plot, focus - 0.5, focus + 0.5, t.accentGround, Qt::NoPen);
    std::vector<SpanBar> bars;
    for (int head = 0; head < heads; ++head) {
        const double value = headValue(view, head);
        bars.push_back({head - (two ? 0.40 : 0.36), head + (two ? 0.0 : 0.36), 0, value,
                        head == focus ? t.accent : t.bar});
        write(plot, head, 14, QStringLiteral("H%1").arg(head), wordFont(11, head == focus), t.text,
              Qt::AlignLeft);
        write(plot, head, 0, valueText(view.measure, value), monoFont(11), t.text, Qt::AlignRight,
              two ? edge + besideWidth : edge);
        if (!two) continue;
        const double other = headValue(besideView(view), head);
        bars.push_back({head + 0.04, head + 0.40, 0, other, t.mlpBar});
        write(plot, head, 0, valueText(view.measure, other), monoFont(11), t.text2, Qt::AlignRight);
    }
    if (const auto bias = outputBias(view)) {  // no head's, below them all
        bars.push_back({heads - 0.36, heads + 0.36, 0, *bias, t.text3});
        write(plot, heads, 14, QStringLiteral("bias"), wordFont(11), t.text2, Qt::AlignLeft);
        write(plot, heads, 0, valueText(view.measure, *bias), monoFont(11), t.text2, Qt::AlignRight,
              two ? edge + besideWidth : edge);
        if (const auto other = two ? outputBias(besideView(view)) : std::nullopt)
            write(plot, heads, 0, valueText(view.measure, *other), monoFont(11), t.text2,
                  Qt::AlignRight);
    }
    addBars(plot, std::move(bars));
    zeroLine(plot, t.text2);
    for (int group = 0; group < view.kvHeads && heads % view.kvHeads == 0; ++group) {
        const int size = heads / view.kvHeads;
        auto* mark = new QCPItemRect(&plot);
        mark->setClipToAxisRect(false);
        for (QCPItemPosition* corner : {mark->topLeft, mark->bottomRight}) {
            corner->setTypeX(QCPItemPosition::ptAbsolute);
            corner->setTypeY(QCPItemPosition::ptPlotCoords);
        }
        mark->topLeft->setCoords(3, group * size - 0.5);
        mark->bottomRight->setCoords(6, (group + 1) * size - 0.5);
        mark->setPen(Qt::NoPen);
        mark->setBrush(t.kvGroup(group, view.kvHeads));
    }
    if (view.hoveredRow >= 0 && view.hoveredRow < rows)
        band(plot, view.hoveredRow - 0.46, view.hoveredRow + 0.46, Qt::transparent, QPen(t.text2));
}

void drawLayers(QCustomPlot& plot, const ContributionView& view, int height) {
    const engine::ContributionTable& table = *view.table;
    const int rows = table.layers + 1, focus = 1 + engine::to_int(view.focus.layer);
    const double rowHeight = layersRowHeight(view, height);
    const bool waterfall = view.measure == Measure::Attribution;
    const Theme& t = view.theme;
    prepare(plot, rows, layersMargin, t, valueWidth);
    if (focus < rows) band(plot, focus - 0.5, focus + 0.5, t.accentGround, Qt::NoPen);

    double sum =
        static_cast<double>(waterfall ? table.embedding_attribution : table.embedding_norm);
    std::vector<SpanBar> bars = {{-0.40, 0.40, 0, sum, t.text3}};
    if (!waterfall) sum = 0;
    for (int layer = 0; layer < table.layers; ++layer) {
        const auto l = static_cast<std::size_t>(layer);
        const double row = layer + 1;
        const double attention = static_cast<double>(waterfall ? at(table.attention_attribution, l)
                                                               : at(table.attention_norm, l));
        const double mlp =
            static_cast<double>(waterfall ? at(table.mlp_attribution, l) : at(table.mlp_norm, l));
        bars.push_back(
            {row - 0.42, row + 0.02, sum, sum + attention, layer + 1 == focus ? t.accent : t.bar});
        if (waterfall) sum += attention;
        bars.push_back({row + 0.02, row + 0.42, sum, sum + mlp, t.mlpBar});
        if (waterfall) sum += mlp;
    }
    if (view.beside) markBeside(bars, besideView(view));
    addBars(plot, std::move(bars));
    zeroLine(plot, t.border);

    const std::vector<bool> shown = labelledRows(rows, rowHeight, focus);
    for (int row = 0; row < rows; ++row) {
        if (!shown[static_cast<std::size_t>(row)]) continue;
        write(plot, row, row == 0 ? 4 : 14,
              row == 0 ? QStringLiteral("embed") : QStringLiteral("L%1").arg(row - 1),
              wordFont(10, row == focus), row == focus ? t.text : t.text2, Qt::AlignLeft);
    }
    for (const int row : writtenTotals(view, rowHeight))
        write(plot, row, 0, valueText(view.measure, rowTotal(view, row), 2), monoFont(10),
              row == 0 ? t.text2 : t.text, Qt::AlignRight);
    if (view.hoveredRow >= 0 && view.hoveredRow < rows)
        band(plot, view.hoveredRow - 0.5, view.hoveredRow + 0.5, Qt::transparent, QPen(t.text2));
}

}  // namespace ui
