// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/grid_fold.h"

#include <algorithm>

namespace ui {

bool GridFold::hasGroup(int group) const {
    return std::binary_search(groups.begin(), groups.end(), group);
}

void GridFold::toggleGroup(int group) {
    const auto at = std::lower_bound(groups.begin(), groups.end(), group);
    if (at != groups.end() && *at == group)
        groups.erase(at);
    else
        groups.insert(at, group);
}

void GridFold::foldLayers(engine::Rows range) {
    std::erase_if(layers, [&range](const engine::Rows& folded) {
        if (folded.end <= range.begin || folded.begin >= range.end) return false;
        range = {std::min(range.begin, folded.begin), std::max(range.end, folded.end)};
        return true;
    });
    if (range.count() < 2) return;
    layers.insert(std::lower_bound(layers.begin(), layers.end(), range), range);
}

void GridFold::unfoldLayers(int layer) {
    std::erase_if(layers, [layer](const engine::Rows& folded) {
        return folded.begin <= layer && layer < folded.end;
    });
}

QString poolingName(FoldPooling pooling) {
    return pooling == FoldPooling::Max ? QStringLiteral("max") : QStringLiteral("mean");
}

}  // namespace ui
