// SPDX-License-Identifier: GPL-3.0-or-later
// Above the page: its tabs, and what the rows and columns of its map stand for. The buttons give
// way to the tabs where there is no room for both; the View menu has them as well.
#pragma once
#include <QWidget>

#include "ui/painting/map_units.h"

class QLabel;
class QTabBar;

namespace ui {

class SegmentBar;

class PageBar : public QWidget {
    Q_OBJECT
  public:
    explicit PageBar(QWidget* parent = nullptr);
    QTabBar& tabs() const { return *m_tabs; }
    SegmentBar& spans() const { return *m_spans; }

    void setGranularity(Granularity);
    // Only over a map that has them.
    void setSpansOffered(bool);
    void setTurnsOffered(bool);  // the run has chat turns

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void granularityChosen(ui::Granularity);

  protected:
    void resizeEvent(QResizeEvent*) override;
    bool event(QEvent*) override;

  private:
    void arrange();

    QTabBar* m_tabs = nullptr;
    QLabel* m_title = nullptr;
    SegmentBar* m_spans = nullptr;
    bool m_offered = true;
};

}  // namespace ui
