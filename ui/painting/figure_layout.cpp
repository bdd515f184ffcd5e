// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure_layout.h"

#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/values/failure.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/map_geometry.h"

namespace ui {

namespace {

using namespace figure;

constexpr double tickRoom = 9, leastSide = 44, captionGap = 8;
constexpr qsizetype mostCaptionLines = 12;

int naturalColumns(int panels) {
    return panels <= 3 ? std::max(panels, 1) : panels <= 8 ? 4 : 5;
}

QStringList wrapped(const QString& text, const QFont& font, double width) {
    QStringList lines;
    if (text.isEmpty()) return lines;
    QTextLayout layout(text, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(std::max(width, 20.0));
        lines << text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

[[noreturn]] void noRoom(const HeadFigure& figure, int columns, double side) {
    const int panels = static_cast<int>(figure.panels.size());
    throw engine::Error(engine::Failure::Kind::BadRequest,
                        "the page has no room for " + std::to_string(panels) +
                            (panels == 1 ? " map in " : " maps in ") + std::to_string(columns) +
                            (columns == 1 ? " column" : " columns") + ": each would be " +
                            std::to_string(std::max(
                                0, static_cast<int>(std::floor(side * figure.page.size.text)))) +
                            " px wide",
                        "figure",
                        "choose other columns, fewer heads, a larger page or no token labels");
}

}  // namespace

int naturalSide(int panels) {
    return panels <= 1 ? 520 : panels <= 3 ? 300 : 220;
}

std::int64_t positionsOf(const HeadFigure& figure) {
    if (figure.panels.empty()) return 0;
    return figure.units.areTokens() ? std::ssize(figure.tokens) : figure.units.spans();
}

FigureLayout layoutOf(const HeadFigure& figure) {
    const FigurePage& page = figure.page;
    const std::int64_t positions = positionsOf(figure);
    FigureLayout l;
    l.text = page.size.text;
    l.labels = page.labels;
    l.panels = static_cast<int>(figure.panels.size());
    l.columns =
        page.columns > 0 ? std::min(page.columns, std::max(l.panels, 1)) : naturalColumns(l.panels);
    l.rows = std::max(1, (l.panels + l.columns - 1) / l.columns);
    l.room = figure.units.areTokens() ? labelRoom(figure.tokens, positions, positions)
                                      : spanLabelRoom(figure.units, std::ssize(figure.tokens));
    l.gutter = axisTitle + (page.labels == FigureLabels::None ? 0 : l.room.rowWidth + tickRoom);
    const double otherGutter = page.labels == FigureLabels::Every ? l.gutter : 0;
    const auto belowAt = [&](double side) {
        const double cell = side / static_cast<double>(std::max<std::int64_t>(positions, 1));
        return axisTitle + (page.labels == FigureLabels::None
                                ? 0
                                : l.room.columnHeight(columnLabelAngle(cell)));
    };
    const bool sized = page.size.width > 0;
    l.width = sized ? page.size.width / l.text : 0;
    const double gaps = (l.columns - 1) * (panelGap + otherGutter);
    if (sized) {
        l.side = (l.width - 2 * edge - l.gutter - gaps) / l.columns;
    } else {
        const int side = naturalSide(l.panels);
        const double cell =
            positions > 0 ? static_cast<double>(side) / static_cast<double>(positions) : 1;
        l.side = cell >= 4 ? std::min(std::floor(cell), static_cast<double>(largestCell)) *
                                 static_cast<double>(positions)
                           : side;
        l.width = 2 * edge + std::max(l.gutter + l.columns * l.side + gaps,
                                      l.columns == 1 ? l.gutter + barWidth : 0.0);
    }
    l.caption = wrapped(page.caption.simplified(), wordFont(11), l.width - 2 * edge);
    if (l.caption.size() > mostCaptionLines) {
        l.caption.resize(mostCaptionLines);
        l.caption.back() += u'…';
    }
    l.noteBeside = !sized;
    const auto wrapNote = [&](double left) {
        const bool hasTiles = l.panels > 0 && figure.panels.front().tile.request.src.pixels() > 0;
        const QString note = hasTiles ? scaleNote(figure) : QString();
        l.note = l.noteBeside ? QStringList{note}
                              : wrapped(note, wordFont(10), l.width - edge - left - l.gutter);
    };
    wrapNote(edge);
    const double captions =
        l.caption.isEmpty() ? 0 : captionGap + static_cast<double>(l.caption.size()) * captionLine;
    // A page's maps must not grow by what the note says of them.
    const double notes = l.noteBeside           ? 0
                         : page.size.height > 0 ? 2 * noteLine
                                                : static_cast<double>(l.note.size()) * noteLine;
    const double footer = barGap + titleHeight + notes + colourBarHeight + captions + edge;
    const double top = edge + (figure.title.isEmpty() ? 0 : titleHeight);
    const int labelled = page.labels == FigureLabels::Every ? l.rows : 1;
    const double high = page.size.height / l.text;
    const auto heightAt = [&](double side) {
        return top + l.rows * (panelTitle + panelGap + side) + labelled * belowAt(side) + footer;
    };
    double slack = 0;
    if (page.size.height > 0) {
        while (l.side >= leastSide && heightAt(l.side) > high) l.side -= 1;
        slack = std::max(0.0, high - heightAt(l.side));
    }
    if (sized && l.panels > 0 && l.side < leastSide) noRoom(figure, l.columns, l.side);
    l.below = belowAt(l.side);
    const double content = l.gutter + l.columns * l.side + gaps;
    const double left = page.size.height > 0 ? std::max(edge, (l.width - content) / 2) : edge;
    wrapNote(left);
    l.first = QPointF(left + l.gutter, top + slack / 2 + panelTitle);
    l.across = l.side + panelGap + otherGutter;
    l.down = panelTitle + panelGap + l.side + (page.labels == FigureLabels::Every ? l.below : 0);
    const double end = heightAt(l.side);
    l.footer = end - footer + slack / 2 + barGap;
    const double height = page.size.height > 0 ? high : end;
    l.size = sized
                 ? QSize(static_cast<int>(std::floor(page.size.width)),
                         static_cast<int>(std::ceil(height * l.text - 1e-9)))
                 : QSize(static_cast<int>(std::ceil(l.width)), static_cast<int>(std::ceil(height)));
    return l;
}

}  // namespace ui
