// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>

#include "ui/painting/map_scene.h"

namespace ui {

// The map in device pixels of the page, side × side: data through the scale, and the looks of what
// has no data.
QImage mapImage(const MapScene&);

// Hatching and dots of cells without a value, by device pixel; the same everywhere, so that areas
// join.
class NoValuePaint {
  public:
    NoValuePaint(const Theme&, double ratio, QRgb masked);
    QRgb masked() const { return m_masked; }
    QRgb outOfWindow(int x, int y) const {
        return (x + y) % m_hatch < m_line ? m_hatchLine : m_masked;
    }
    QRgb notComputed(int x, int y) const {
        return x % m_dots < m_line && y % m_dots < m_line ? m_dot : m_ground;
    }
    // Leans the other way than the hatching of a window; so does noNumber, computed but NaN.
    QRgb noNumber(int x, int y) const { return oneRunOnly(x, y); }
    QRgb oneRunOnly(int x, int y) const { return (x - y) % m_hatch == 0 ? m_hatchLine : m_ground; }
    QRgb pending() const { return m_ground; }  // computed, but not here yet

  private:
    QRgb m_masked, m_hatchLine, m_ground, m_dot;
    int m_line, m_hatch, m_dots;  // device pixels
};

}  // namespace ui
