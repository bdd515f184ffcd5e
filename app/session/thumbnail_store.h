// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/values/tile.h"

namespace app {

// The thumbnails of one run, so that a new row costs its own pixels and not the whole grid's. GUI
// thread.
class ThumbnailStore {
  public:
    void reset(engine::RunId run);  // a new run, nothing known

    // What to ask so that `heads` show `rows` published rows, on an axis of `positions` in at most
    // `pixels` pixels. None when all of it is there. Another axis than the last one makes what is
    // kept worthless.
    std::optional<engine::TileRequest> request(const std::vector<engine::LayerHead>& heads,
                                               std::int64_t positions, int pixels,
                                               std::int64_t rows);
    // The answer's heads as whole thumbnails. None when it is about another run or axis.
    std::optional<engine::Tile> absorb(const engine::Tile& part);

  private:
    struct Thumbnail {
        std::vector<float> pixels;  // [side, side]; bytes could not say NaN
        std::int64_t rows = 0;      // dest rows in it
    };
    std::size_t side() const { return static_cast<std::size_t>(m_axis.pixels()); }

    engine::RunId m_run{};
    engine::Axis m_axis;
    std::map<engine::LayerHead, Thumbnail> m_thumbnails;
};

}  // namespace app
