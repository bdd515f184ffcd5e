// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/reader_jobs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace app {

using engine::Rows;
using engine::Tile;
using engine::TileRequest;
using engine::TraceReader;

namespace {

double secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Visible cells of one head in these rows, about; at least one.
double cellsOf(Rows dest, Rows src) {
    const double middle = 0.5 * static_cast<double>(dest.begin + dest.end);
    const double width =
        std::min(middle, static_cast<double>(src.end)) - static_cast<double>(src.begin);
    return static_cast<double>(std::max<std::int64_t>(1, dest.count())) * std::max(1.0, width);
}

Rows cellsOf(const engine::Axis& axis, Rows pixels) {
    return {axis.cells_of(pixels.begin).begin, axis.cells_of(pixels.end - 1).end};
}

Rows wholeOf(const engine::Axis& axis) {
    return cellsOf(axis, {0, axis.pixels()});
}

engine::Axis cut(const engine::Axis& axis, Rows pixels) {
    engine::Axis out = axis;
    const Rows cells = cellsOf(axis, pixels);
    out.begin = cells.begin;
    out.end = cells.end;
    if (!axis.edges.empty())
        out.edges.assign(axis.edges.begin() + pixels.begin, axis.edges.begin() + pixels.end + 1);
    return out;
}

}  // namespace

void SliceBudget::measured(double cells, double seconds) {
    // A short call's time is mostly its own, not the cells': only a bound from above.
    const double perCell = seconds / cells;
    if (seconds >= 0.001 || perCell < m_secondsPerCell)
        m_secondsPerCell = 0.5 * m_secondsPerCell + 0.5 * perCell;
}

TileRequest TileJob::nextPart(const SliceBudget& budget) const {
    TileRequest part = m_request;
    const Rows src = wholeOf(m_request.src);
    const std::int64_t height = m_request.dest.pixels();
    const double headCells = cellsOf(wholeOf(m_request.dest), src);
    const auto left = static_cast<double>(m_request.heads.size() - m_head);
    const double heads = std::clamp(std::floor(budget.cells() / headCells), 1.0, left);
    const auto first = m_request.heads.begin() + static_cast<std::ptrdiff_t>(m_head);
    part.heads.assign(first, first + static_cast<std::ptrdiff_t>(m_row == 0 ? heads : 1.0));
    if (part.heads.size() > 1) return part;

    std::int64_t end = m_row + 1;
    while (end < height &&
           cellsOf(cellsOf(m_request.dest, Rows{m_row, end + 1}), src) <= budget.cells())
        ++end;
    part.dest = cut(m_request.dest, {m_row, end});
    return part;
}

bool TileJob::slice(const TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                    const Send<Tile>& send) {
    const std::int64_t height = m_request.dest.pixels();
    if (m_request.heads.empty() || height == 0 || m_request.src.pixels() == 0) {
        send(reader.tile(m_request, stop));
        return true;
    }
    const TileRequest part = nextPart(budget);
    const std::int64_t rows = part.dest.pixels();
    const auto begin = std::chrono::steady_clock::now();
    Tile tile = reader.tile(part, stop);
    const double seconds = secondsSince(begin);
    budget.measured(
        static_cast<double>(part.heads.size()) * cellsOf(wholeOf(part.dest), wholeOf(part.src)),
        seconds);

    tile.request = m_request;
    tile.request.heads = part.heads;
    if (rows < height) {  // a piece of one head
        m_rowsReady = m_row == 0 ? tile.rows_ready : std::min(m_rowsReady, tile.rows_ready);
        m_seconds = m_row == 0 ? seconds : m_seconds + seconds;
        m_done.insert(m_done.end(), tile.data.data, tile.data.data + tile.data.bytes());
        m_row += rows;
        if (m_row < height) return false;
        tile.rows_ready = m_rowsReady;
        tile.seconds = m_seconds;
        const auto bytes = std::make_shared<const std::vector<std::byte>>(std::move(m_done));
        tile.data.shape = {1, height, m_request.src.pixels()};
        tile.data.owner = bytes;
        tile.data.data = bytes->data();
        m_done.clear();
        m_row = 0;
    }
    m_head += part.heads.size();
    send(std::move(tile));
    return m_head == m_request.heads.size();
}

void appendRows(engine::HeadTable& into, const engine::HeadTable& next) {
    const auto a = static_cast<double>(into.dest.count()),
               b = static_cast<double>(next.dest.count());
    if (b == 0) return;
    if (a == 0) {
        into = next;
        return;
    }
    const auto mean = [&](std::vector<float>& left, const std::vector<float>& right) {
        for (std::size_t i = 0; i < left.size(); ++i)
            left[i] = static_cast<float>((a * left[i] + b * right[i]) / (a + b));
    };
    const auto largest = [](std::vector<float>& left, const std::vector<float>& right) {
        for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::max(left[i], right[i]);
    };
    // Shares of the mass of either part.
    const auto share = [&](std::vector<float>& left, const std::vector<float>& right) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            const double l = a * static_cast<double>(into.mass[i]),
                         r = b * static_cast<double>(next.mass[i]);
            left[i] = l + r > 0 ? static_cast<float>((l * static_cast<double>(left[i]) +
                                                      r * static_cast<double>(right[i])) /
                                                     (l + r))
                                : 0.0F;
        }
    };
    share(into.previous_token, next.previous_token);
    share(into.duplicate_token, next.duplicate_token);
    share(into.induction, next.induction);
    mean(into.mass, next.mass);  // after those that weigh by it
    mean(into.sink, next.sink);
    mean(into.entropy, next.entropy);
    mean(into.distance, next.distance);
    largest(into.max_pattern, next.max_pattern);
    largest(into.max_score, next.max_score);
    for (std::size_t i = 0; i < into.min_score.size(); ++i)
        into.min_score[i] = std::min(into.min_score[i], next.min_score[i]);
    into.dest.end = next.dest.end;
    into.id = next.id;
}

bool MetricsJob::slice(const TraceReader& reader, std::stop_token stop, SliceBudget& budget,
                       const Send<engine::HeadTable>& send) {
    if (m_request.dest.count() <= 0) m_request.dest = {0, reader.rows(m_request.run)};
    engine::MetricsRequest part = m_request;
    if (m_table) part.dest.begin = m_table->dest.end;
    // How many heads there are is known from the first slice on.
    const double heads = m_table ? static_cast<double>(m_table->sink.size()) : 1;
    std::int64_t end = part.dest.begin + 1;
    while (m_table && end < part.dest.end &&
           heads * cellsOf(Rows{part.dest.begin, end + 1}, {0, end + 1}) <= budget.cells())
        ++end;
    part.dest.end = std::min(end, part.dest.end);
    const auto begin = std::chrono::steady_clock::now();
    engine::HeadTable table = reader.metrics(part, stop);
    table.dest = part.dest;
    budget.measured(static_cast<double>(table.sink.size()) * cellsOf(part.dest, {0, part.dest.end}),
                    secondsSince(begin));
    if (m_table)
        appendRows(*m_table, table);
    else
        m_table = std::move(table);
    if (m_table->dest.end < m_request.dest.end) return false;
    send(std::move(*m_table));
    return true;
}

bool ChecksJob::slice(const TraceReader& reader, std::stop_token stop, SliceBudget&,
                      const Send<Answer>& send) {
    if (stop.stop_requested()) throw engine::Cancelled();
    const auto layer = static_cast<int>(m_reports.size());
    if (layer < m_request.layers) {
        m_reports.push_back(reader.checks(m_request.run, engine::Layer(layer)));
        if (layer + 1 < m_request.layers) return false;
    }
    send(std::move(m_reports));
    return true;
}

bool CellJob::slice(const TraceReader& reader, std::stop_token stop, SliceBudget&,
                    const Send<engine::Cell>& send) const {
    std::int64_t dest = m_request.dest.begin, src = m_request.src.begin;
    if (m_request.dest.count() > 1 || m_request.src.count() > 1) {
        TileRequest block;
        block.run = m_request.run;
        block.heads = {m_request.at};
        block.dest = {m_request.dest.begin, m_request.dest.end, 1, {}};
        block.src = {m_request.src.begin, m_request.src.end, 1, {}};
        block.quantity = m_request.quantity;
        block.pooling = engine::Pooling::None;
        block.target = m_request.target;
        block.distractor = m_request.distractor;
        block.renormalized = m_request.renormalized;
        const Tile tile = reader.tile(block, stop);
        const auto values = tile.data.as<float>();
        float most = -1;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const std::int64_t d = m_request.dest.begin + at / m_request.src.count();
            const std::int64_t s = m_request.src.begin + at % m_request.src.count();
            const float size = std::fabs(values[i]);
            if (s > d || !std::isfinite(size) || size <= most) continue;
            most = size;
            dest = d;
            src = s;
        }
    }
    send(reader.cell(m_request.run, m_request.at, engine::Position(dest), engine::Position(src),
                     m_request.target, m_request.distractor));
    return true;
}

bool ContributionJob::slice(const TraceReader& reader, std::stop_token, SliceBudget&,
                            const Send<engine::ContributionTable>& send) const {
    send(reader.contributions(m_request));
    return true;
}

bool LogitsJob::slice(const TraceReader& reader, std::stop_token, SliceBudget&,
                      const Send<engine::TopTokens>& send) const {
    send(reader.logits(m_request.run, m_request.position, m_request.count));
    return true;
}

}  // namespace app
