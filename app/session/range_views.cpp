// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/range_views.h"

#include <algorithm>
#include <utility>

namespace app {

using engine::to_int;
using ui::RangeMode;

namespace {

// But for the rows.
bool isOfTheSame(const RangeRequest& a, const RangeRequest& b) {
    return a.tile.run == b.tile.run && a.tile.heads == b.tile.heads &&
           a.tile.quantity == b.tile.quantity && a.tile.target == b.tile.target &&
           a.tile.distractor == b.tile.distractor && a.tile.renormalized == b.tile.renormalized &&
           a.ranks == b.ranks && a.withSink == b.withSink;
}

}  // namespace

RangeViews::RangeViews(Session& session, TraceViews& views, QObject* parent)
    : QObject(parent), m_session(session), m_views(views) {
    for (const auto signal : {&Session::modelOpened, &Session::runOpened, &Session::runClosed})
        connect(&session, signal, this, [this] {
            m_metrics.reset();
            follow();
        });
    // They come at the pace of what costs as much: once a prompt is read, then as rows are added.
    connect(&views, &TraceViews::metricsReady, this, &RangeViews::takeMetrics);
    connect(&views, &TraceViews::contributionsReady, this, &RangeViews::follow);  // the target
    ReaderWorker& reader = views.reader();
    connect(&reader, &ReaderWorker::rangeReady, this, &RangeViews::take);
    connect(&reader, &ReaderWorker::answered, this, [this](ReadKind kind) {
        if (kind == ReadKind::Range) follow();  // rows that have come since
    });
}

void RangeViews::setChoice(const ui::ScaleChoice& choice) {
    m_choice = choice;
    follow();
}

bool RangeViews::isWide() const {
    return m_choice.range == RangeMode::Layer || m_choice.range == RangeMode::Model;
}

// None: nothing is, or the metrics have it.
std::optional<RangeRequest> RangeViews::wanted() const {
    if (!isWide() || !m_metrics || !m_session.hasRun()) return std::nullopt;
    const std::optional<engine::Layer> layer = m_choice.range == RangeMode::Layer
                                                   ? std::optional(m_session.selection().at.layer)
                                                   : std::nullopt;
    RangeRequest request =
        rangeOver(*m_session.model(), m_session.run().id, layer, {0, m_metrics->dest.end});
    engine::TileRequest& tile = request.tile;
    tile.quantity = m_views.quantity();
    tile.renormalized = m_views.isRenormalized();
    request.ranks = m_choice.rank;
    request.withSink = m_choice.sink == ui::SinkMode::InScale;
    const bool isPattern = tile.quantity == engine::Quantity::Pattern && !tile.renormalized;
    if (isPattern && !request.ranks && !request.withSink) return std::nullopt;
    if (tile.quantity == engine::Quantity::Attribution) {
        if (!m_views.target()) return std::nullopt;
        tile.target = *m_views.target();
        tile.distractor = m_views.distractor();
    }
    return request;
}

void RangeViews::follow() {
    ReaderWorker& reader = m_views.reader();
    std::optional<RangeRequest> request = wanted();
    if (!request) {
        if (m_asked) reader.drop(ReadKind::Range);
        m_asked.reset();
        m_known.reset();
        return show();
    }
    const bool same = m_asked && isOfTheSame(*m_asked, *request);
    if (!same) m_known.reset();
    // Pending, or it failed, which was said.
    if (same && (reader.isPending(ReadKind::Range) || !m_known)) return;
    if (same && m_known->request.rows.end >= request->rows.end) return show();
    // Rows that were added are few: their extrema alone. A sample is of all rows, and taken anew
    // when generating has paused.
    if (m_known) {
        request->rows.begin = m_known->request.rows.end;
        if (ui::isBusy(m_session.state())) request->ranks = false;
    }
    m_asked = request;
    m_asked->ranks = m_choice.rank;
    reader.requestRange(std::move(*request));
    show();
}

void RangeViews::takeMetrics(const engine::HeadTable& table) {
    m_metrics = table;
    follow();
}

void RangeViews::take(const HeadRange& range) {
    if (!m_asked || range.request.tile.run != m_asked->tile.run) return;
    HeadRange next = range;
    if (m_known && range.request.rows.begin > 0) {
        next.extent.include(m_known->extent);
        if (!next.ranked) next.ranked = m_known->ranked;
    }
    next.rankLargest();
    m_known = std::move(next);
    show();
}

void RangeViews::show() {
    ui::RangeExtents extents;
    if (m_metrics) {
        const std::vector<float>& p = m_metrics->max_pattern;
        const engine::LayerHead at = m_session.selection().at;
        const auto heads = static_cast<std::size_t>(m_metrics->query_heads);
        const std::size_t first = static_cast<std::size_t>(to_int(at.layer)) * heads,
                          index = first + static_cast<std::size_t>(to_int(at.head));
        if (index < p.size()) {
            extents.headPattern = p[index];
            const auto begin = p.begin() + static_cast<std::ptrdiff_t>(first);
            extents.layerPattern =
                *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(heads));
            extents.modelPattern = *std::max_element(p.begin(), p.end());
        }
    }
    if (m_known) {
        extents.wider = m_known->extent;
        extents.ranked = m_known->ranked;
    }
    if (extents == m_extents) return;
    m_extents = extents;
    Q_EMIT extentsChanged();
}

}  // namespace app
