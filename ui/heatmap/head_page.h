// SPDX-License-Identifier: GPL-3.0-or-later
// Head bar, map, scale column and, below it, the pinned heads and the strongest ends, wired to one
// another; the app reaches each through its accessor.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/values/ids.h"

namespace ui {

class HeadBar;
class HeadHeatmap;
class MiniMap;
class PinnedHeads;
class ScaleColumn;
class TextView;
class TopEnds;

// A property: the widget in a region that F6 goes to first. Not Qt's focus proxy, which makes the
// region a stop of the Tab key as well: one that no order of the window's can place.
inline constexpr const char* firstFocus = "firstFocus";

class HeadPage : public QWidget {
    Q_OBJECT
  public:
    explicit HeadPage(QWidget* parent = nullptr);
    HeadBar& headBar() const { return *m_bar; }
    HeadHeatmap& heatmap() const { return *m_map; }
    ScaleColumn& scaleColumn() const { return *m_column; }
    TopEnds& topEnds() const { return *m_ends; }
    PinnedHeads& pinnedHeads() const { return *m_pins; }
    MiniMap& miniMap() const { return *m_mini; }
    TextView& textView() const { return *m_text; }
    void setTextShown(bool);  // in the map's place
    bool isTextShown() const { return m_textShown; }
    void setMiniMapWanted(bool);  // where a part of the map is in view and there is room
    void setPins(const std::vector<engine::LayerHead>&);

  protected:
    void resizeEvent(QResizeEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    void arrange();
    void placeColumn();
    void followMap();  // the pins show what it shows, as it shows it

    HeadBar* m_bar = nullptr;
    HeadHeatmap* m_map = nullptr;
    ScaleColumn* m_column = nullptr;
    TopEnds* m_ends = nullptr;
    PinnedHeads* m_pins = nullptr;
    MiniMap* m_mini = nullptr;
    TextView* m_text = nullptr;
    bool m_miniWanted = true, m_textShown = false, m_hasColumn = false;
    int m_pinsWidth = 0;
};

}  // namespace ui
