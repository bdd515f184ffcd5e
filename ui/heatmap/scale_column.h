// SPDX-License-Identifier: GPL-3.0-or-later
// The colour bar, what makes it, and what it leaves out: quantity, scale,
// range, sink, pooling, notes. Dragging along the bar sets the threshold.
#pragma once
#include <QStringList>
#include <QWidget>

#include "ui/painting/map_scale.h"

namespace ui {

class LabelledCombo;

class ScaleColumn : public QWidget {
    Q_OBJECT
  public:
    explicit ScaleColumn(QWidget* parent = nullptr);
    void setLegend(const MapLegend&);    // what the map drew
    void setChoice(const ScaleChoice&);  // as if chosen here, without the signal
    const ScaleChoice& choice() const { return m_choice; }
    QString title() const;      // over the bar: "p (pattern)"
    QStringList notes() const;  // "▸ source 0 exceeds the range", "no pooling, 1 cell = 33 px"
    QStringList noteLines() const;  // as they are drawn
    int contentHeight() const;      // down to the last note
    QRect barRect() const;          // of the colours
    // Of the quantity shown, 0 for none; as if chosen here.
    void chooseThreshold(double magnitude);
    double threshold() const { return m_choice.threshold(m_legend.quantity); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  public Q_SLOTS:
    void nextScale();    // S
    void nextRange();    // R
    void nextSink();     // B
    void nextPooling();  // M

  Q_SIGNALS:
    void scaleChanged(const ui::ScaleChoice& choice);
    void contentHeightChanged();

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;

  private:
    double thresholdAt(double x) const;
    void choose(const ScaleChoice&);
    void refresh();
    // Spans are pooled by their own rule.
    bool isPooled() const { return m_legend.cellsPerPixel > 1 && m_legend.units.areTokens(); }
    bool isOffered(RangeMode) const;
    RangeMode range() const;  // in effect: the chosen one, or the head's where that is not offered

    MapLegend m_legend;
    ScaleChoice m_choice;
    int m_height = 0;
    bool m_draggingBar = false;
    LabelledCombo *m_scale = nullptr, *m_range = nullptr, *m_sink = nullptr, *m_pooling = nullptr;
};

}  // namespace ui
