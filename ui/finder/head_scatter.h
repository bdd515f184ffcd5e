// SPDX-License-Identifier: GPL-3.0-or-later
// All heads as points: any two metrics against one another, a third as colour. A click focuses a
// head, a dragged rectangle selects several.
#pragma once
#include <qcustomplot.h>

#include <optional>
#include <vector>

#include "ui/models/finder_model.h"
#include "ui/painting/theme.h"

namespace ui {

class HeadScatter : public QCustomPlot {
    Q_OBJECT
  public:
    explicit HeadScatter(const FinderModel& model, QWidget* parent = nullptr);

    struct Look {
        HeadMetric x = HeadMetric::Sink, y = HeadMetric::Attribution, colour = HeadMetric::Entropy;
        std::vector<engine::LayerHead> selected;  // framed
        // That a filter leaves; the others are dimmed. None: no filter.
        std::optional<std::vector<engine::LayerHead>> passing;
    };
    Look look() const { return {m_x, m_y, m_colour, m_selected, m_passing}; }
    void setLook(const Look&, const Theme&);  // for paper: these colours whatever the window's
    static std::vector<QColor> shades(const Theme&);  // from 0 to the largest

    void setMetrics(HeadMetric x, HeadMetric y, HeadMetric colour);
    void refresh();  // the model's values, its focused head, or the theme changed
    void setSelected(std::vector<engine::LayerHead>);  // framed
    void setPassing(std::optional<std::vector<engine::LayerHead>>);
    bool isDimmed(engine::LayerHead) const;
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

    const Theme& colours() const { return m_theme ? *m_theme : theme(); }

    const FinderModel& m_model;
    std::optional<Theme> m_theme;  // none: the window's
    HeadMetric m_x = HeadMetric::Sink, m_y = HeadMetric::Attribution,
               m_colour = HeadMetric::Entropy;
    std::vector<engine::LayerHead> m_selected;
    std::optional<std::vector<engine::LayerHead>> m_passing;
};

}  // namespace ui
