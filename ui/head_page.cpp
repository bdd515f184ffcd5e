// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/head_page.h"

#include <QPainter>
#include <algorithm>

#include "ui/head_bar.h"
#include "ui/head_heatmap.h"
#include "ui/painting/theme.h"
#include "ui/scale_column.h"
#include "ui/top_ends.h"

namespace ui {

namespace {

constexpr int hideColumnBelow = 620, left = 2, between = 6, right = 18, gap = 12;

}  // namespace

HeadPage::HeadPage(QWidget* parent)
    : QWidget(parent),
      m_bar(new HeadBar(this)),
      m_map(new HeadHeatmap(this)),
      m_column(new ScaleColumn(this)),
      m_ends(new TopEnds(this)) {
    connect(m_column, &ScaleColumn::scaleChanged, m_map, &HeadHeatmap::setScale);
    connect(m_map, &HeadHeatmap::legendChanged, m_column, &ScaleColumn::setLegend);
    connect(m_column, &ScaleColumn::contentHeightChanged, this, &HeadPage::placeColumn);
    setFocusProxy(m_map);  // where F6 goes
    setMinimumSize(340, 380);
}

void HeadPage::resizeEvent(QResizeEvent*) {
    const int barHeight = m_bar->sizeHint().height();
    m_bar->setGeometry(0, 0, width(), barHeight);
    const bool hasColumn = width() >= hideColumnBelow;
    m_column->setVisible(hasColumn);
    const int columnWidth = hasColumn ? std::clamp(width() * 235 / 1000, 150, 230) : 0;
    const int mapWidth = width() - left - (hasColumn ? columnWidth + between + right : 0);
    m_map->setGeometry(left, barHeight, mapWidth, height() - barHeight);
    if (hasColumn)
        m_column->resize(columnWidth, m_column->height());  // its height follows its width
    placeColumn();
}

// The scale takes what it needs, the strongest ends stand below where they have room.
void HeadPage::placeColumn() {
    const int top = m_bar->height(), room = height() - top;
    const int x = m_map->x() + m_map->width() + between;
    const bool fits = !m_column->isHidden() &&
                      m_column->contentHeight() + gap + m_ends->sizeHint().height() <= room;
    m_column->setGeometry(x, top, m_column->width(), fits ? m_column->contentHeight() : room);
    m_ends->setVisible(fits);
    if (fits)
        m_ends->setGeometry(x, top + m_column->contentHeight() + gap, m_column->width(),
                            m_ends->sizeHint().height());
}

void HeadPage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
}

}  // namespace ui
