// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/grid_layout.h"

#include <algorithm>

namespace ui {

namespace {

// Of `count` things in order, those that share a place and those that have one of their own.
void placeFolded(int count, const std::vector<engine::Rows>& folded,
                 std::vector<engine::Rows>& places, std::vector<int>& placeOf) {
    auto next = folded.begin();
    for (std::int64_t at = 0; at < count;) {
        while (next != folded.end() && next->end <= at) ++next;
        const bool shares = next != folded.end() && next->begin <= at;
        const std::int64_t end = shares ? std::min<std::int64_t>(next->end, count) : at + 1;
        placeOf.insert(placeOf.end(), static_cast<std::size_t>(end - at),
                       static_cast<int>(places.size()));
        places.push_back({at, end});
        at = end;
    }
}

}  // namespace

GridLayout::GridLayout(int layers, int heads, int kvHeads, int pitch, const GridFold& fold)
    : m_layers(layers),
      m_heads(heads),
      m_groups(std::clamp(kvHeads, 1, std::max(heads, 1))),
      m_groupSize(std::max(1, heads / m_groups)),
      m_pitch(std::clamp(pitch, smallestPitch, largestPitch)) {
    placeFolded(layers, fold.layers, m_rows, m_rowOf);
    std::vector<engine::Rows> groups;
    for (const int group : fold.groups)
        if (group < m_groups) groups.push_back(headsOf(group));
    placeFolded(heads, groups, m_columns, m_columnOf);
}

int GridLayout::fittingPitch(int layers, int heads, int kvHeads, QSize viewport,
                             const GridFold& fold) {
    if (layers <= 0 || heads <= 0) return smallestPitch;
    const GridLayout layout(layers, heads, kvHeads, smallestPitch, fold);
    const int tall = (viewport.height() - header - margin) / layout.rows();
    const int gaps = (std::max(kvHeads, 1) - 1) * groupGap + 3;
    const int wide = (viewport.width() - gutter - margin - gaps) / layout.columns();
    return std::clamp(std::min(tall, wide), smallestPitch, largestPitch);
}

engine::Rows GridLayout::headsOf(int group) const {
    const int end = group + 1 == m_groups ? m_heads : (group + 1) * m_groupSize;
    return {group * m_groupSize, end};
}

int GridLayout::rowAt(int y) const {
    return std::clamp(y < 0 ? 0 : y / m_pitch, 0, std::max(0, rows() - 1));
}

QSize GridLayout::size() const {
    if (m_heads == 0) return {};
    return {xOf(m_heads - 1) + m_pitch + 1 + margin, rows() * m_pitch + margin};
}

QRect GridLayout::rectOf(engine::LayerHead at) const {
    return {xOf(engine::to_int(at.head)), rowOf(engine::to_int(at.layer)) * m_pitch, thumbnail(),
            thumbnail()};
}

QRect GridLayout::groupRect(int group) const {
    const engine::Rows heads = headsOf(group);
    const int first = xOf(static_cast<int>(heads.begin)),
              last = xOf(static_cast<int>(heads.end) - 1);
    return {first - 2, 0, last + thumbnail() + 2 - (first - 2), rows() * m_pitch + 1};
}

std::optional<engine::LayerHead> GridLayout::headAt(QPoint at) const {
    if (at.y() < 0 || at.y() >= rows() * m_pitch) return std::nullopt;
    for (const engine::Rows& heads : m_columns) {
        const int x = xOf(static_cast<int>(heads.begin));
        if (at.x() >= x && at.x() < x + m_pitch)
            return engine::LayerHead{engine::Layer(layersIn(at.y() / m_pitch).begin),
                                     engine::QueryHead(heads.begin)};
    }
    return std::nullopt;
}

std::vector<engine::LayerHead> GridLayout::headsWith(engine::LayerHead at) const {
    std::vector<engine::LayerHead> all;
    const engine::Rows layers = layersIn(rowOf(engine::to_int(at.layer))),
                       heads = headsIn(columnOf(engine::to_int(at.head)));
    for (std::int64_t l = layers.begin; l < layers.end; ++l)
        for (std::int64_t h = heads.begin; h < heads.end; ++h)
            all.push_back({engine::Layer(l), engine::QueryHead(h)});
    return all;
}

}  // namespace ui
