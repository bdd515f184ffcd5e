// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>

#include "ui/painting/map_labels.h"

namespace ui {

// Ticks of a map's axis: the positions that carry a label. The texts are for whoever asks the axis
// (accessibility, a vector export); on screen paintRowLabels and paintColumnLabels draw them, since
// an axis knows one colour a label only.
class TokenTicker : public QCPAxisTicker {
  public:
    void setLabels(std::vector<TokenLabel> labels) { m_labels = std::move(labels); }
    const std::vector<TokenLabel>& labels() const { return m_labels; }

  protected:
    double getTickStep(const QCPRange&) override { return 1; }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override;
    QVector<double> createTickVector(double, const QCPRange& range) override;

  private:
    std::vector<TokenLabel> m_labels;
};

}  // namespace ui
