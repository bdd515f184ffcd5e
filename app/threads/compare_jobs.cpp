// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/compare_jobs.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace app {

bool CompareJob::slice(const engine::TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                       const Send<engine::Tile>& send) {
    if (m_request.alignment) {
        if (!m_aligned) m_aligned.emplace(m_request.tiles, m_request.alignment, m_request.window);
        return m_aligned->slice(reader, std::move(stop), budget, send);
    }
    if (m_at >= m_request.tiles.size()) return true;
    if (!m_tile) m_tile.emplace(m_request.tiles[m_at]);
    if (m_tile->slice(reader, std::move(stop), budget, send)) {
        m_tile.reset();
        ++m_at;
    }
    return m_at >= m_request.tiles.size();
}

FigureJob::FigureJob(Request request) {
    request.tile.id = request.id;
    if (!request.alignment) {
        m_tile.emplace(std::move(request.tile));
        return;
    }
    std::vector<engine::TileRequest> tiles(3, request.tile);
    tiles[0].run = *request.tile.minus;
    tiles[0].minus.reset();
    tiles[1].minus.reset();
    m_aligned.emplace(std::move(tiles), std::move(request.alignment), request.window);
}

bool FigureJob::slice(const engine::TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                      const Send<engine::Tile>& send) {
    if (m_tile) return m_tile->slice(reader, std::move(stop), budget, send);
    return m_aligned->slice(reader, std::move(stop), budget, [&send](engine::Tile&& tile) {
        if (tile.request.minus) send(std::move(tile));
    });
}

void ChangesJob::begin(const engine::TraceReader& reader) {
    m_begun = true;
    m_table.id = m_request.id;
    m_table.a = m_request.a;
    m_table.b = m_request.b;
    m_table.layers = m_request.layers;
    m_table.query_heads = m_request.query_heads;
    std::int64_t rows = std::min(reader.rows(m_request.a), reader.rows(m_request.b)), same = rows;
    if (m_request.alignment) {
        m_table.byToken = true;
        rows = std::min(m_request.alignment->placesBefore(0, reader.rows(m_request.a)),
                        m_request.alignment->placesBefore(1, reader.rows(m_request.b)));
        same = std::min(rows, m_request.alignment->sharedBeginning());
    }
    m_table.rows = {same, rows};  // until a difference is found further up
}

void ChangesJob::narrow(const engine::TraceReader& reader) {
    const auto layer = engine::Layer(m_narrowed++);
    const std::int64_t known = m_table.rows.begin;  // no need to look further down
    if (known == 0) return;
    const engine::NamedTensor a = reader.read(m_request.a, {"lse", layer, {}}, {0, known}),
                              b = reader.read(m_request.b, {"lse", layer, {}}, {0, known});
    const auto left = a.data.as<float>(), right = b.data.as<float>();
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    for (std::size_t i = 0; i < left.size(); ++i)
        if (bits(left[i]) != bits(right[i]))
            m_table.rows.begin = std::min(m_table.rows.begin, static_cast<std::int64_t>(i) % known);
}

void ChangesJob::add(const engine::Tile& tile) {
    const auto values = tile.data.as<float>();
    const std::int64_t height = tile.request.dest.pixels(), width = tile.request.src.pixels();
    for (std::size_t i = 0; i < tile.request.heads.size(); ++i) {
        const std::size_t head = static_cast<std::size_t>(m_layer * m_table.query_heads) + i;
        ui::ChangeTable::Largest& largest = m_table.largest[head];
        for (std::int64_t y = 0; y < height; ++y) {
            const std::int64_t dest = tile.request.dest.begin + y;
            const float* row = values.data() + (static_cast<std::int64_t>(i) * height + y) * width;
            double sum = 0;
            for (std::int64_t src = 0; src <= dest; ++src) {
                const float size = std::fabs(row[src]);
                sum += static_cast<double>(size);
                if (size > std::fabs(largest.value))
                    largest = {row[src], engine::Position(dest), engine::Position(src)};
            }
            movedAt(head, dest) = static_cast<float>(sum / 2);
        }
    }
}

float& ChangesJob::movedAt(std::size_t head, std::int64_t row) {
    return m_table.moved[head * static_cast<std::size_t>(m_table.rows.count()) +
                         static_cast<std::size_t>(row - m_table.rows.begin)];
}

void ChangesJob::add(const PlacedCells& a, const PlacedCells& b, std::int64_t end) {
    for (int index = 0; index < m_table.query_heads; ++index) {
        const auto i = static_cast<std::size_t>(index);
        const std::size_t head = static_cast<std::size_t>(m_layer * m_table.query_heads) + i;
        ui::ChangeTable::Largest& largest = m_table.largest[head];
        for (std::int64_t dest = m_row; dest < end; ++dest) {
            if (!m_request.alignment->isBoth(dest)) {
                movedAt(head, dest) = std::numeric_limits<float>::quiet_NaN();
                continue;
            }
            double sum = 0;
            for (std::int64_t src = 0; src <= dest; ++src) {
                const float left = a.at(i, dest, src), right = b.at(i, dest, src);
                if (std::isnan(left) || std::isnan(right)) {  // one run's own source
                    sum += static_cast<double>(std::isnan(left) ? right : left);
                    continue;
                }
                const float value = right - left;
                sum += static_cast<double>(std::fabs(value));
                if (std::fabs(value) > std::fabs(largest.value))
                    largest = {value, engine::Position(dest), engine::Position(src)};
            }
            movedAt(head, dest) = static_cast<float>(sum / 2);
        }
    }
}

// Cells of both runs, of a layer.
double ChangesJob::costUpTo(std::int64_t end) const {
    if (!m_request.alignment)
        return 2.0 * m_request.query_heads * static_cast<double>(end - m_row) *
               static_cast<double>(end);
    const auto cost = [&](int run) {
        return PlacedCells::cost(run, *m_request.alignment, {m_row, end}, {0, end});
    };
    return std::max(1.0, m_request.query_heads * (cost(0) + cost(1)));
}

std::int64_t ChangesJob::endOfPart(const SliceBudget& budget) const {
    std::int64_t end = m_row + 1;
    while (end < m_table.rows.end && costUpTo(end + 1) <= budget.cells()) ++end;
    return end;
}

void ChangesJob::compare(const engine::TraceReader& reader, std::stop_token stop,
                         std::int64_t end) {
    engine::TileRequest part;
    part.run = m_request.b;
    part.minus = m_request.a;
    for (int head = 0; head < m_request.query_heads; ++head)
        part.heads.push_back({engine::Layer(m_layer), engine::QueryHead(head)});
    part.dest = {m_row, end, 1, {}};
    part.src = {0, end, 1, {}};
    part.pooling = engine::Pooling::None;
    if (!m_request.alignment) return add(reader.tile(part, std::move(stop)));
    const auto cells = [&](int run, engine::RunId id) {
        part.run = id;
        return PlacedCells(reader, stop, part, run, *m_request.alignment, {m_row, end}, {0, end});
    };
    const PlacedCells a = cells(0, m_request.a), b = cells(1, m_request.b);
    add(a, b, end);
}

bool ChangesJob::slice(const engine::TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                       const Send<Answer>& send) {
    if (stop.stop_requested()) throw engine::Cancelled();
    if (!m_begun) begin(reader);
    if (m_narrowed < m_request.layers) {
        narrow(reader);
        return false;
    }
    if (m_table.largest.empty()) {
        const auto heads = static_cast<std::size_t>(m_table.heads());
        m_table.largest.resize(heads);
        m_table.moved.resize(heads * static_cast<std::size_t>(m_table.rows.count()));
        m_row = m_table.rows.begin;
    }
    if (m_table.rows.count() > 0 && m_layer < m_request.layers) {
        const std::int64_t end = endOfPart(budget);
        const double cost = costUpTo(end);
        const auto start = std::chrono::steady_clock::now();
        compare(reader, stop, end);
        budget.measured(
            cost, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        m_row = end;
        if (m_row == m_table.rows.end) {
            m_row = m_table.rows.begin;
            ++m_layer;
        }
        if (m_layer < m_request.layers) return false;
    }
    send(std::move(m_table));
    return true;
}

}  // namespace app
