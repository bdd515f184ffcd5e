// SPDX-License-Identifier: GPL-3.0-or-later
// Two runs on the places of their alignment: cells are fetched by each run's own positions and laid
// beside each other here, so that no number is of another cell than it says. Reader thread.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "app/threads/reader_jobs.h"
#include "ui/models/run_alignment.h"

namespace app {

// One run's cells, some heads', of a range of rows, found by places.
class PlacedCells {
  public:
    // `like` gives heads and quantity; rows of places that are published, sources of `src`.
    PlacedCells(const engine::TraceReader&, std::stop_token, engine::TileRequest like, int run,
                const ui::RunAlignment&, engine::Rows dest, engine::Rows src);
    static double cost(int run, const ui::RunAlignment&, engine::Rows dest, engine::Rows src);

    // NaN: the run has no such row or source, or not yet. Not for src > dest.
    float at(std::size_t head, std::int64_t dest, std::int64_t src) const;

  private:
    int m_run;
    const ui::RunAlignment& m_alignment;
    bool m_leavesFirstOut;
    engine::Rows m_dest, m_src;  // positions
    engine::Tile m_tile;
};

// The first run's map, the second's and their difference, each pooled over the cells that it has: a
// pixel without one is NaN. Sent when they are whole.
class AlignedMaps {
  public:
    // As CompareRequest's: tiles of a, b and b less a, their axes in places. Cells outside a
    // layer's window (0: it has none) have no value.
    AlignedMaps(std::vector<engine::TileRequest> tiles,
                std::shared_ptr<const ui::RunAlignment> alignment, int window);
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&,
               const Send<engine::Tile>&);

  private:
    struct Pixel {
        double sum = 0;
        float largest = 0;
        std::int64_t count = 0;
    };
    void begin(const engine::TraceReader&);
    void add(std::size_t map, std::size_t pixel, float value);
    engine::Tile tileOf(std::size_t map) const;

    std::vector<engine::TileRequest> m_tiles;
    std::shared_ptr<const ui::RunAlignment> m_alignment;
    int m_window;
    std::array<std::int64_t, 3> m_ready{};  // places
    std::array<std::vector<Pixel>, 3> m_pixels;
    std::int64_t m_place = -1;  // first row that is not done; −1: not begun
    double m_seconds = 0;
};

}  // namespace app
