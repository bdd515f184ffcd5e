// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/range_job.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/painting/cell_kind.h"

namespace app {

using engine::Rows;
using engine::Tile;
using engine::TileRequest;

namespace {

constexpr std::int64_t kParts = 32;  // of a head's rows, so that one is no longer than a slice

// Source 0 and the others, a pixel each.
TileRequest largestOfRows(const RangeRequest& request) {
    TileRequest tile = request.tile;
    const std::int64_t count = request.rows.count(), parts = std::min(kParts, count);
    tile.dest = tile.src = {};
    for (std::int64_t i = 0; i <= parts; ++i)
        tile.dest.edges.push_back(request.rows.begin + count * i / parts);
    tile.src.edges = {0, 1};
    if (request.rows.end > 1) tile.src.edges.push_back(request.rows.end);
    tile.pooling = engine::Pooling::Max;
    tile.format = engine::PixelFormat::F32;
    return tile;
}

TileRequest cellsOfRow(const RangeRequest& request, std::int64_t row) {
    TileRequest tile = request.tile;
    tile.dest = {row, row + 1, 1, {}};
    tile.src = {0, row + 1, 1, {}};
    tile.pooling = engine::Pooling::None;
    tile.format = engine::PixelFormat::F32;
    return tile;
}

}  // namespace

RangeRequest rangeOver(const engine::ModelInfo& model, engine::RunId run,
                       std::optional<engine::Layer> of, Rows rows) {
    RangeRequest request;
    request.tile.run = run;
    request.rows = rows;
    for (int layer = 0; layer < model.layers; ++layer) {
        request.windows.push_back(model.attention[static_cast<std::size_t>(layer)].window);
        if (of && *of != engine::Layer(layer)) continue;
        for (int head = 0; head < model.query_heads; ++head)
            request.tile.heads.push_back({engine::Layer(layer), engine::QueryHead(head)});
    }
    return request;
}

double HeadRange::largest() const {
    return request.withSink ? std::max(extent.withoutSink, extent.sink) : extent.withoutSink;
}

void HeadRange::rankLargest() {
    const auto most = static_cast<float>(largest());
    if (!ranked || (!ranked->empty() && ranked->back() >= most)) return;
    std::vector<float> more = *ranked;
    more.push_back(most);
    ranked = std::make_shared<const std::vector<float>>(std::move(more));
}

RangeJob::RangeJob(Request request) {
    m_range.request = std::move(request);
    const RangeRequest& asked = m_range.request;
    const std::int64_t rows = asked.rows.end,
                       heads = static_cast<std::int64_t>(asked.tile.heads.size());
    if (!asked.ranks || rows <= 0 || heads == 0) return;
    const auto cells = [heads](std::int64_t row) { return heads * (row + 1); };
    const std::int64_t count =
        std::clamp(kMostCells / (heads * (rows + 1) / 2), std::min(kLeastRows, rows), rows);
    std::int64_t all = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        m_sampled.push_back((i + 1) * rows / count - 1);
        all += cells(m_sampled.back());
    }
    // Odd, so that no source is met more often than others.
    m_step = std::max<std::int64_t>(1, (all + kMostRanked - 1) / kMostRanked);
    if (m_step > 1) m_step |= 1;
}

bool RangeJob::slice(const engine::TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                     const Send<Answer>& send) {
    const RangeRequest& request = m_range.request;
    if (!m_hasExtent && request.rows.count() > 0 && !request.tile.heads.empty()) {
        if (!m_part) m_part.emplace(largestOfRows(request));
        if (!m_part->slice(reader, stop, budget, [this](Tile&& tile) { takeExtent(tile); }))
            return false;
        m_part.reset();
        m_hasExtent = true;
        if (m_next < m_sampled.size()) return false;
    }
    if (m_next < m_sampled.size()) {
        if (!m_part) m_part.emplace(cellsOfRow(request, m_sampled[m_next]));
        if (!m_part->slice(reader, stop, budget, [this](Tile&& tile) { takeSample(tile); }))
            return false;
        m_part.reset();
        if (++m_next < m_sampled.size()) return false;
    }
    if (request.ranks) {
        std::sort(m_values.begin(), m_values.end());
        m_range.ranked = std::make_shared<const std::vector<float>>(std::move(m_values));
    }
    send(std::move(m_range));
    return true;
}

HeadRange wholeRange(const engine::TraceReader& reader, RangeRequest request,
                     std::stop_token stop) {
    RangeJob job(std::move(request));
    SliceBudget budget;
    HeadRange range;
    while (!job.slice(reader, stop, budget, [&range](HeadRange&& whole) { range = whole; }))
        if (stop.stop_requested()) throw engine::Cancelled();
    range.rankLargest();
    return range;
}

void RangeJob::takeExtent(const Tile& tile) {
    const auto values = tile.data.as<float>();
    const auto columns = static_cast<std::size_t>(tile.request.src.pixels());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = std::abs(static_cast<double>(values[i]));
        if (!std::isfinite(value)) continue;  // a score of no visible cell
        // Without its first source a pattern has no sink.
        double& largest = i % columns == 0 && !tile.request.renormalized
                              ? m_range.extent.sink
                              : m_range.extent.withoutSink;
        largest = std::max(largest, value);
    }
}

void RangeJob::takeSample(const Tile& tile) {
    const RangeRequest& request = m_range.request;
    const auto values = tile.data.as<float>();
    const std::int64_t row = tile.request.dest.begin, columns = row + 1;
    for (std::size_t i = 0; i < tile.request.heads.size(); ++i) {
        const auto layer = static_cast<std::size_t>(engine::to_int(tile.request.heads[i].layer));
        const int window = layer < request.windows.size() ? request.windows[layer] : 0;
        const float* cells = values.data() + static_cast<std::ptrdiff_t>(i) * columns;
        std::int64_t src = m_offset;
        for (; src < columns; src += m_step) {
            if (src == 0 && (tile.request.renormalized || !request.withSink)) continue;
            if (ui::kindOf({row, row + 1}, {src, src + 1}, window, tile.rows_ready) !=
                ui::CellKind::Value)
                continue;
            const float value = std::abs(cells[src]);
            if (std::isfinite(value)) m_values.push_back(value);
        }
        m_offset = src - columns;  // the next head goes on where this one ended
    }
}

}  // namespace app
