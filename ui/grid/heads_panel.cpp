// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/grid/heads_panel.h"

#include <QStandardItemModel>
#include <QVBoxLayout>

#include "ui/grid/head_grid.h"
#include "ui/widgets/labelled_combo.h"
#include "ui/widgets/plain_text.h"

namespace ui {

HeadsPanel::HeadsPanel(QWidget* parent) : QWidget(parent) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_rankBy = new LabelledCombo(QStringLiteral("Rank by"));
    m_rankBy->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with what had them
    m_rankBy->setToolTip(
        QStringLiteral("The badges of the grid and the order of the Finder's table"));
    m_rankBy->addItem(QStringLiteral("layer, head"));
    for (int i = 0; i < headMetrics; ++i) {
        m_rankBy->addItem(infoOf(HeadMetric(i)).name);
        m_rankBy->setItemData(i + 1, literalToolTip(infoOf(HeadMetric(i)).definition),
                              Qt::ToolTipRole);
    }
    m_rankBy->setCurrentIndex(columnOf(bestMetric));
    setSpanOffered(false);
    connect(m_rankBy, &QComboBox::activated, this, &HeadsPanel::columnChosen);
    m_grid = new HeadGrid;
    auto* row = new QHBoxLayout;
    row->setContentsMargins(6, 3, 6, 3);
    row->addWidget(m_rankBy);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_grid, 1);
}

void HeadsPanel::setColumn(int column) {
    m_rankBy->setEnabled(true);
    m_rankBy->setCurrentIndex(column);
}

void HeadsPanel::setRankedElsewhere(const QString& by) {
    m_rankBy->setEnabled(false);
    m_rankBy->setPlaceholderText(by);
    m_rankBy->setCurrentIndex(-1);
    m_rankBy->update();
}

void HeadsPanel::setSpanOffered(bool offered) {
    qobject_cast<QStandardItemModel*>(m_rankBy->model())
        ->item(columnOf(HeadMetric::Span))
        ->setEnabled(offered);
}

}  // namespace ui
