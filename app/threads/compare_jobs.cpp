// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/compare_jobs.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

namespace app {

bool CompareJob::slice(const engine::TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                       const Send<engine::Tile>& send) {
    if (m_at >= m_request.tiles.size()) return true;
    if (!m_tile) m_tile.emplace(m_request.tiles[m_at]);
    if (m_tile->slice(reader, std::move(stop), budget, send)) {
        m_tile.reset();
        ++m_at;
    }
    return m_at >= m_request.tiles.size();
}

void ChangesJob::begin(const engine::TraceReader& reader) {
    m_begun = true;
    m_table.id = m_request.id;
    m_table.a = m_request.a;
    m_table.b = m_request.b;
    m_table.layers = m_request.layers;
    m_table.query_heads = m_request.query_heads;
    const std::int64_t both = std::min(reader.rows(m_request.a), reader.rows(m_request.b));
    m_table.rows = {both, both};  // until a difference is found
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
            m_table.moved[head * static_cast<std::size_t>(m_table.rows.count()) +
                          static_cast<std::size_t>(dest - m_table.rows.begin)] =
                static_cast<float>(sum / 2);
        }
    }
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
        engine::TileRequest part;
        part.run = m_request.b;
        part.minus = m_request.a;
        for (int head = 0; head < m_request.query_heads; ++head)
            part.heads.push_back({engine::Layer(m_layer), engine::QueryHead(head)});
        const auto cells = [&](std::int64_t end) {  // of both runs
            return 2.0 * m_request.query_heads * static_cast<double>(end - m_row) *
                   static_cast<double>(end);
        };
        std::int64_t end = m_row + 1;
        while (end < m_table.rows.end && cells(end + 1) <= budget.cells()) ++end;
        part.dest = {m_row, end, 1, {}};
        part.src = {0, end, 1, {}};
        part.pooling = engine::Pooling::None;
        const auto begin = std::chrono::steady_clock::now();
        add(reader.tile(part, stop));
        budget.measured(
            cells(end),
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
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
