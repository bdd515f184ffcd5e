// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPoint>
#include <QRect>
#include <optional>
#include <vector>

#include "engine/values/ids.h"
#include "ui/painting/grid_fold.h"

namespace ui {

// Where heads stand in the grid, in logical pixels of its content: below the header and right of
// the gutter, both of which stay when the content scrolls. A row is a layer or a folded range of
// them, a column a head or a folded KV group; the picture of a row and a column stands for all of
// its heads.
class GridLayout {
  public:
    static constexpr int gutter = 34, header = 36, groupGap = 6, margin = 4;
    static constexpr int smallestPitch = 13, largestPitch = 96;

    GridLayout() = default;
    GridLayout(int layers, int heads, int kvHeads, int pitch, const GridFold& = {});

    // The largest pitch at which all pictures are in sight, within the bounds.
    static int fittingPitch(int layers, int heads, int kvHeads, QSize viewport,
                            const GridFold& = {});

    int layers() const { return m_layers; }
    int heads() const { return m_heads; }
    int groups() const { return m_groups; }
    int groupOf(int head) const { return std::min(head / m_groupSize, m_groups - 1); }
    engine::Rows headsOf(int group) const;
    int rows() const { return static_cast<int>(m_rows.size()); }
    int columns() const { return static_cast<int>(m_columns.size()); }
    engine::Rows layersIn(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    engine::Rows headsIn(int column) const { return m_columns[static_cast<std::size_t>(column)]; }
    int rowOf(int layer) const { return m_rowOf[static_cast<std::size_t>(layer)]; }
    int columnOf(int head) const { return m_columnOf[static_cast<std::size_t>(head)]; }
    int rowAt(int y) const;  // the nearest one
    int pitch() const { return m_pitch; }
    int thumbnail() const { return m_pitch - 1; }
    QSize size() const;                     // of the content
    QRect rectOf(engine::LayerHead) const;  // its picture
    QRect groupRect(
        int group) const;  // x and width of the group's frame; y and height of all layers
    std::optional<engine::LayerHead> headAt(QPoint) const;              // the picture's first
    std::vector<engine::LayerHead> headsWith(engine::LayerHead) const;  // of its picture

  private:
    int xOf(int head) const { return 2 + columnOf(head) * m_pitch + groupOf(head) * groupGap; }

    int m_layers = 0, m_heads = 0, m_groups = 1, m_groupSize = 1, m_pitch = smallestPitch;
    std::vector<engine::Rows> m_rows, m_columns;  // layers of a row, heads of a column
    std::vector<int> m_rowOf, m_columnOf;
};

}  // namespace ui
