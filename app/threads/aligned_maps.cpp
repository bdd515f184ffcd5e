// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/aligned_maps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/painting/map_scale.h"

namespace app {

using engine::Rows;
using ui::RunAlignment;

namespace {

constexpr float kNoCell = std::numeric_limits<float>::quiet_NaN();

double secondsFrom(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// No source is behind the last row.
Rows sourcesOf(int run, const RunAlignment& alignment, Rows dest, Rows src) {
    return alignment.positionsIn(run, {src.begin, std::min(src.end, dest.end)});
}

}  // namespace

PlacedCells::PlacedCells(const engine::TraceReader& reader, std::stop_token stop,
                         engine::TileRequest like, int run, const RunAlignment& alignment,
                         Rows dest, Rows src)
    : m_run(run),
      m_alignment(alignment),
      m_leavesFirstOut(like.renormalized),
      m_dest(alignment.positionsIn(run, dest)),
      m_src(sourcesOf(run, alignment, dest, src)) {
    m_dest.end = std::min(m_dest.end, reader.rows(like.run));
    if (m_dest.count() <= 0 || m_src.count() <= 0) {
        m_dest.end = m_dest.begin;
        return;
    }
    like.minus.reset();
    like.dest = {m_dest.begin, m_dest.end, 1, {}};
    like.src = {m_src.begin, m_src.end, 1, {}};
    like.pooling = engine::Pooling::None;
    like.format = engine::PixelFormat::F32;
    m_tile = reader.tile(like, std::move(stop));
}

double PlacedCells::cost(int run, const RunAlignment& alignment, Rows dest, Rows src) {
    return static_cast<double>(alignment.positionsIn(run, dest).count()) *
           static_cast<double>(sourcesOf(run, alignment, dest, src).count());
}

float PlacedCells::at(std::size_t head, std::int64_t dest, std::int64_t src) const {
    const std::int64_t row = m_alignment.positionAt(m_run, dest),
                       column = m_alignment.positionAt(m_run, src);
    if (row == RunAlignment::none || column == RunAlignment::none || row >= m_dest.end ||
        (m_leavesFirstOut && column == 0))
        return kNoCell;
    const std::int64_t line = static_cast<std::int64_t>(head) * m_dest.count() + row - m_dest.begin;
    return m_tile.data
        .as<float>()[static_cast<std::size_t>(line * m_src.count() + column - m_src.begin)];
}

AlignedMaps::AlignedMaps(std::vector<engine::TileRequest> tiles,
                         std::shared_ptr<const RunAlignment> alignment, int window)
    : m_tiles(std::move(tiles)), m_alignment(std::move(alignment)), m_window(window) {}

void AlignedMaps::begin(const engine::TraceReader& reader) {
    m_place = m_tiles[0].dest.begin;
    for (const std::size_t run : {0U, 1U})
        m_ready[run] =
            m_alignment->placesBefore(static_cast<int>(run), reader.rows(m_tiles[run].run));
    m_ready[2] = std::min(m_ready[0], m_ready[1]);
    for (auto& pixels : m_pixels)
        pixels.resize(static_cast<std::size_t>(m_tiles[0].dest.pixels() * m_tiles[0].src.pixels()));
}

void AlignedMaps::add(std::size_t map, std::size_t pixel, float value) {
    if (std::isnan(value)) return;
    Pixel& at = m_pixels[map][pixel];
    const bool hasSign = map == 2 || ui::isSigned(m_tiles[map].quantity);
    if (at.count == 0 || (hasSign ? std::fabs(value) > std::fabs(at.largest) : value > at.largest))
        at.largest = value;
    at.sum += static_cast<double>(value);
    ++at.count;
}

engine::Tile AlignedMaps::tileOf(std::size_t map) const {
    const engine::TileRequest& request = m_tiles[map];
    std::vector<float> values;
    values.reserve(m_pixels[map].size());
    for (const Pixel& pixel : m_pixels[map]) {
        double value = static_cast<double>(pixel.largest);
        if (request.pooling == engine::Pooling::Sum) value = pixel.sum;
        if (request.pooling == engine::Pooling::Mean)
            value = pixel.sum / static_cast<double>(pixel.count);
        values.push_back(pixel.count == 0 ? kNoCell : static_cast<float>(value));
    }
    return {
        request, m_ready[map],
        engine::make_payload(engine::DType::F32, {1, request.dest.pixels(), request.src.pixels()},
                             std::move(values)),
        m_seconds};
}

bool AlignedMaps::slice(const engine::TraceReader& reader, std::stop_token stop,
                        SliceBudget& budget, const Send<engine::Tile>& send) {
    if (stop.stop_requested()) throw engine::Cancelled();
    const engine::Axis &dest = m_tiles[0].dest, &src = m_tiles[0].src;
    if (m_place < 0) begin(reader);
    const std::int64_t last = std::min(dest.end, m_alignment->places());
    if (m_place < last) {
        const Rows sources{src.begin, std::min(src.end, m_alignment->places())};
        const auto cost = [&](std::int64_t end) {
            return PlacedCells::cost(0, *m_alignment, {m_place, end}, sources) +
                   PlacedCells::cost(1, *m_alignment, {m_place, end}, sources);
        };
        std::int64_t end = m_place + 1;
        while (end < last && cost(end + 1) <= budget.cells()) ++end;
        const Rows rows{m_place, end};
        const auto start = std::chrono::steady_clock::now();
        const PlacedCells a(reader, stop, m_tiles[0], 0, *m_alignment, rows, sources),
            b(reader, stop, m_tiles[1], 1, *m_alignment, rows, sources);
        for (std::int64_t y = rows.begin; y < rows.end; ++y)
            for (std::int64_t x = sources.begin; x < std::min(sources.end, y + 1); ++x) {
                const auto pixel = static_cast<std::size_t>(
                    (y - dest.begin) / dest.cells_per_pixel * src.pixels() +
                    (x - src.begin) / src.cells_per_pixel);
                const auto value = [&](const PlacedCells& cells, int run) {
                    const bool isOut = m_window > 0 && m_alignment->positionAt(run, y) -
                                                               m_alignment->positionAt(run, x) >=
                                                           m_window;
                    return isOut ? kNoCell : cells.at(0, y, x);
                };
                const float left = value(a, 0), right = value(b, 1);
                add(0, pixel, left);
                add(1, pixel, right);
                add(2, pixel, right - left);
            }
        const double seconds = secondsFrom(start);
        budget.measured(std::max(1.0, cost(end)), seconds);
        m_seconds += seconds;
        m_place = end;
        if (m_place < last) return false;
    }
    for (std::size_t map = 0; map < m_tiles.size(); ++map) send(tileOf(map));
    return true;
}

}  // namespace app
