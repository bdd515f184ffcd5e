// SPDX-License-Identifier: GPL-3.0-or-later
// The pinned heads, two side by side, on the axes, quantity and scale of the large map.
#pragma once
#include <QScrollArea>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/heatmap/pinned_map.h"

namespace ui {

class PinnedHeads : public QWidget {
    Q_OBJECT
  public:
    explicit PinnedHeads(QWidget* parent = nullptr);

    void setModel(const engine::ModelInfo&);  // its windows
    void setPins(const std::vector<engine::LayerHead>&);
    std::vector<engine::LayerHead> pins() const;
    bool isEmpty() const { return m_maps.empty(); }
    PinnedMap* map(engine::LayerHead) const;  // null: it is not pinned

    void setLook(const MapLook&, engine::Pooling);  // the large map's; a new run drops the tiles
    void setRun(engine::RunId);
    void setTile(const engine::Tile&);  // of some of the heads
    void setFocusedHead(engine::LayerHead);
    void setAttributions(const std::vector<float>& ofHeads);  // [L · H + h]; empty: none known

    int heightFor(int width) const;  // of all of them
    static int leastHeight() { return 120; }

  Q_SIGNALS:
    // What to ask for each of them; emitted when it changes.
    void viewWanted(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void headChosen(engine::LayerHead);
    void headActivated(engine::LayerHead);
    void unpinRequested(engine::LayerHead);

  protected:
    void resizeEvent(QResizeEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void arrange();
    void askForView();
    static int cellWidth(int width);

    QScrollArea* m_scroll = nullptr;
    QWidget* m_content = nullptr;
    std::vector<PinnedMap*> m_maps;  // owned by the content
    engine::ModelInfo m_model;
    engine::LayerHead m_focused;
    engine::RunId m_run{};
    MapLook m_look;
    engine::Pooling m_pooling = engine::Pooling::Max;
    std::optional<WantedView> m_wanted;  // asked for last
};

}  // namespace ui
