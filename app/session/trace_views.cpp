// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_views.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/painting/map_units.h"

namespace app {

using engine::Position;
using engine::Rows;
using engine::to_int;
using ui::RunState;

namespace {

constexpr int kFrameMs = 33;
// Contributions cost about a decode step: while tokens stream they follow at this pace, while a
// prompt is read at that.
constexpr qint64 kSlowDecodeMs = 250, kSlowPrefillMs = 1000;

}  // namespace

TraceViews::TraceViews(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    m_growing.setSingleShot(true);
    m_growing.setInterval(kFrameMs);
    connect(&m_growing, &QTimer::timeout, this, &TraceViews::grow);
    m_slowly.setSingleShot(true);
    connect(&m_slowly, &QTimer::timeout, this, [this] { growSlowly(false); });

    connect(&session, &Session::modelOpened, this, [this] {
        m_reader.setReader(m_session.reader());
        m_visible.clear();
        m_pins.clear();
        m_target.reset();  // of this model's words; they stay for all runs of it
        m_distractor.reset();
        startRun();
    });
    connect(&session, &Session::runOpened, this, &TraceViews::startRun);
    connect(&session, &Session::runClosed, this, &TraceViews::startRun);
    connect(&session, &Session::stateChanged, this, &TraceViews::followState);
    connect(&session, &Session::selectionChanged, this, &TraceViews::followSelection);
    connect(&session, &Session::planChanged, this, [this] {
        refreshHead();  // the map lays itself out anew
        refresh(ReadKind::Thumbnails, Why::Grown);
    });
    connect(&session, &Session::promptRead, this, [this] { growSlowly(true); });
    connect(&session, &Session::rowsChanged, this, [this] {
        if (!std::exchange(m_sawRows, true)) {
            refreshAll();
            // Of a run that is shown again nothing else will ask.
            if (m_session.run().promptRead && !ui::isBusy(m_session.state()))
                refresh(ReadKind::Checks, Why::Grown);
        } else if (!m_growing.isActive())
            m_growing.start();
    });

    connect(&m_reader, &ReaderWorker::mapReady, this, &TraceViews::mapReady);
    connect(&m_reader, &ReaderWorker::peekReady, this, &TraceViews::peekReady);
    connect(&m_reader, &ReaderWorker::previewReady, this, [this](const engine::Tile& tile) {
        const bool asSource = tile.request.dest.begin == 0 && tile.request.dest.pixels() > 1;
        const auto values = tile.data.as<float>();
        Q_EMIT previewReady(Position{asSource ? tile.request.src.begin : tile.request.dest.begin},
                            asSource, {values.begin(), values.end()});
    });
    connect(&m_reader, &ReaderWorker::overviewReady, this, &TraceViews::overviewReady);
    connect(&m_reader, &ReaderWorker::rowReady, this, &TraceViews::takeRow);
    connect(&m_reader, &ReaderWorker::columnReady, this, [this](const engine::Tile& tile) {
        const auto values = tile.data.as<float>();
        Q_EMIT columnReady(Position{tile.request.src.begin}, {values.begin(), values.end()});
    });
    connect(&m_reader, &ReaderWorker::hoverCellReady, this, &TraceViews::hoverCellReady);
    connect(&m_reader, &ReaderWorker::lockedCellReady, this, &TraceViews::lockedCellReady);
    connect(&m_reader, &ReaderWorker::pinsReady, this, &TraceViews::pinsReady);
    const auto gather = [](std::vector<engine::Tile>& parts, const engine::Tile& part) {
        if (!parts.empty() && parts.front().request.id != part.request.id) parts.clear();
        parts.push_back(part);
    };
    connect(&m_reader, &ReaderWorker::figureReady, this,
            [this, gather](const engine::Tile& part) { gather(m_figure, part); });
    connect(&m_reader, &ReaderWorker::composedReady, this,
            [this, gather](const engine::Tile& part) { gather(m_composed, part); });
    connect(&m_reader, &ReaderWorker::contributionsReady, this, &TraceViews::takeContributions);
    connect(&m_reader, &ReaderWorker::logitsReady, this, &TraceViews::logitsReady);
    connect(&m_reader, &ReaderWorker::metricsReady, this, &TraceViews::takeMetrics);
    connect(&m_reader, &ReaderWorker::spanReady, this, &TraceViews::takeSpan);
    connect(&m_reader, &ReaderWorker::thumbnailsReady, this, [this](const engine::Tile& part) {
        if (const auto whole = m_store.absorb(part)) Q_EMIT thumbnailsReady(*whole);
    });
    connect(&m_reader, &ReaderWorker::checksReady, this, &TraceViews::checksReady);
    connect(&m_reader, &ReaderWorker::failed, this, &TraceViews::takeFailure);
    connect(&m_reader, &ReaderWorker::answered, this, [this](ReadKind kind) {
        if (kind == ReadKind::Figure && !m_figure.empty())
            Q_EMIT figureReady(std::exchange(m_figure, {}));
        if (kind == ReadKind::Composed && !m_composed.empty())
            Q_EMIT composedReady(std::exchange(m_composed, {}));
        if (m_again.test(static_cast<std::size_t>(kind))) refresh(kind, Why::Grown);
    });
}

// ---- what the user changes

void TraceViews::setMapView(engine::Axis dest, engine::Axis src, engine::Pooling pooling) {
    m_map = MapView{std::move(dest), std::move(src), pooling};
    refresh(ReadKind::Map, Why::Changed);
}

void TraceViews::setOverview(engine::Axis dest, engine::Axis src, engine::Pooling pooling) {
    m_overview = MapView{std::move(dest), std::move(src), pooling};
    refresh(ReadKind::Overview, Why::Changed);
}

void TraceViews::preview(Position position, bool asSource) {
    const std::int64_t at = to_int(position), rows = m_session.run().rows;
    if (!m_session.hasRun() || at >= rows) return dropPreview();
    engine::TileRequest request = tileOfHead();
    request.dest = asSource ? engine::Axis{0, rows, 1, {}} : engine::Axis{at, at + 1, 1, {}};
    request.src = asSource ? engine::Axis{at, at + 1, 1, {}} : engine::Axis{0, at + 1, 1, {}};
    m_reader.requestPreview(std::move(request));
}

void TraceViews::dropPreview() {
    m_reader.drop(ReadKind::Preview);
}

void TraceViews::dropOverview() {
    m_overview.reset();
    m_reader.drop(ReadKind::Overview);
}

void TraceViews::setPins(std::vector<engine::LayerHead> heads) {
    m_pins = std::move(heads);
    if (m_pins.empty()) return m_reader.drop(ReadKind::Pins);
    refresh(ReadKind::Pins, Why::Changed);
}

void TraceViews::setPinView(engine::Axis dest, engine::Axis src, engine::Pooling pooling) {
    m_pinView = MapView{std::move(dest), std::move(src), pooling};
    refresh(ReadKind::Pins, Why::Changed);
}

void TraceViews::setThumbnailView(std::vector<engine::LayerHead> visible, int pixels) {
    m_visible = std::move(visible);
    m_thumbnailPixels = pixels;
    refresh(ReadKind::Thumbnails, Why::Changed);
}

void TraceViews::setQuantity(engine::Quantity quantity) {
    if (m_quantity == quantity) return;
    m_quantity = quantity;
    refreshMaps();
}

void TraceViews::setRenormalized(bool renormalized) {
    if (m_renormalized == renormalized) return;
    m_renormalized = renormalized;
    if (m_quantity == engine::Quantity::Pattern) refreshMaps();
}

void TraceViews::peek(engine::LayerHead at, int pixels) {
    m_peeked = at;
    m_peekPixels = pixels;
    refresh(ReadKind::Peek, Why::Changed);
}

void TraceViews::dropPeek() {
    m_peeked.reset();
    m_reader.drop(ReadKind::Peek);
}

void TraceViews::setSpan(std::optional<Rows> span) {
    m_span = span;
    m_reader.drop(ReadKind::Span);
    refresh(ReadKind::Span, Why::Changed);
}

void TraceViews::setTarget(std::optional<engine::TokenId> target) {
    if (m_target == target) return;
    m_target = target;
    refresh(ReadKind::Contributions, Why::Changed);  // the rest follows its answer
}

void TraceViews::setDistractor(std::optional<engine::TokenId> distractor) {
    if (m_distractor == distractor) return;
    m_distractor = distractor;
    refresh(ReadKind::Contributions, Why::Changed);
}

std::optional<engine::TokenId> TraceViews::target() const {
    if (m_target) return m_target;
    return m_table ? std::optional(m_table->target) : std::nullopt;
}

void TraceViews::hoverCells(Rows dest, Rows src) {
    const std::int64_t rows = m_session.run().rows;
    dest.end = std::min(dest.end, rows);
    if (!target() || dest.count() <= 0 || src.begin >= dest.end) return leaveCells();
    m_reader.requestHoverCell(cellRequest(dest, src));
}

void TraceViews::leaveCells() {
    m_reader.drop(ReadKind::HoverCell);
}

void TraceViews::checkNow() {
    m_rowsChecked = 0;
    refresh(ReadKind::Checks, Why::Changed);
}

engine::TileRequest TraceViews::tileOfFigure(const FigureRuns& runs,
                                             std::vector<engine::LayerHead> heads,
                                             const ui::FigureAxes& axes) const {
    engine::TileRequest request = tileOfHead();
    request.run = runs.run;
    request.minus = runs.minus;
    request.heads = std::move(heads);
    request.dest = axes.dest;
    request.src = axes.src;
    const engine::Axis& axis = axes.src;
    request.quantity = runs.quantity.value_or(m_quantity);
    request.renormalized = !runs.quantity && isRenormalized();
    if (!axis.edges.empty())
        request.pooling = ui::spanPooling(m_quantity);
    else if (axis.cells_per_pixel > 1)
        request.pooling = m_map && !runs.quantity ? m_map->pooling : engine::Pooling::Max;
    if (request.pooling == engine::Pooling::None && axis.cells_per_pixel > 1)
        request.pooling = engine::Pooling::Max;
    return request;
}

void TraceViews::requestFigure(const FigureRuns& runs, std::vector<engine::LayerHead> heads,
                               const ui::FigureAxes& axes) {
    if (!m_session.hasRun() || m_session.run().rows == 0 || heads.empty()) return;
    FigureRequest request{{}, tileOfFigure(runs, std::move(heads), axes), runs.alignment, 0};
    const std::vector<engine::AttentionRule>& rules = m_session.model()->attention;
    const auto layer = static_cast<std::size_t>(to_int(request.tile.heads.front().layer));
    if (layer < rules.size()) request.window = rules[layer].window;
    m_reader.requestFigure(std::move(request));
}

void TraceViews::dropFigure() {
    m_figure.clear();
    m_reader.drop(ReadKind::Figure);
}

void TraceViews::requestComposed(std::vector<engine::LayerHead> heads, const ui::FigureAxes& axes) {
    if (!m_session.hasRun() || m_session.run().rows == 0 || heads.empty()) return;
    m_reader.requestComposed(tileOfFigure({m_session.run().id, {}}, std::move(heads), axes));
}

void TraceViews::dropComposed() {
    m_composed.clear();
    m_reader.drop(ReadKind::Composed);
}

// ---- what the session reports

void TraceViews::startRun() {
    m_reader.dropAll();
    m_again.reset();
    m_growing.stop();
    m_slowly.stop();
    m_slow.invalidate();
    m_store.reset(m_session.run().id);
    m_seen = {};
    m_sawRows = false;
    m_table.reset();
    m_metrics.reset();
    m_span.reset();
    m_rowsChecked = 0;
    // A run that is shown again or that forks keeps the head.
    const RunView& run = m_session.run();
    m_focusBest =
        m_session.hasRun() && !m_session.headWasPicked() && run.parent.empty() && run.rows == 0;
}

void TraceViews::followState(RunState state) {
    if (ui::isBusy(state) || m_session.run().rows == 0) return;
    grow();
    growSlowly(true);
    refresh(ReadKind::Checks, Why::Grown);
}

void TraceViews::followSelection(const ui::Selection& selection) {
    const ui::Selection before = std::exchange(m_seen, selection);
    if (before.run != selection.run) return;  // a new run has no rows yet
    if (before.at != selection.at) return refreshHead();
    if (before.dest != selection.dest) {
        refresh(ReadKind::Row, Why::Changed);
        const RunState state = m_session.state();
        growSlowly(!ui::isBusy(state) || state == RunState::Prefilling);
    }
    if (before.src != selection.src) refresh(ReadKind::Column, Why::Changed);
    refresh(ReadKind::LockedCell, Why::Changed);
}

void TraceViews::grow() {
    refresh(ReadKind::Map, Why::Grown);
    refresh(ReadKind::Overview, Why::Grown);
    refresh(ReadKind::Pins, Why::Grown);
    refresh(ReadKind::Peek, Why::Grown);
    refresh(ReadKind::Column, Why::Grown);
    refresh(ReadKind::Thumbnails, Why::Grown);
    growSlowly(false);
}

bool TraceViews::isSlowPending() const {
    return m_reader.isPending(ReadKind::Contributions) || m_reader.isPending(ReadKind::Logits);
}

// While a prompt is read the selection itself keeps this pace, so that all panels are of one row.
void TraceViews::growSlowly(bool now) {
    const bool reading = m_session.state() == RunState::Prefilling;
    const qint64 pace = reading ? kSlowPrefillMs : kSlowDecodeMs;
    const qint64 left = m_slow.isValid() ? pace - m_slow.elapsed() : 0;
    if (!now && (left > 0 || (reading && isSlowPending()))) {
        if (!m_slowly.isActive())
            m_slowly.start(static_cast<int>(std::max<qint64>(left, kFrameMs)));
        return;
    }
    m_slow.start();
    if (!now && reading && m_session.followsNewest() &&
        to_int(m_session.selection().dest) + 1 < m_session.run().rows)
        return m_session.selectNewestRow();  // and it asks
    const Position dest = m_session.selection().dest;
    const bool moved = !m_table || m_table->position != dest;
    if (moved || m_reader.isPending(ReadKind::Contributions)) {
        refresh(ReadKind::Contributions, now ? Why::Changed : Why::Grown);
        refresh(ReadKind::Logits, now ? Why::Changed : Why::Grown);
    }
    if (!reading) {
        refresh(ReadKind::Metrics, Why::Grown);
        refresh(ReadKind::Span, Why::Grown);
    }
}

// ---- answers

void TraceViews::takeRow(const engine::Tile& tile) {
    const auto values = tile.data.as<float>();
    const Position dest{tile.request.dest.begin};
    Q_EMIT rowReady(dest, {values.begin(), values.end()});
    if (values.empty()) return;
    // The strongest source that is not the sink is the one to look at.
    const auto first = values.size() > 1 ? values.begin() + 1 : values.begin();
    const auto best = std::max_element(first, values.end());
    m_session.suggestSrc(dest, Position(std::distance(values.begin(), best)));
}

void TraceViews::takeContributions(const engine::ContributionTable& table) {
    const auto before = target();
    m_table = table;
    Q_EMIT contributionsReady(table);
    if (m_focusBest && m_session.run().promptRead) return settleFocus();
    if (target() == before && !before) return;
    refresh(ReadKind::LockedCell, Why::Changed);
    if (m_quantity == engine::Quantity::Attribution) refreshMaps();
}

void TraceViews::settleFocus() {
    m_focusBest = false;
    if (m_table && !m_session.headWasPicked()) {
        const auto& writes = m_table->head_attribution;
        const auto best = std::max_element(writes.begin(), writes.end(), [](float a, float b) {
            return std::fabs(a) < std::fabs(b);
        });
        if (best != writes.end()) {
            const auto index = static_cast<int>(std::distance(writes.begin(), best));
            m_session.focusHead({engine::Layer(index / m_table->query_heads),
                                 engine::QueryHead(index % m_table->query_heads)});
        }
    }
    refreshHead();
}

void TraceViews::takeMetrics(const engine::HeadTable& table) {
    if (!m_metrics)
        m_metrics = table;
    else if (table.dest.begin == m_metrics->dest.end)
        appendRows(*m_metrics, table);
    Q_EMIT metricsReady(*m_metrics);
}

void TraceViews::takeSpan(const engine::Tile& tile) {
    const engine::ModelInfo& model = *m_session.model();
    const auto parts = static_cast<std::size_t>(tile.request.dest.pixels());
    const auto values = tile.data.as<float>();
    for (std::size_t i = 0; i < tile.request.heads.size(); ++i) {
        // The parts are means over their own rows.
        double sum = 0, rows = 0;
        for (std::size_t part = 0; part < parts; ++part) {
            const Rows of = tile.request.dest.cells_of(static_cast<std::int64_t>(part));
            const auto count = static_cast<double>(of.count());
            sum += count * static_cast<double>(values[i * parts + part]);
            rows += count;
        }
        const engine::LayerHead at = tile.request.heads[i];
        m_spanMass[static_cast<std::size_t>(to_int(at.layer) * model.query_heads +
                                            to_int(at.head))] = static_cast<float>(sum / rows);
    }
    m_spanHeads += tile.request.heads.size();
    if (m_spanHeads == m_spanMass.size()) Q_EMIT spanReady(*m_span, m_spanMass);
}

void TraceViews::takeFailure(ReadKind kind, const engine::Failure& failure) {
    if (kind == ReadKind::Contributions && waitsForFocus()) settleFocus();
    if (kind == ReadKind::Figure) {
        m_figure.clear();  // none rather than half of it
        Q_EMIT figureFailed();
    }
    if (kind == ReadKind::Composed) m_composed.clear();
    // A run that was just closed for the next one is no news.
    if (failure.kind == engine::Failure::Kind::BadRequest && ui::isBusy(m_session.state())) return;
    Q_EMIT failed(failure);
}

}  // namespace app
