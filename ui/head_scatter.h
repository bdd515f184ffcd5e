// SPDX-License-Identifier: GPL-3.0-or-later
// All heads as points: any two metrics against one another, a third as colour. A click focuses a
// head, a dragged rectangle selects several.
#pragma once
#include <qcustomplot.h>

#include <optional>
#include <vector>

#include "ui/models/finder_model.h"

namespace ui {

class HeadScatter : public QCustomPlot {
    Q_OBJECT
  public:
    explicit HeadScatter(const FinderModel& model, QWidget* parent = nullptr);

    void setMetrics(HeadMetric x, HeadMetric y, HeadMetric colour);
    void refresh();  // the model's values, its focused head, or the theme changed
    void setSelected(std::vector<engine::LayerHead>);  // framed
    const std::vector<engine::LayerHead>& selected() const { return m_selected; }
    std::optional<QPointF> pointOf(engine::LayerHead) const;  // in this widget; none: no value
    std::optional<engine::LayerHead> headNear(QPointF) const;

    QSize sizeHint() const override { return {420, 260}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

  Q_SIGNALS:
    void headActivated(engine::LayerHead);
    void headsSelected(const std::vector<engine::LayerHead>&);  // of the rectangle, may be none

  protected:
    bool event(QEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void addPoints();
    void addNames();
    void takeRectangle(const QRect&);

    const FinderModel& m_model;
    HeadMetric m_x = HeadMetric::Sink, m_y = HeadMetric::Attribution,
               m_colour = HeadMetric::Entropy;
    std::vector<engine::LayerHead> m_selected;
};

}  // namespace ui
