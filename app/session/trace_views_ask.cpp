// SPDX-License-Identifier: GPL-3.0-or-later
// What the views ask of the reader, and when.
#include <algorithm>
#include <utility>

#include "app/session/trace_views.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/map_units.h"

namespace app {

using engine::Rows;
using engine::to_int;

namespace {

constexpr int kCandidates = 10;
constexpr std::int64_t kSpanParts = 32;

engine::Axis range(std::int64_t begin, std::int64_t end) {
    return {begin, end, 1, {}};
}

}  // namespace

void TraceViews::refresh(ReadKind kind, Why why) {
    const auto bit = static_cast<std::size_t>(kind);
    if (why == Why::Grown && m_reader.isPending(kind)) {
        m_again.set(bit);
        return;
    }
    m_again.reset(bit);
    if (m_session.hasRun() && m_session.run().rows > 0) ask(kind);
}

void TraceViews::refreshHead() {
    for (const ReadKind kind :
         {ReadKind::LockedCell, ReadKind::Row, ReadKind::Column, ReadKind::Map, ReadKind::Overview})
        refresh(kind, Why::Changed);
}

void TraceViews::refreshMaps() {
    refresh(ReadKind::Map, Why::Changed);
    refresh(ReadKind::Overview, Why::Changed);
    refresh(ReadKind::Pins, Why::Changed);
}

void TraceViews::refreshAll() {
    refreshHead();
    refresh(ReadKind::Pins, Why::Changed);
    refresh(ReadKind::Thumbnails, Why::Changed);
    growSlowly(true);
}

engine::TileRequest TraceViews::tileOfHead() const {
    engine::TileRequest request;
    request.run = m_session.run().id;
    request.heads = {m_session.selection().at};
    request.pooling = engine::Pooling::None;
    request.target = target().value_or(engine::TokenId{});
    request.distractor = m_distractor;
    return request;
}

CellRequest TraceViews::cellRequest(Rows dest, Rows src) const {
    CellRequest request;
    request.run = m_session.run().id;
    request.at = m_session.selection().at;
    request.dest = dest;
    request.src = src;
    request.quantity = m_quantity;
    request.renormalized = isRenormalized();
    request.target = target().value();
    request.distractor = m_distractor;
    return request;
}

void TraceViews::ask(ReadKind kind) {
    const RunView& run = m_session.run();
    const ui::Selection& selection = m_session.selection();
    const std::int64_t dest = to_int(selection.dest), src = to_int(selection.src);
    const bool hasDest = dest < run.rows;
    engine::TileRequest tile = tileOfHead();
    switch (kind) {
        case ReadKind::HoverCell:
        case ReadKind::Preview:
        case ReadKind::Figure:
        case ReadKind::Composed:
        case ReadKind::Compare:
        case ReadKind::Range:
        case ReadKind::TokensBeside:
        case ReadKind::ContributionsBeside:
        case ReadKind::Changes: return;  // asked by name only
        case ReadKind::LockedCell:
            if (!hasDest || src > dest || !target() || waitsForFocus()) return;
            return m_reader.requestLockedCell(cellRequest({dest, dest + 1}, {src, src + 1}));
        case ReadKind::Row:
            if (!hasDest || waitsForFocus()) return;
            tile.dest = range(dest, dest + 1);
            tile.src = range(0, dest + 1);
            return m_reader.requestRow(std::move(tile));
        case ReadKind::Column:
            if (waitsForFocus()) return;
            tile.dest = range(0, run.rows);
            tile.src = range(src, src + 1);
            return m_reader.requestColumn(std::move(tile));
        case ReadKind::Map:
        case ReadKind::Overview: {
            const bool whole = kind == ReadKind::Overview;
            const std::optional<MapView>& view = whole ? m_overview : m_map;
            if (!view || waitsForFocus()) return;
            if (m_quantity == engine::Quantity::Attribution && !target()) return;
            tile.dest = view->dest;
            tile.src = view->src;
            tile.pooling = view->dest.edges.empty() ? view->pooling : ui::spanPooling(m_quantity);
            tile.quantity = m_quantity;
            tile.renormalized = isRenormalized();
            return whole ? m_reader.requestOverview(std::move(tile))
                         : m_reader.requestMap(std::move(tile));
        }
        case ReadKind::Pins:
            if (!m_pinView || m_pins.empty()) return;
            if (m_quantity == engine::Quantity::Attribution && !target()) return;
            tile.heads = m_pins;
            tile.dest = m_pinView->dest;
            tile.src = m_pinView->src;
            tile.pooling =
                m_pinView->dest.edges.empty() ? m_pinView->pooling : ui::spanPooling(m_quantity);
            tile.quantity = m_quantity;
            tile.renormalized = isRenormalized();
            return m_reader.requestPins(std::move(tile));
        case ReadKind::Peek: {
            if (!m_peeked) return;
            tile.heads = {*m_peeked};
            tile.dest = tile.src = ui::wholeAxis(run.planned, m_peekPixels);
            if (tile.src.cells_per_pixel > 1) tile.pooling = engine::Pooling::Max;
            return m_reader.requestPeek(std::move(tile));
        }
        case ReadKind::Contributions:
            if (!hasDest) return;
            return m_reader.requestContributions(
                {{}, run.id, selection.dest, m_target, m_distractor});
        case ReadKind::Logits:
            if (!hasDest) return;
            return m_reader.requestLogits({{}, run.id, selection.dest, kCandidates});
        case ReadKind::Metrics: {
            const std::int64_t done = m_metrics ? m_metrics->dest.end : 0;
            if (done >= run.rows) return;
            return m_reader.requestMetrics({{}, run.id, {done, run.rows}});
        }
        case ReadKind::Span: {
            if (!m_span || m_span->begin >= run.rows) return;
            const engine::ModelInfo& model = *m_session.model();
            tile.heads.clear();
            for (int layer = 0; layer < model.layers; ++layer)
                for (int head = 0; head < model.query_heads; ++head)
                    tile.heads.push_back({engine::Layer(layer), engine::QueryHead(head)});
            // In parts, so that a head of a long prompt is no longer than a slice.
            const std::int64_t count = run.rows - m_span->begin,
                               parts = std::min(kSpanParts, count);
            for (std::int64_t i = 0; i <= parts; ++i)
                tile.dest.edges.push_back(m_span->begin + count * i / parts);
            tile.src.edges = {m_span->begin, m_span->end};
            tile.pooling = engine::Pooling::Mean;
            m_spanMass.assign(tile.heads.size(), 0);
            m_spanHeads = 0;
            return m_reader.requestSpan(std::move(tile));
        }
        case ReadKind::Thumbnails:
            if (auto wanted = m_store.request(m_visible, run.planned, m_thumbnailPixels, run.rows))
                m_reader.requestThumbnails(std::move(*wanted));
            return;
        case ReadKind::Checks:
            if (m_rowsChecked == run.rows) return;
            m_rowsChecked = run.rows;
            return m_reader.requestChecks({{}, run.id, m_session.model()->layers});
    }
}

}  // namespace app
