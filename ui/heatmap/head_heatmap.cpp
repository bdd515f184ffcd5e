// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_heatmap.h"

#include <algorithm>
#include <cmath>

#include "ui/heatmap/head_heatmap_parts.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_marks.h"
#include "ui/painting/map_profiles.h"

namespace ui {

namespace {

constexpr int titleRoom = 18, bottomTitle = 18, tickRoom = 9;
constexpr int largestCell = 96;  // logical pixels
constexpr int leastWithProfiles = 300, bareEdge = 8;

// The smallest logical coordinate from `least` on that is a device pixel's edge.
int onDevicePixel(int least, double ratio) {
    for (int at = least; at < least + 8; ++at)
        if (std::abs(at * ratio - std::round(at * ratio)) < 1e-6) return at;
    return least;
}

}  // namespace

HeadHeatmap::HeadHeatmap(QWidget* parent) : QCustomPlot(parent), m(std::make_unique<Parts>()) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Head map"));
    m->scene.theme = theme();
    m->scene.scale = scaleFor(m->choice, engine::Quantity::Pattern, {}, m->scene.theme.scheme);

    m->plottable = new TilePlottable(xAxis, yAxis, m->scene);
    m->rowTicker.reset(new TokenTicker);
    m->columnTicker.reset(new TokenTicker);
    yAxis->setTicker(m->rowTicker);
    xAxis->setTicker(m->columnTicker);
    yAxis->setRangeReversed(true);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLabels(false);  // an axis knows one colour a label: painted below
        axis->setSubTicks(false);
        axis->setTickLength(0, 4);
        axis->setBasePen(Qt::NoPen);
        axis->grid()->setVisible(false);
    }
    axisRect()->setAutoMargins(QCP::msNone);
    plotLayout()->setMargins({});
    plotLayout()->setAutoMargins(QCP::msNone);

    addLayer(QStringLiteral("marks"), layer(QStringLiteral("axes")), QCustomPlot::limAbove);
    layer(QStringLiteral("marks"))->setMode(QCPLayer::lmBuffered);
    new PaintedLayer(this, QStringLiteral("axes"), [this](QPainter& painter) {
        if (!m->message.isEmpty()) {
            painter.setFont(wordFont(12));
            painter.setPen(m->scene.theme.text2);
            painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                             m->message);
            return;
        }
        if (m->scene.geometry.isEmpty()) return;
        paintMapLines(painter, m->scene);
        paintForbidden(painter, m->scene);
        paintNotComputed(painter, m->scene);
        paintRowLabels(painter, m->scene, m->rowTicker->labels(), titleRoom);
        paintColumnLabels(painter, m->scene, m->columnTicker->labels());
        paintProfiles(painter, m->scene);
    });
    new PaintedLayer(this, QStringLiteral("marks"), [this](QPainter& painter) {
        if (m->scene.geometry.isEmpty() || !m->message.isEmpty()) return;
        paintSelection(painter, m->scene);
        paintCrosshair(painter, m->scene);
    });
    m->readOut = new ReadOut(this);
    m->staleTimer.setSingleShot(true);
    connect(&m->staleTimer, &QTimer::timeout, this, [this] {
        m->scene.tile.reset();
        m->tileExtent = m->headExtent = {};
        m->rescale();
        refresh();
    });
    relayout();
}

HeadHeatmap::~HeadHeatmap() {
    m->readOut = nullptr;
    clearPlottables();  // they draw from the scene, which goes first
}

const MapGeometry& HeadHeatmap::geometry() const {
    return m->scene.geometry;
}
const MapScene& HeadHeatmap::scene() const {
    return m->scene;
}
MapLegend HeadHeatmap::legend() const {
    return m->legend;
}
QSize HeadHeatmap::minimumSizeHint() const {
    return {320, 320};
}
QSize HeadHeatmap::sizeHint() const {
    return {600, 600};
}
QRect HeadHeatmap::mapRect() const {
    return m->scene.mapRect().toAlignedRect();
}

QRect HeadHeatmap::notComputedRect() const {
    if (m->scene.geometry.isEmpty()) return rect();
    return ui::notComputedRect(m->scene).toAlignedRect();
}

engine::Pooling HeadHeatmap::pooling() const {
    if (!m->scene.units.areTokens()) return engine::Pooling::Mean;
    return m->scene.geometry.cellsPerPixel() > 1 ? m->choice.pooling : engine::Pooling::None;
}

void HeadHeatmap::relayout() {
    MapScene& scene = m->scene;
    scene.theme = theme();
    scene.ratio = devicePixelRatioF();
    const int left = onDevicePixel(
        titleRoom + static_cast<int>(std::ceil(m->room.rowWidth)) + tickRoom, scene.ratio);
    // A small map keeps its room for cells.
    m->hasProfiles = std::min(width(), height()) >= leastWithProfiles;
    const int top =
        onDevicePixel(m->hasProfiles ? static_cast<int>(profileTop) : bareEdge, scene.ratio);
    const int right = m->hasProfiles ? static_cast<int>(profileRight) : bareEdge;
    // The labels' angle follows the cells' size, which follows the room that the angle leaves.
    int below = 0, room = 0;
    for (const double cell : {16.0, 0.0}) {
        below =
            static_cast<int>(std::ceil(m->room.columnHeight(columnLabelAngle(cell)))) + bottomTitle;
        room = std::min(width() - left - right, height() - top - below);
        if (room >= cell * static_cast<double>(std::max<std::int64_t>(m->view.count, 1))) break;
    }
    const bool shown = m->message.isEmpty() && m->axisCount() > 0 && room > 0;
    scene.origin = QPointF(left, top);
    m->availableSide = static_cast<int>(std::floor(std::max(room, 0) * scene.ratio));
    scene.geometry = shown ? MapGeometry(m->view, m->axisCount(), m->availableSide,
                                         static_cast<int>(std::lround(largestCell * scene.ratio)))
                           : MapGeometry();
    if (shown) m->view = scene.geometry.view();
    if (scene.hovered && !scene.geometry.rectOf(*scene.hovered).isValid()) scene.hovered.reset();

    axisRect()->setVisible(shown);
    for (QCPAxis* axis : {xAxis, yAxis}) axis->setVisible(shown);
    if (shown) {
        const int side = static_cast<int>(std::ceil(scene.geometry.side() / scene.ratio));
        axisRect()->setMargins({left, top, width() - left - side, height() - top - side});
        const double span = side * scene.ratio / scene.geometry.cellSize();
        const MapView& view = scene.geometry.view();
        const QPointF first = scene.turned(
            QPointF(static_cast<double>(view.src) - 0.5, static_cast<double>(view.dest) - 0.5));
        xAxis->setRange(first.x(), first.x() + span);
        yAxis->setRange(first.y(), first.y() + span);
        xAxis->setLabel(columnAxisTitle(scene.transposed));
        yAxis->setLabel(rowAxisTitle(scene.transposed));
        xAxis->setLabelPadding(below - bottomTitle - 3);
        yAxis->setLabelPadding(left - titleRoom - 2);
    }
    m->rescale();
    refresh();
    Q_EMIT layoutChanged();
    if (!shown) return;
    const engine::Axis dest = scene.units.tokensOf(scene.geometry.dest());
    const engine::Axis src = scene.units.tokensOf(scene.geometry.src());
    if (dest == m->wantedDest && src == m->wantedSrc && pooling() == m->wantedPooling) return;
    m->wantedDest = dest;
    m->wantedSrc = src;
    m->wantedPooling = pooling();
    Q_EMIT viewWanted(dest, src, pooling());
}

// Everything but the layout; the drawing itself waits for the next paint.
void HeadHeatmap::refresh() {
    m->takeProfiles();
    m->plottable->invalidate();
    m->dirty = true;
    m->marksDirty = true;
    placeReadOut();
    Q_EMIT legendChanged(m->legend);
    update();
}

void HeadHeatmap::refreshMarks() {
    m->marksDirty = true;
    placeReadOut();
    update();
}

void HeadHeatmap::placeReadOut() {
    MapScene& scene = m->scene;
    const bool hovers = scene.hovered.has_value();
    const bool shows = (hovers || (scene.locked && m->hasSelection && scene.selected)) &&
                       !scene.geometry.isEmpty();
    if (!shows) {
        m->readOut->hide();
        return;
    }
    const MapCell at = hovers ? *scene.hovered : *scene.selected;
    m->readOut->setRoom(mapRect().size(),
                        {rect().right() - 2 - mapRect().right(), rect().height() - 4});
    m->readOut->setContent(m->contentFor(at, hovers ? m->hoveredCell : m->lockedCell));
    QRectF cell = scene.logical(scene.geometry.rectOf(at));
    if (!scene.geometry.rectOf(at).isValid()) cell = QRectF(scene.mapRect().center(), QSizeF());
    const bool hasBars = m->hasProfiles && scene.geometry.tokens() > 1;
    m->readOut->move(ui::placeReadOut(
        m->readOut->size(),
        {rect().adjusted(2, 2, -2, -2), mapRect(), cell, scene.geometry.view(), scene.cellPixels(),
         scene.transposed, hasBars ? scene.selected : std::optional<MapCell>()}));
    m->readOut->show();
    m->readOut->raise();
}

void HeadHeatmap::paintEvent(QPaintEvent* event) {
    if (m->paintedRatio != devicePixelRatioF()) {  // moved to another screen, or the first time
        m->paintedRatio = devicePixelRatioF();
        relayout();
    }
    if (m->dirty) {
        const Theme& t = m->scene.theme;
        setBackground(t.base);
        for (QCPAxis* axis : {xAxis, yAxis}) {
            axis->setTickPen(QPen(t.border, 1));
            axis->setLabelFont(wordFont(11));
            axis->setLabelColor(t.text2);
        }
        m->rowTicker->setLabels(rowLabels(m->scene));
        m->columnTicker->setLabels(columnLabels(m->scene));
        m->dirty = m->marksDirty = false;
        replot(QCustomPlot::rpQueuedRefresh);  // rpImmediate would paint inside this paint
    } else if (m->marksDirty) {
        m->marksDirty = false;
        layer(QStringLiteral("marks"))->replot();
    }
    QCustomPlot::paintEvent(event);
    if (hasFocus()) {
        QPainter painter(this);
        painter.setPen(QPen(m->scene.theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void HeadHeatmap::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    relayout();
}

void HeadHeatmap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m->takeRoom();
        relayout();
    }
    QCustomPlot::changeEvent(event);
}

}  // namespace ui
