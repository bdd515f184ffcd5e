// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_labels.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/painting/text_spans.h"

namespace ui {

namespace {

constexpr double tickLength = 5;
constexpr int spanCharacters = 14;  // of a span, on the axes

QString elided(const QString& token, int characters) {
    return token.size() <= characters ? token : token.left(characters - 1) + u'…';
}

TokenLabel labelOf(const std::vector<engine::Token>& tokens, const LabelWish& wish,
                   std::int64_t position, int characters) {
    if (!wish.units.areTokens()) {  // the first token's number, as everywhere else
        const engine::Rows span = wish.units.tokensOf(position);
        return {position, thousands(span.begin), spanText(tokens, span, characters), false};
    }
    TokenLabel label{position, thousands(position), {}, false};
    if (wish.numbers && position >= 0 && position < std::ssize(*wish.numbers))
        label.index = (*wish.numbers)[static_cast<std::size_t>(position)];
    if (position >= 0 && position < std::ssize(tokens))
        label.token =
            elided(visibleToken(tokens[static_cast<std::size_t>(position)].bytes), characters);
    return label;
}

double radians(double degrees) {
    return degrees * std::numbers::pi / 180;
}

// Draws "index token" with its right end at `x`; spaces' marks are dim like the index.
void drawLabel(QPainter& painter, const Theme& theme, const TokenLabel& label,
               const QColor& selected, bool hasRow, double x, double baseline) {
    const QFont indexFont = monoFont(10), tokenFont = monoFont(11);
    const QFontMetricsF indexMetrics(indexFont), tokenMetrics(tokenFont);
    const QColor ink = label.selected ? selected : hasRow ? theme.text : theme.text2;
    x -= tokenMetrics.horizontalAdvance(label.token);
    const double indexRight = label.token.isEmpty() ? x : x - tokenMetrics.horizontalAdvance(u' ');
    painter.setFont(tokenFont);
    double at = x;
    for (qsizetype i = 0; i < label.token.size();) {  // runs of marks and of text
        const bool mark = label.token[i] == u'·';
        qsizetype end = i;
        while (end < label.token.size() && (label.token[end] == u'·') == mark) ++end;
        const QString run = label.token.mid(i, end - i);
        painter.setPen(mark && !label.selected ? theme.text3 : ink);
        painter.drawText(QPointF(at, baseline), run);
        at += tokenMetrics.horizontalAdvance(run);
        i = end;
    }
    painter.setFont(indexFont);
    painter.setPen(theme.text3);
    painter.drawText(QPointF(indexRight - indexMetrics.horizontalAdvance(label.index), baseline),
                     label.index);
}

double widthOf(const TokenLabel& label) {
    const QFontMetricsF index(monoFont(10)), token(monoFont(11));
    return index.horizontalAdvance(label.index) +
           (label.token.isEmpty() ? 0 : token.horizontalAdvance(u' ' + label.token));
}

// One of the page's axes: its rows are destinations, its columns sources, or transposed.
struct PageAxis {
    PageAxis(const MapScene& scene, bool isOfRows)
        : dests(isOfRows != scene.transposed),
          axis(dests ? scene.geometry.dest() : scene.geometry.src()),
          colour(dests ? scene.theme.dest : scene.theme.src) {
        if (scene.selected) selected = dests ? scene.selected->dest : scene.selected->src;
    }
    // Logical, of the row or column of the page that a position has.
    QPointF centre(const MapScene& scene, std::int64_t position) const {
        const MapCell first{scene.geometry.dest().begin, scene.geometry.src().begin};
        return scene
            .logical(scene.geometry.rectOf(dests ? MapCell{position, first.src}
                                                 : MapCell{first.dest, position}))
            .center();
    }

    bool dests;
    engine::Axis axis;
    QColor colour;
    std::optional<std::int64_t> selected;
};

QColor tint(const Theme& theme, QColor colour) {
    colour.setAlphaF(theme.scheme == Scheme::Light ? 0.13F : 0.28F);
    return colour;
}

}  // namespace

std::int64_t labelStep(double cellPixels, double minimumGap, bool pooled) {
    const auto fits = [&](std::int64_t n) {
        return static_cast<double>(n) * cellPixels >= minimumGap;
    };
    if (pooled) {
        std::int64_t n = 1;
        while (!fits(n)) n *= 2;
        return n;
    }
    for (std::int64_t decade = 1;; decade *= 10)
        for (const std::int64_t n : {decade, 2 * decade, 5 * decade})
            if (fits(n)) return n;
}

std::vector<TokenLabel> tokenLabels(const std::vector<engine::Token>& tokens,
                                    const LabelWish& wish) {
    std::vector<TokenLabel> labels;
    const engine::Axis& axis = wish.axis;
    if (axis.end <= axis.begin || !(wish.cellPixels > 0)) return labels;
    const bool pooled = axis.cells_per_pixel > 1;
    const std::int64_t step = labelStep(wish.cellPixels, wish.minimumGap, pooled);
    const int fewest = wish.units.areTokens() ? 8 : spanCharacters;
    const int characters = step > 1 ? std::min(wish.characters, fewest) : wish.characters;
    const bool shows = wish.selected && *wish.selected >= axis.begin && *wish.selected < axis.end;
    bool placed = !shows;
    for (std::int64_t at = (axis.begin + step - 1) / step * step; at < axis.end; at += step) {
        if (!placed && *wish.selected <= at) {
            labels.push_back(labelOf(tokens, wish, *wish.selected, characters));
            labels.back().selected = placed = true;
        }
        const double distance =
            shows ? static_cast<double>(std::abs(at - *wish.selected)) * wish.cellPixels
                  : wish.selectedGap;
        if (distance >= wish.selectedGap || (step == 1 && at != *wish.selected))
            labels.push_back(labelOf(tokens, wish, at, characters));
    }
    if (!placed) {
        labels.push_back(labelOf(tokens, wish, *wish.selected, characters));
        labels.back().selected = true;
    }
    return labels;
}

LabelRoom labelRoom(const std::vector<engine::Token>& tokens, std::int64_t promptTokens,
                    std::int64_t positions) {
    LabelRoom room;
    qsizetype longest = 0;
    if (positions <= 64)  // above, labels are thinned and cut to eight
        for (std::int64_t i = 0; i < std::min<std::int64_t>(promptTokens, std::ssize(tokens)); ++i)
            longest =
                std::max(longest, visibleToken(tokens[static_cast<std::size_t>(i)].bytes).size());
    if (positions > 64) longest = 8;
    room.characters = static_cast<int>(std::clamp<qsizetype>(longest, 7, 16));
    const QString index = thousands(std::max<std::int64_t>(positions - 1, 0));
    const QFontMetricsF indexMetrics(monoFont(10)), tokenMetrics(monoFont(11));
    room.rowWidth = indexMetrics.horizontalAdvance(QString(index.size(), u'0')) +
                    tokenMetrics.horizontalAdvance(QString(room.characters + 1, u'0')) + 6;
    return room;
}

void widenForTwoNumbers(LabelRoom& room, std::int64_t positions) {
    const LabelRoom one = labelRoom({}, 0, positions), two = labelRoom({}, 0, 100 * positions);
    room.rowWidth += std::max(0.0, two.rowWidth - one.rowWidth);
}

LabelRoom spanLabelRoom(const MapUnits& units, std::int64_t tokens) {
    LabelRoom room = labelRoom({}, 0, std::max<std::int64_t>(tokens, 65));
    room.characters = units.granularity() == Granularity::Words ? 10 : spanCharacters;
    room.rowWidth += QFontMetricsF(monoFont(11)).horizontalAdvance(u'0') * (room.characters - 8);
    return room;
}

double LabelRoom::columnHeight(double angle) const {
    return tickLength + rowWidth * std::sin(radians(angle)) + 5;
}

double columnLabelAngle(double cellPixels) {
    return cellPixels < 16 ? 65 : 50;
}

QString rowAxisTitle(bool transposed) {
    return transposed ? QStringLiteral("source (key)") : QStringLiteral("destination (query)");
}

QString columnAxisTitle(bool transposed) {
    return rowAxisTitle(!transposed);
}

std::vector<TokenLabel> rowLabels(const MapScene& scene) {
    const PageAxis axis(scene, true);
    return tokenLabels(scene.tokens, {axis.axis, scene.cellPixels(), 12, 12, axis.selected,
                                      scene.labelCharacters, scene.units, &scene.numbers});
}

std::vector<TokenLabel> columnLabels(const MapScene& scene) {
    const PageAxis axis(scene, false);
    return tokenLabels(scene.tokens, {axis.axis, scene.cellPixels(), 12, 18, axis.selected,
                                      scene.labelCharacters, scene.units, &scene.numbers});
}

void paintRowLabels(QPainter& painter, const MapScene& scene, const std::vector<TokenLabel>& labels,
                    double left) {
    const QFontMetricsF metrics(monoFont(11));
    const double right = scene.origin.x() - tickLength - 2;
    const PageAxis axis(scene, true);
    painter.save();
    for (const TokenLabel& label : labels) {
        const double y = axis.centre(scene, label.position).y();
        if (label.selected) {
            const double height = std::clamp(scene.cellPixels(), 14.0, 34.0);
            painter.fillRect(QRectF(left, y - height / 2, right + 3 - left, height),
                             tint(scene.theme, axis.colour));
        }
        const double baseline = y + (metrics.ascent() - metrics.descent()) / 2 + 0.5;
        drawLabel(painter, scene.theme, label, axis.colour, label.position < scene.unitsReady(),
                  right, baseline);
        if (label.selected &&
            scene.cellPixels() < 6) {  // no room for an outline: an arrow marks the row
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(axis.colour);
            const double x = scene.origin.x();
            painter.drawPolygon(QPolygonF({{x - 6, y - 4}, {x - 1, y}, {x - 6, y + 4}}));
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
    }
    painter.restore();
}

void paintColumnLabels(QPainter& painter, const MapScene& scene,
                       const std::vector<TokenLabel>& labels) {
    const QFontMetricsF metrics(monoFont(11));
    const double angle = columnLabelAngle(scene.cellPixels());
    const double top = scene.mapRect().bottom() + tickLength;
    // The text's upper right corner hangs under its tick.
    const double lift = metrics.ascent() * 0.8;
    const PageAxis axis(scene, false);
    const auto paintOne = [&](const TokenLabel& label) {
        painter.save();
        painter.translate(axis.centre(scene, label.position).x(), top);
        painter.rotate(-angle);
        painter.translate(-lift * 0.3, lift * 0.75);
        if (label.selected) {
            const double width = widthOf(label) + 8;
            painter.fillRect(
                QRectF(4 - width, -metrics.ascent() - 0.5, width, metrics.height() + 1),
                tint(scene.theme, axis.colour));
        }
        drawLabel(painter, scene.theme, label, axis.colour, label.position < scene.unitsReady(), 0,
                  0);
        painter.restore();
    };
    for (const TokenLabel& label : labels) paintOne(label);
}

}  // namespace ui
