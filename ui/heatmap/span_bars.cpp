// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/span_bars.h"

#include <algorithm>
#include <cmath>

namespace ui {

QCPRange SpanBars::getKeyRange(bool& found, QCP::SignDomain) const {
    found = !m_bars.empty();
    QCPRange range(0, 0);
    for (const SpanBar& bar : m_bars) {
        range.expand(bar.top);
        range.expand(bar.bottom);
    }
    return range;
}

QCPRange SpanBars::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = !m_bars.empty();
    QCPRange range(0, 0);
    for (const SpanBar& bar : m_bars) {
        range.expand(bar.from);
        range.expand(bar.to);
    }
    return range;
}

void SpanBars::draw(QCPPainter* painter) {
    painter->setPen(Qt::NoPen);
    painter->setAntialiasing(false);
    for (const SpanBar& bar : m_bars) {
        if (!std::isfinite(bar.from) || !std::isfinite(bar.to)) continue;
        const double a = mValueAxis->coordToPixel(bar.from), b = mValueAxis->coordToPixel(bar.to);
        const double top = std::round(mKeyAxis->coordToPixel(bar.top));
        const double bottom = std::round(mKeyAxis->coordToPixel(bar.bottom));
        const double left = std::round(std::min(a, b)), right = std::round(std::max(a, b));
        painter->setBrush(bar.colour);
        // A write too small for a pixel still shows where it stands.
        painter->drawRect(
            QRectF(left, top, std::max(1.0, right - left), std::max(1.0, bottom - top)));
    }
}

}  // namespace ui
