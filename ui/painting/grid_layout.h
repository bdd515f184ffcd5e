// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPoint>
#include <QRect>
#include <optional>

#include "engine/values/ids.h"

namespace ui {

// Where heads stand in the grid, in logical pixels of its content: below the header and right of
// the gutter, both of which stay when the content scrolls.
class GridLayout {
  public:
    static constexpr int gutter = 34, header = 36, groupGap = 6, margin = 4;
    static constexpr int smallestPitch = 13, largestPitch = 96;

    GridLayout() = default;
    GridLayout(int layers, int heads, int kvHeads, int pitch);

    // The largest pitch at which all heads are in sight, within the bounds.
    static int fittingPitch(int layers, int heads, int kvHeads, QSize viewport);

    int layers() const { return m_layers; }
    int heads() const { return m_heads; }
    int groups() const { return m_groups; }
    int groupOf(int head) const { return head / m_groupSize; }
    int pitch() const { return m_pitch; }
    int thumbnail() const { return m_pitch - 1; }
    QSize size() const;                     // of the content
    QRect rectOf(engine::LayerHead) const;  // a thumbnail
    QRect groupRect(
        int group) const;  // x and width of the group's frame; y and height of all layers
    std::optional<engine::LayerHead> headAt(QPoint) const;

  private:
    int xOf(int head) const { return 2 + head * m_pitch + groupOf(head) * groupGap; }

    int m_layers = 0, m_heads = 0, m_groups = 1, m_groupSize = 1, m_pitch = smallestPitch;
};

}  // namespace ui
