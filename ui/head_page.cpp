// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/head_page.h"

#include <QPainter>
#include <algorithm>

#include "ui/head_bar.h"
#include "ui/head_heatmap.h"
#include "ui/painting/theme.h"
#include "ui/scale_column.h"

namespace ui {

namespace {

constexpr int hideColumnBelow = 620, left = 2, between = 6, right = 18;

}  // namespace

HeadPage::HeadPage(QWidget* parent)
    : QWidget(parent),
      m_bar(new HeadBar(this)),
      m_map(new HeadHeatmap(this)),
      m_column(new ScaleColumn(this)) {
    connect(m_column, &ScaleColumn::scaleChanged, m_map, &HeadHeatmap::setScale);
    connect(m_map, &HeadHeatmap::legendChanged, m_column, &ScaleColumn::setLegend);
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
        m_column->setGeometry(left + mapWidth + between, barHeight, columnWidth,
                              height() - barHeight);
}

void HeadPage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
}

}  // namespace ui
