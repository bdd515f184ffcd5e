// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/figure_layout.h"

#include <QFontMetricsF>
#include <QTextLayout>
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/values/failure.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/figure_fonts.h"
#include "ui/painting/map_geometry.h"

namespace ui {

namespace {

using namespace figure;

constexpr double tickRoom = 9, leastSide = 36, easySide = 120, captionGap = 8, legendGap = 24;
constexpr qsizetype mostCaptionLines = 12, mostTitleLines = 4;

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

int naturalColumns(int panels) {
    return panels <= 3 ? std::max(panels, 1) : panels <= 8 ? 4 : 5;
}

[[noreturn]] void noRoom(const HeadFigure& figure, int columns, double side) {
    const auto panels = figure.panels.size();
    const auto pixels = std::floor(std::max(0.0, side) * figure.page.size.text);
    throw engine::Error(engine::Failure::Kind::BadRequest,
                        "the page has no room for " + std::to_string(panels) +
                            (panels == 1 ? " map in " : " maps in ") + std::to_string(columns) +
                            (columns == 1 ? " column" : " columns") + ": each would be " +
                            std::to_string(static_cast<int>(pixels)) + " px wide",
                        "figure",
                        "choose other columns, fewer heads, a larger page or no token labels");
}

// What the layout depends on, before the number of columns is known.
class FigureMeasures {
  public:
    explicit FigureMeasures(const HeadFigure& figure);

    int panels() const { return m_panels; }
    const LabelRoom& room() const { return m_room; }
    bool isSized() const { return m_figure.page.size.width > 0; }
    bool isHeightGiven() const { return isSized() && m_figure.page.size.height > 0; }
    double pageWidth() const { return m_figure.page.size.width / m_figure.page.size.text; }
    double pageHeight() const { return m_figure.page.size.height / m_figure.page.size.text; }
    double gutter() const { return m_gutter; }
    double otherGutter() const { return everyLabel() ? m_gutter : 0; }
    double top() const {
        const auto lines = static_cast<double>(m_title.size());
        return edge + (lines == 0 ? 0 : titleHeight + (lines - 1) * titleLine);
    }
    const QStringList& title() const { return m_title; }
    const QStringList& caption() const { return m_caption; }

    QString noteText() const;
    QStringList note(double left) const;
    // As wide as its maps, and as the note on their values beside the colour bar's title.
    double naturalWidth(double content, int columns) const;
    double footer(bool isBeside) const;
    double below(double side) const;
    // The colour bar right of the maps, which a page of a given height leaves wider than high.
    static double legendWidth(bool isBeside) { return isBeside ? legendGap + barWidth : 0; }
    QStringList noteBeside() const;
    // Above a last row that is not full: the labels under the columns that end before it.
    double raggedGap(int columns, double side) const {
        const bool isRagged = m_panels > columns && m_panels % columns != 0;
        return isRagged && m_figure.page.labels == FigureLabels::Edge
                   ? std::max(0.0, below(side) - panelGap)
                   : 0;
    }
    double contentWidth(int columns, double side) const {
        return m_gutter + columns * side + (columns - 1) * (panelGap + otherGutter());
    }
    double rowPitch(double side) const {
        return panelTitle + panelGap + side + (everyLabel() ? below(side) : 0);
    }
    double height(int columns, double side, bool isBeside) const {
        const int rows = rowsIn(columns);
        return top() + rows * rowPitch(side) + raggedGap(columns, side) +
               (everyLabel() ? 0 : below(side)) + footer(isBeside);
    }
    int rowsIn(int columns) const { return std::max(1, (m_panels + columns - 1) / columns); }
    double side(int columns, bool isBeside) const;
    // Where the maps are larger for it.
    bool isBeside(int columns) const {
        return isHeightGiven() && side(columns, true) > side(columns, false);
    }
    double side(int columns) const { return side(columns, isBeside(columns)); }
    int columns() const;

  private:
    bool everyLabel() const { return m_figure.page.labels == FigureLabels::Every; }

    const HeadFigure& m_figure;
    int m_panels;
    std::int64_t m_positions;
    LabelRoom m_room;
    double m_gutter = axisTitle;
    QStringList m_title, m_caption;
};

FigureMeasures::FigureMeasures(const HeadFigure& figure)
    : m_figure(figure),
      m_panels(static_cast<int>(figure.panels.size())),
      m_positions(shownPositions(figure)),
      m_room(figure.units.areTokens()
                 ? labelRoom(figure.tokens, positionsOf(figure), positionsOf(figure))
                 : spanLabelRoom(figure.units, std::ssize(figure.tokens))) {
    if (!figure.numbers.empty()) widenForTwoNumbers(m_room, positionsOf(figure));
    if (figure.page.labels != FigureLabels::None) m_gutter += m_room.rowWidth + tickRoom;
    const int columnsOfAll = columns();
    const double width =
        isSized() ? pageWidth()
                  : naturalWidth(contentWidth(columnsOfAll, side(columnsOfAll)), columnsOfAll);
    m_caption = wrapped(figure.page.caption.simplified(), wordFont(11), width - 2 * edge);
    const auto cut = [](QStringList& lines, qsizetype most) {
        if (lines.size() <= most) return;
        lines.resize(most);
        lines.back() += u'…';
    };
    cut(m_caption, mostCaptionLines);
    m_title = wrapped(figure.title, wordFont(13, true), width - 2 * edge);
    cut(m_title, mostTitleLines);
}

QString FigureMeasures::noteText() const {
    const bool isKnown =
        m_panels > 0 && (m_figure.noted || m_figure.panels.front().tile.request.src.pixels() > 0);
    return isKnown ? scaleNote(m_figure) : QString();
}

// Beside the bar's title, or, where a page has its width, in lines below it.
QStringList FigureMeasures::note(double left) const {
    const QString text = noteText();
    if (!isSized()) return {text};
    return wrapped(text, wordFont(10), pageWidth() - edge - left - m_gutter);
}

double FigureMeasures::naturalWidth(double content, int columns) const {
    double least = columns == 1 ? m_gutter + barWidth : 0.0;
    const QString text = note(edge).value(0);
    if (!text.isEmpty())
        least = std::max(least, m_gutter + colourBarTitleWidth(m_figure) + noteGap +
                                    QFontMetricsF(wordFont(10)).horizontalAdvance(text) + 1);
    return 2 * edge + std::max(content, least);
}

QStringList FigureMeasures::noteBeside() const {
    return wrapped(noteText(), wordFont(10), barWidth);
}

double FigureMeasures::footer(bool isBeside) const {
    // What the note says may not change the size of the maps that it speaks of.
    const double notes = !isSized()        ? 0
                         : isHeightGiven() ? 2 * noteLine
                                           : static_cast<double>(note(edge).size()) * noteLine;
    const double captions =
        m_caption.isEmpty() ? 0 : captionGap + static_cast<double>(m_caption.size()) * captionLine;
    return (isBeside ? 0 : barGap + titleHeight + notes + colourBarHeight) + captions + edge;
}

double FigureMeasures::below(double side) const {
    if (m_figure.page.labels == FigureLabels::None) return axisTitle;
    const double cell = side / static_cast<double>(std::max<std::int64_t>(m_positions, 1));
    return axisTitle + m_room.columnHeight(columnLabelAngle(cell));
}

double FigureMeasures::side(int columns, bool isBeside) const {
    if (!isSized()) {
        const int most = naturalSide(m_panels);
        const double cell =
            m_positions > 0 ? static_cast<double>(most) / static_cast<double>(m_positions) : 1;
        return cell >= 4 ? std::min(std::floor(cell), static_cast<double>(largestCell)) *
                               static_cast<double>(m_positions)
                         : most;
    }
    double side =
        (pageWidth() - 2 * edge - contentWidth(columns, 0) - legendWidth(isBeside)) / columns;
    if (isHeightGiven())
        while (side >= leastSide && height(columns, side, isBeside) > pageHeight()) side -= 1;
    return side;
}

// A page with a height has the largest maps; one without as many side by side as can be read.
int FigureMeasures::columns() const {
    if (m_figure.page.columns > 0) return std::min(m_figure.page.columns, std::max(m_panels, 1));
    if (!isSized()) return naturalColumns(m_panels);
    int best = 1;
    if (isHeightGiven()) {
        for (int count = 2; count <= m_panels; ++count)
            if (side(count) > side(best)) best = count;
        return best;
    }
    for (int count = 2; count <= naturalColumns(m_panels); ++count)
        if (side(count) >= easySide) best = count;
    return best;
}

}  // namespace

int naturalSide(int panels) {
    return panels <= 1 ? 520 : panels <= 3 ? 300 : 220;
}

std::int64_t positionsOf(const HeadFigure& figure) {
    if (figure.panels.empty()) return 0;
    return figure.units.areTokens() ? std::ssize(figure.tokens) : figure.units.spans();
}

std::int64_t shownPositions(const HeadFigure& figure) {
    const std::int64_t all = positionsOf(figure);
    return figure.part
               ? std::clamp<std::int64_t>(figure.part->count, std::min<std::int64_t>(1, all), all)
               : all;
}

FigureLayout layoutOf(const HeadFigure& figure) {
    const FigureFonts fonts;
    const FigureMeasures measures(figure);
    FigureLayout l;
    l.text = figure.page.size.text;
    l.labels = figure.page.labels;
    l.panels = measures.panels();
    l.columns = measures.columns();
    l.side = measures.side(l.columns);
    if (measures.isSized() && l.panels > 0 && l.side < leastSide) noRoom(figure, l.columns, l.side);
    l.room = measures.room();
    l.gutter = measures.gutter();
    l.below = measures.below(l.side);
    l.across = l.side + panelGap + measures.otherGutter();
    l.down = measures.rowPitch(l.side);
    l.raggedGap = measures.raggedGap(l.columns, l.side);
    const double content = measures.contentWidth(l.columns, l.side);
    l.width = measures.isSized() ? measures.pageWidth() : measures.naturalWidth(content, l.columns);
    const bool isBeside = measures.isBeside(l.columns);
    const double height = measures.height(l.columns, l.side, isBeside);
    double left = edge, slack = 0;
    if (measures.isHeightGiven()) {
        left = std::max(edge, (l.width - content - FigureMeasures::legendWidth(isBeside)) / 2);
        slack = std::max(0.0, measures.pageHeight() - height);
    }
    l.first = QPointF(left + l.gutter, measures.top() + slack / 2 + panelTitle);
    l.noteBeside = !measures.isSized();
    l.note = isBeside ? measures.noteBeside() : measures.note(left);
    l.caption = measures.caption();
    const double under = height - measures.footer(isBeside) + slack / 2;
    l.legend = isBeside ? QPointF(left + content + legendGap, l.first.y())
                        : QPointF(l.first.x(), under + barGap);
    l.captionTop = isBeside ? under + captionGap
                            : l.legend.y() + titleHeight + colourBarHeight + captionGap +
                                  (l.noteBeside ? 0 : noteLine * double(l.note.size())) - 4;
    l.title = measures.title();
    const double high = (height + slack) * l.text - (measures.isSized() ? 1e-6 : 0);
    l.size =
        QSizeF(measures.isSized() ? figure.page.size.width : std::ceil(l.width), std::ceil(high));
    return l;
}

}  // namespace ui
