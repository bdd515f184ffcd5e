// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steps/token_ticker.h"

#include <cmath>

namespace ui {

QString TokenTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    for (const TokenLabel& label : m_labels)
        if (label.position == std::llround(tick)) return label.text();
    return {};
}

QVector<double> TokenTicker::createTickVector(double, const QCPRange& range) {
    QVector<double> ticks;
    for (const TokenLabel& label : m_labels) {
        const auto at = static_cast<double>(label.position);
        if (range.contains(at)) ticks.append(at);
    }
    return ticks;
}

}  // namespace ui
