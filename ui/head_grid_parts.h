// SPDX-License-Identifier: GPL-3.0-or-later
// What HeadGrid keeps; included by its own sources only.
#pragma once
#include <QImage>
#include <QTimer>
#include <cstdint>
#include <vector>

#include "ui/head_grid.h"
#include "ui/painting/grid_layout.h"

namespace ui {

struct HeadGrid::Parts {
    struct Thumbnail {
        std::shared_ptr<const engine::Tile> tile;  // shared by all heads that came with it
        int index = 0;
        QImage image;  // at the present size and theme; null: to be painted
    };

    engine::ModelInfo model;
    GridLayout layout;
    std::optional<int> pitch;  // the user's; none: Fit
    std::optional<engine::LayerHead> focused, hovered;
    std::vector<Thumbnail> thumbnails;        // [layer · heads + head]
    std::vector<std::uint8_t> ranks, dimmed;  // [layer · heads + head]
    std::vector<engine::LayerHead> pinned;
    QTimer ask;
    QVector<engine::LayerHead> asked;
    int askedPixels = 0;

    std::size_t indexOf(engine::LayerHead at) const {
        return static_cast<std::size_t>(engine::to_int(at.layer) * layout.heads() +
                                        engine::to_int(at.head));
    }
    bool has(engine::LayerHead at) const {
        return engine::to_int(at.layer) >= 0 && engine::to_int(at.layer) < layout.layers() &&
               engine::to_int(at.head) >= 0 && engine::to_int(at.head) < layout.heads();
    }
    int windowOf(engine::LayerHead at) const {
        const auto layer = static_cast<std::size_t>(engine::to_int(at.layer));
        return layer < model.attention.size() ? model.attention[layer].window : 0;
    }
    void dropImages() {
        for (Thumbnail& thumbnail : thumbnails) thumbnail.image = {};
    }
};

}  // namespace ui
