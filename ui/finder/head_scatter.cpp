// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/finder/head_scatter.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/painting/names.h"
#include "ui/painting/number_text.h"
#include "ui/painting/palette.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int colourSteps = 16;
constexpr std::size_t named = 6;
constexpr double pointSize = 7, reach = 9;  // pixels
constexpr float dimmed = 0.28F;             // as the grid's thumbnails

bool byPlace(engine::LayerHead a, engine::LayerHead b) {
    return std::pair(a.layer, a.head) < std::pair(b.layer, b.head);
}

}  // namespace

HeadScatter::HeadScatter(const FinderModel& model, QWidget* parent)
    : QCustomPlot(parent), m_model(model) {
    setAccessibleName(QStringLiteral("Scatter of heads"));
    setFocusPolicy(Qt::ClickFocus);
    setSelectionRectMode(QCP::srmCustom);
    connect(selectionRect(), &QCPSelectionRect::accepted, this,
            [this](const QRect& rect, QMouseEvent*) { takeRectangle(rect); });
    refresh();
}

void HeadScatter::setMetrics(HeadMetric x, HeadMetric y, HeadMetric colour) {
    m_x = x;
    m_y = y;
    m_colour = colour;
    refresh();
}

void HeadScatter::setLook(const Look& look, const Theme& theme) {
    m_theme = theme;
    m_selected = look.selected;
    m_passing = look.passing;
    setMetrics(look.x, look.y, look.colour);
    setBackground(theme.base);
}

std::vector<QColor> HeadScatter::shades(const Theme& theme) {
    const ColourTable& table = sequentialTable(theme.scheme);
    std::vector<QColor> colours;
    for (std::size_t i = 0; i < colourSteps; ++i)
        colours.emplace_back(table[40 + i * 215 / (colourSteps - 1)]);
    return colours;
}

void HeadScatter::setSelected(std::vector<engine::LayerHead> heads) {
    m_selected = std::move(heads);
    refresh();
}

void HeadScatter::setPassing(std::optional<std::vector<engine::LayerHead>> heads) {
    if (heads) std::sort(heads->begin(), heads->end(), byPlace);
    if (heads == m_passing) return;
    m_passing = std::move(heads);
    refresh();
}

bool HeadScatter::isDimmed(engine::LayerHead at) const {
    return m_passing && !std::binary_search(m_passing->begin(), m_passing->end(), at, byPlace);
}

void HeadScatter::refresh() {
    const Theme& t = colours();
    clearGraphs();
    clearItems();
    setBackground(t.alternate);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setBasePen(QPen(t.border, 1));
        axis->setTickPen(QPen(t.border, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->grid()->setPen(QPen(t.softBorder, 1));
        axis->grid()->setZeroLinePen(QPen(t.text3, 1));
        axis->setTickLabelFont(monoFont(10));
        axis->setTickLabelColor(t.text2);
        axis->setLabelFont(wordFont(11));
        axis->setLabelColor(t.text2);
        axis->setNumberFormat(QStringLiteral("gb"));
        axis->setNumberPrecision(3);
    }
    xAxis->setLabel(infoOf(m_x).name);
    yAxis->setLabel(infoOf(m_y).name);
    selectionRect()->setPen(QPen(t.accent, 1, Qt::DashLine));
    QColor ground = t.accentGround;
    ground.setAlphaF(0.5F);
    selectionRect()->setBrush(ground);
    addPoints();
    addNames();
    replot(QCustomPlot::rpQueuedReplot);
}

// One graph a shade: a graph has one look for all its points.
void HeadScatter::addPoints() {
    const Theme& t = colours();
    const std::vector<QColor> fills = shades(t);
    std::array<std::vector<QCPGraph*>, 2> graphs;  // of those that pass, dimmed ones
    for (auto& each : graphs) each.assign(colourSteps, nullptr);
    QCPRange xs(0, 0), ys(0, 0);
    const double most = m_model.largest(m_colour);
    const auto graph = [&](const QColor& fill, const QPen& pen, double size) {
        QCPGraph* made = addGraph();
        made->setLineStyle(QCPGraph::lsNone);
        made->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, pen, QBrush(fill), size));
        made->setAntialiasedScatters(true);
        return made;
    };
    const auto pale = [](QColor colour) {
        colour.setAlphaF(dimmed);
        return colour;
    };
    // What passes lies over what does not.
    std::vector<int> rows;
    for (const bool dims : {true, false})
        for (int row = 0; row < m_model.heads(); ++row)
            if (isDimmed(m_model.headAt(row)) == dims) rows.push_back(row);
    for (const int row : rows) {
        const auto x = m_model.value(row, m_x), y = m_model.value(row, m_y);
        if (!x || !y) continue;
        const bool dims = isDimmed(m_model.headAt(row));
        const double share =
            most > 0 ? std::abs(m_model.value(row, m_colour).value_or(0)) / most : 0;
        const auto shade = static_cast<std::size_t>(
            std::clamp(static_cast<int>(share * colourSteps), 0, colourSteps - 1));
        QCPGraph*& own = graphs[dims ? 1 : 0][shade];
        if (!own)
            own = graph(dims ? pale(fills[shade]) : fills[shade],
                        QPen(dims ? pale(t.text3) : t.text3, 0.5), pointSize);
        own->addData(*x, *y);
        xs.expand(*x);
        ys.expand(*y);
    }
    const auto ring = [&](const std::vector<engine::LayerHead>& heads, const QPen& pen,
                          double size) {
        QCPGraph* marks = graph(Qt::transparent, pen, size);
        for (const engine::LayerHead at : heads) {
            const int row = m_model.rowOf(at);
            const auto x = m_model.value(row, m_x), y = m_model.value(row, m_y);
            if (x && y) marks->addData(*x, *y);
        }
    };
    ring(m_selected, QPen(t.text, 1.5), pointSize + 2);
    if (m_model.focused()) ring({*m_model.focused()}, QPen(t.accent, 2), pointSize + 6);
    const auto fit = [](QCPAxis* axis, QCPRange range) {
        const double room = range.size() > 0 ? range.size() * 0.06 : 1;
        axis->setRange(range.lower - room, range.upper + room);
    };
    fit(xAxis, xs);
    fit(yAxis, ys);
}

// The highest and lowest ones as far as their names have room, and the focused one.
void HeadScatter::addNames() {
    std::vector<std::pair<double, int>> outer;
    for (int row = 0; row < m_model.heads(); ++row)
        if (const auto y = m_model.value(row, m_y);
            y && m_model.value(row, m_x) && !isDimmed(m_model.headAt(row)))
            outer.emplace_back(-std::abs(*y), row);
    std::sort(outer.begin(), outer.end());
    std::vector<int> rows;
    if (m_model.focused()) rows.push_back(m_model.rowOf(*m_model.focused()));
    for (const auto& one : outer) rows.push_back(one.second);
    std::vector<QPointF> taken;
    for (const int row : rows) {
        const auto x = m_model.value(row, m_x), y = m_model.value(row, m_y);
        if (!x || !y) continue;
        const QPointF at(xAxis->coordToPixel(*x), yAxis->coordToPixel(*y));
        const bool collides = std::any_of(taken.begin(), taken.end(), [&](QPointF other) {
            return std::abs(other.x() - at.x()) < 110 && std::abs(other.y() - at.y()) < 14;
        });
        if (collides) continue;
        taken.push_back(at);
        const bool left = *x > xAxis->range().center();
        auto* text = new QCPItemText(this);
        text->position->setCoords(*x, *y);
        text->setPositionAlignment((left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        text->setPadding(QMargins(8, 0, 8, 0));
        text->setText(headName(m_model.headAt(row)));
        text->setFont(wordFont(11, m_model.focused() == m_model.headAt(row)));
        text->setColor(colours().text);
        if (taken.size() > named) break;
    }
}

std::optional<QPointF> HeadScatter::pointOf(engine::LayerHead at) const {
    const int row = m_model.rowOf(at);
    const auto x = m_model.value(row, m_x), y = m_model.value(row, m_y);
    if (!x || !y) return std::nullopt;
    return QPointF(xAxis->coordToPixel(*x), yAxis->coordToPixel(*y));
}

std::optional<engine::LayerHead> HeadScatter::headNear(QPointF at) const {
    std::optional<engine::LayerHead> best;
    double nearest = reach;
    for (int row = 0; row < m_model.heads(); ++row) {
        const auto point = pointOf(m_model.headAt(row));
        if (!point) continue;
        const double distance = std::hypot(point->x() - at.x(), point->y() - at.y());
        if (distance > nearest) continue;
        nearest = distance;
        best = m_model.headAt(row);
    }
    return best;
}

void HeadScatter::takeRectangle(const QRect& rect) {
    if (rect.width() < 4 && rect.height() < 4) return;  // a click
    std::vector<engine::LayerHead> heads;
    for (int row = 0; row < m_model.heads(); ++row)
        if (const auto point = pointOf(m_model.headAt(row));
            point && QRectF(rect).contains(*point) && !isDimmed(m_model.headAt(row)))
            heads.push_back(m_model.headAt(row));
    setSelected(heads);
    Q_EMIT headsSelected(heads);
}

bool HeadScatter::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QCustomPlot::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    if (const auto head = headNear(help->pos())) {
        text = headName(*head);
        for (const HeadMetric metric : {m_x, m_y, m_colour}) {
            const auto value = m_model.value(m_model.rowOf(*head), metric);
            if (!value) continue;
            const HeadMetricInfo& info = infoOf(metric);
            text += QStringLiteral("\n%1 %2").arg(
                info.name, info.isSigned ? signedNumber(*value, info.decimals)
                                         : plainNumber(*value, info.decimals));
        }
    }
    QToolTip::showText(help->globalPos(), literalToolTip(text), this);
    return true;
}

void HeadScatter::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = (event->position() - QPointF(mMousePressPos)).manhattanLength() < 4;
    QCustomPlot::mouseReleaseEvent(event);
    if (!click || event->button() != Qt::LeftButton) return;
    if (const auto head = headNear(event->position())) Q_EMIT headActivated(*head);
}

void HeadScatter::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refresh();
    QCustomPlot::changeEvent(event);
}

}  // namespace ui
