// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/grid_layout.h"

#include <algorithm>

namespace ui {

GridLayout::GridLayout(int layers, int heads, int kvHeads, int pitch)
    : m_layers(layers),
      m_heads(heads),
      m_groups(std::clamp(kvHeads, 1, std::max(heads, 1))),
      m_groupSize(std::max(1, heads / m_groups)),
      m_pitch(std::clamp(pitch, smallestPitch, largestPitch)) {}

int GridLayout::fittingPitch(int layers, int heads, int kvHeads, QSize viewport) {
    if (layers <= 0 || heads <= 0) return smallestPitch;
    const int tall = (viewport.height() - header - margin) / layers;
    const int gaps = (std::max(kvHeads, 1) - 1) * groupGap + 3;
    const int wide = (viewport.width() - gutter - margin - gaps) / heads;
    return std::clamp(std::min(tall, wide), smallestPitch, largestPitch);
}

QSize GridLayout::size() const {
    if (m_heads == 0) return {};
    return {xOf(m_heads - 1) + m_pitch + 1 + margin, m_layers * m_pitch + margin};
}

QRect GridLayout::rectOf(engine::LayerHead at) const {
    return {xOf(engine::to_int(at.head)), engine::to_int(at.layer) * m_pitch, thumbnail(),
            thumbnail()};
}

QRect GridLayout::groupRect(int group) const {
    const int first = xOf(group * m_groupSize),
              last = xOf(std::min(m_heads, (group + 1) * m_groupSize) - 1);
    return {first - 2, 0, last + thumbnail() + 2 - (first - 2), m_layers * m_pitch + 1};
}

std::optional<engine::LayerHead> GridLayout::headAt(QPoint at) const {
    if (at.y() < 0 || at.y() >= m_layers * m_pitch) return std::nullopt;
    for (int head = 0; head < m_heads; ++head)
        if (at.x() >= xOf(head) && at.x() < xOf(head) + m_pitch)
            return engine::LayerHead{engine::Layer{at.y() / m_pitch}, engine::QueryHead{head}};
    return std::nullopt;
}

}  // namespace ui
