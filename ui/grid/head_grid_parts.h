// SPDX-License-Identifier: GPL-3.0-or-later
// What HeadGrid keeps; included by its own sources only.
#pragma once
#include <QImage>
#include <QTimer>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ui/grid/head_grid.h"
#include "ui/painting/grid_layout.h"
#include "ui/painting/theme.h"

namespace ui {

struct HeadGrid::Parts {
    struct Thumbnail {
        std::shared_ptr<const engine::Tile> tile;  // shared by all heads that came with it
        int index = 0;
        // Of the picture whose first head this is, at the present size and theme; null: to be
        // painted. Stale: what it shows is not the newest.
        QImage image;
        bool stale = true;
    };

    engine::ModelInfo model;
    GridLayout layout;
    std::optional<int> pitch;  // the user's; none: Fit
    GridFold fold;
    std::optional<int> foldMark;          // the layer where a range begins that keys choose
    std::optional<engine::Rows> dragged;  // rows of a range that is dragged in the gutter
    int dragFrom = 0;
    std::optional<engine::LayerHead> focused, hovered;
    std::vector<Thumbnail> thumbnails;        // [layer · heads + head]
    std::vector<std::uint8_t> ranks, dimmed;  // [layer · heads + head]
    std::vector<engine::LayerHead> pinned, ablated;
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
    // Of the picture of this head: what one of its layers sees is not out of the window.
    int windowOf(engine::LayerHead at) const {
        const engine::Rows layers = layout.layersIn(layout.rowOf(engine::to_int(at.layer)));
        int widest = 0;
        for (std::int64_t l = layers.begin; l < layers.end; ++l) {
            const auto layer = static_cast<std::size_t>(l);
            const int window = layer < model.attention.size() ? model.attention[layer].window : 0;
            if (window == 0) return 0;
            widest = std::max(widest, window);
        }
        return widest;
    }
    engine::LayerHead firstWith(engine::LayerHead at) const {
        const int row = layout.rowOf(engine::to_int(at.layer)),
                  column = layout.columnOf(engine::to_int(at.head));
        return {engine::Layer(layout.layersIn(row).begin),
                engine::QueryHead(layout.headsIn(column).begin)};
    }
    bool isFolded(engine::LayerHead at) const {
        return layout.layersIn(layout.rowOf(engine::to_int(at.layer))).count() > 1 ||
               layout.headsIn(layout.columnOf(engine::to_int(at.head))).count() > 1;
    }
    bool isSamePicture(engine::LayerHead a, engine::LayerHead b) const {
        return firstWith(a) == firstWith(b);
    }
    // The picture again where what it shows has changed; null while a head of it is missing.
    const QImage& imageOf(engine::LayerHead first, int side, double ratio, const Theme&);
    void dropImages() {
        for (Thumbnail& thumbnail : thumbnails) {
            thumbnail.image = {};
            thumbnail.stale = true;
        }
    }
};

}  // namespace ui
