// SPDX-License-Identifier: GPL-3.0-or-later
// Above the map: which head, who shares its K and V, two metrics, and the quantity shown.
#pragma once
#include <QWidget>
#include <optional>

#include "engine/values/metrics.h"
#include "engine/values/model_info.h"
#include "engine/values/tile.h"

namespace ui {

class SegmentBar;

class HeadBar : public QWidget {
    Q_OBJECT
  public:
    explicit HeadBar(QWidget* parent = nullptr);
    void setModel(const engine::ModelInfo&);
    void setHead(std::optional<engine::LayerHead>);
    // Sink and entropy of the whole run; values of another shape than the model are ignored.
    void setMetrics(const engine::HeadTable&);
    void clearMetrics();
    void setRows(std::int64_t done,
                 std::int64_t total);  // "4,096 of 8,192 rows" in place of the metrics; equal: none
    void setQuantity(engine::Quantity);
    engine::Quantity quantity() const { return m_quantity; }
    QString kvText() const;       // "KV 1, shares K and V with H4, H5"
    QString ruleText() const;     // of the layer, where it is not plain: "window 4,096"
    QString metricsText() const;  // "sink 0.69 · entropy 0.63 nat"
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void quantityChosen(engine::Quantity quantity);

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void refresh();

    engine::ModelInfo m_model;
    std::optional<engine::LayerHead> m_head;
    std::optional<engine::HeadTable> m_metrics;
    std::int64_t m_rowsDone = 0, m_rowsTotal = 0;
    engine::Quantity m_quantity = engine::Quantity::Pattern;
    SegmentBar* m_segments = nullptr;
};

}  // namespace ui
