// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars between any two values, a waterfall's included, as one QCustomPlot plottable:
// QCPBars has one base for all of its bars.
#pragma once
#include <qcustomplot.h>

#include <vector>

namespace ui {

struct SpanBar {
    double top = 0, bottom = 0;  // in rows; row r spans r − 0.5 to r + 0.5, growing downwards
    double from = 0, to = 0;     // values
    QColor colour;
};

class SpanBars : public QCPAbstractPlottable {
    Q_OBJECT
  public:
    SpanBars(QCPAxis* rows, QCPAxis* values) : QCPAbstractPlottable(rows, values) {}
    void setBars(std::vector<SpanBar> bars) { m_bars = std::move(bars); }
    const std::vector<SpanBar>& bars() const { return m_bars; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

  protected:
    void draw(QCPPainter*) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

  private:
    std::vector<SpanBar> m_bars;
};

}  // namespace ui
