// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_page.h"

#include <QPainter>
#include <algorithm>

#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/mini_map.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/heatmap/scale_column.h"
#include "ui/heatmap/top_ends.h"
#include "ui/painting/theme.h"
#include "ui/strip/text_view.h"

namespace ui {

namespace {

constexpr int hideColumnBelow = 620, left = 2, between = 6, right = 18, gap = 12;
constexpr int besideMap = 80;    // gutter and profile, less what stands above and below the map
constexpr int widestPins = 520;  // both columns
constexpr int roomyMap = 600;    // below, the read-out needs the room beside it

}  // namespace

HeadPage::HeadPage(QWidget* parent)
    : QWidget(parent),
      m_bar(new HeadBar(this)),
      m_map(new HeadHeatmap(this)),
      m_column(new ScaleColumn(this)),
      m_ends(new TopEnds(this)),
      m_pins(new PinnedHeads(this)),
      m_mini(new MiniMap(this)),
      m_text(new TextView(this)) {
    connect(m_column, &ScaleColumn::scaleChanged, m_map, &HeadHeatmap::setScale);
    connect(m_map, &HeadHeatmap::legendChanged, m_column, &ScaleColumn::setLegend);
    connect(m_map, &HeadHeatmap::legendChanged, this, &HeadPage::followMap);
    connect(m_mini, &MiniMap::viewMoved, m_map, &HeadHeatmap::showView);
    connect(m_column, &ScaleColumn::contentHeightChanged, this, &HeadPage::placeColumn);
    setProperty(firstFocus, QVariant::fromValue<QWidget*>(m_map));  // where F6 goes
    m_text->hide();
    setMinimumSize(320, 200);
}

void HeadPage::resizeEvent(QResizeEvent*) {
    arrange();
}

// The map is a square: on a wide page the pins take what it leaves.
void HeadPage::arrange() {
    const int barHeight = m_bar->sizeHint().height();
    m_bar->setGeometry(0, 0, width(), barHeight);
    const bool hasColumn = width() >= hideColumnBelow;
    m_hasColumn = hasColumn;
    const int columnWidth = hasColumn ? std::clamp(width() * 235 / 1000, 150, 230) : 0;
    int mapWidth = width() - left - (hasColumn ? columnWidth + between + right : 0);
    m_pinsWidth = columnWidth;
    if (hasColumn && !m_pins->isEmpty() && height() - barHeight >= roomyMap) {
        const int spare = std::clamp(mapWidth - (height() - barHeight + besideMap), 0,
                                     std::max(0, widestPins - columnWidth));
        mapWidth -= spare;
        m_pinsWidth += spare;
    }
    m_map->setGeometry(left, barHeight, mapWidth, height() - barHeight);
    m_text->setGeometry(left, barHeight, mapWidth, height() - barHeight);
    if (hasColumn)
        m_column->resize(columnWidth, m_column->height());  // its height follows its width
    placeColumn();
}

void HeadPage::setPins(const std::vector<engine::LayerHead>& heads) {
    m_pins->setPins(heads);
    arrange();
    followMap();
}

void HeadPage::followMap() {
    const MapScene& scene = m_map->scene();
    const MapLegend legend = m_map->legend();
    const MapLook look{scene.geometry.view(), scene.units,     scene.geometry.tokens(),
                       scene.rowsReady,       legend.quantity, legend.renormalized,
                       legend.scale,          scene.hidesSink, scene.selected,
                       scene.locked,          scene.transposed};
    m_pins->setLook(look, legend.choice.pooling);
    const bool needed = m_mini->isNeeded();
    m_mini->setLook(look, legend.choice.pooling);
    if (m_mini->isNeeded() != needed) placeColumn();
}

// Text has no colour bar: its two colours are the strip's, from clear to p = 1.
void HeadPage::setTextShown(bool shown) {
    if (shown == m_textShown) return;
    m_textShown = shown;
    QWidget* from = shown ? static_cast<QWidget*>(m_map) : m_text;
    QWidget* to = shown ? static_cast<QWidget*>(m_text) : m_map;
    const bool hadFocus = from->hasFocus();
    setProperty(firstFocus, QVariant::fromValue(to));
    to->show();
    if (hadFocus) to->setFocus();
    from->hide();
    placeColumn();
}

void HeadPage::setMiniMapWanted(bool wanted) {
    m_miniWanted = wanted;
    placeColumn();
}

// The scale takes what it needs, then the whole of a map in part, then the pins; the strongest ends
// stand below where there is room.
void HeadPage::placeColumn() {
    const int top = m_bar->height(), room = height() - top, width = m_column->width();
    const int x = m_map->x() + m_map->width() + between;
    const bool scale = m_hasColumn && !m_textShown;
    m_column->setVisible(scale);
    const int above = scale ? m_column->contentHeight() + gap : gap;
    int left = m_hasColumn ? room - above : 0;
    int y = top + room - left;
    const int whole = MiniMap::heightFor(width);
    const bool mini = m_miniWanted && !m_textShown && m_mini->isNeeded() && left >= whole;
    if (mini) {
        m_mini->setGeometry(x, y, width, whole);
        left -= whole + gap;
        y += whole + gap;
    }
    m_mini->setVisible(mini);
    const bool pinned = !m_pins->isEmpty() && left >= PinnedHeads::leastHeight();
    if (pinned) {
        const int height = std::min(left, m_pins->heightFor(m_pinsWidth));
        m_pins->setGeometry(x, y, m_pinsWidth, height);
        left -= height + gap;
        y += height + gap;
    }
    m_pins->setVisible(pinned);
    const bool ends = left >= m_ends->sizeHint().height();
    m_ends->setVisible(ends);
    if (ends) m_ends->setGeometry(x, y, width, m_ends->sizeHint().height());
    m_column->setGeometry(x, top, width, mini || pinned || ends ? m_column->contentHeight() : room);
}

void HeadPage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
}

}  // namespace ui
