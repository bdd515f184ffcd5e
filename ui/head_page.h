// SPDX-License-Identifier: GPL-3.0-or-later
// Head bar, map and scale column, wired to one another; the app reaches each through its accessor.
#pragma once
#include <QWidget>

namespace ui {

class HeadBar;
class HeadHeatmap;
class ScaleColumn;

class HeadPage : public QWidget {
    Q_OBJECT
  public:
    explicit HeadPage(QWidget* parent = nullptr);
    HeadBar& headBar() const { return *m_bar; }
    HeadHeatmap& heatmap() const { return *m_map; }
    ScaleColumn& scaleColumn() const { return *m_column; }

  protected:
    void resizeEvent(QResizeEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    HeadBar* m_bar = nullptr;
    HeadHeatmap* m_map = nullptr;
    ScaleColumn* m_column = nullptr;
};

}  // namespace ui
