// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/compare_views.h"

#include <algorithm>
#include <utility>

namespace app {

using engine::to_int;

namespace {

constexpr int kCompareFrameMs = 33;

}  // namespace

CompareViews::CompareViews(Session& session, TraceViews& views, QObject* parent)
    : QObject(parent), m_session(session), m_views(views) {
    m_growing.setSingleShot(true);
    m_growing.setInterval(kCompareFrameMs);
    connect(&m_growing, &QTimer::timeout, this, &CompareViews::grow);
    for (const auto signal : {&Session::modelOpened, &Session::runOpened, &Session::runClosed})
        connect(&session, signal, this, &CompareViews::followRuns);
    connect(&session, &Session::rowsChanged, this, [this] {
        if (m_pair && !m_growing.isActive()) m_growing.start();
    });
    connect(&session, &Session::stateChanged, this, [this](ui::RunState state) {
        if (!ui::isBusy(state)) grow();
    });
    connect(&session, &Session::selectionChanged, this, [this](const ui::Selection& selection) {
        if (std::exchange(m_head, selection.at) != selection.at) refreshMaps();
    });
    ReaderWorker& reader = views.reader();
    connect(&reader, &ReaderWorker::compareReady, this, &CompareViews::mapReady);
    connect(&reader, &ReaderWorker::changesReady, this, [this](const ui::ChangeTable& table) {
        if (!m_pair || *m_pair != Pair{table.a, table.b}) return;
        m_changes = table;
        Q_EMIT changesReady();
    });
    connect(&reader, &ReaderWorker::answered, this, [this](ReadKind kind) {
        if (kind == ReadKind::Compare && std::exchange(m_again, false)) askMaps();
    });
}

std::vector<const RunView*> CompareViews::runs() const {
    std::vector<const RunView*> all;
    if (m_session.hasRun()) all.push_back(&m_session.run());
    for (const RunView& other : m_session.otherRuns()) all.push_back(&other);
    std::sort(all.begin(), all.end(), [](const RunView* a, const RunView* b) {
        return std::pair(a->name.size(), a->name) < std::pair(b->name.size(), b->name);
    });
    return all;
}

const RunView* CompareViews::run(engine::RunId id) const {
    for (const RunView* each : runs())
        if (each->id == id) return each;
    return nullptr;
}

std::int64_t CompareViews::sharedTokens() const {
    if (!m_pair) return 0;
    const RunView *a = run(m_pair->a), *b = run(m_pair->b);
    if (!a || !b) return 0;
    const auto last = std::min(a->tokens.size(), b->tokens.size());
    std::size_t shared = 0;
    while (shared < last && a->tokens[shared].id == b->tokens[shared].id) ++shared;
    return static_cast<std::int64_t>(shared);
}

void CompareViews::choose(Pair pair) {
    if (m_pair == pair || !run(pair.a) || !run(pair.b)) return;
    m_pair = pair;
    m_changes.reset();
    askChanges();  // first: what is shown says that it is on its way
    Q_EMIT pairChanged();
    refreshMaps();
}

// The window's own run is not left out of a comparison that it just came into.
void CompareViews::followRuns() {
    const std::vector<const RunView*> all = runs();
    std::optional<Pair> next = m_pair;
    if (next && (!run(next->a) || !run(next->b))) next.reset();
    const engine::RunId shown = m_session.run().id;
    const bool young = all.size() > 1 && to_int(shown) > to_int(m_newest);
    if (young || (!next && all.size() > 1)) {
        const auto parent = std::find_if(all.begin(), all.end(), [&](const RunView* each) {
            return each->id != shown && each->name == m_session.run().parent;
        });
        // What all edits together change, not what the last one adds.
        const auto base = std::find_if(all.begin(), all.end(), [&](const RunView* each) {
            return m_session.run().edited && each->edits.empty() &&
                   each->given == m_session.run().given && each->id != shown;
        });
        const auto other = std::find_if(all.begin(), all.end(),
                                        [&](const RunView* each) { return each->id != shown; });
        const auto first = base != all.end() ? base : parent != all.end() ? parent : other;
        next = Pair{(*first)->id, shown};
    }
    m_newest = engine::RunId(0);
    for (const RunView* each : all) m_newest = std::max(m_newest, each->id);
    if (next != m_pair) m_changes.reset();
    m_pair = next;
    askChanges();
    Q_EMIT pairChanged();
    refreshMaps();
}

void CompareViews::setShown(bool shown) {
    if (shown == m_shown) return;
    m_shown = shown;
    if (!shown) return;
    refreshMaps();
    askChanges();
}

void CompareViews::setView(engine::Axis dest, engine::Axis src, engine::Pooling pooling) {
    m_axes = std::array{std::move(dest), std::move(src)};
    m_pooling = pooling;
    refreshMaps();
}

void CompareViews::refreshMaps() {
    m_again = false;
    askMaps();
}

void CompareViews::askMaps() {
    if (!m_shown || !m_pair || !m_axes) return;
    const RunView *a = run(m_pair->a), *b = run(m_pair->b);
    if (!a || !b || a->rows == 0 || b->rows == 0) return;
    const engine::Quantity quantity = m_views.quantity();
    if (quantity == engine::Quantity::Attribution && !m_views.target()) return;
    engine::TileRequest tile;
    tile.heads = {m_session.selection().at};
    tile.dest = (*m_axes)[0];
    tile.src = (*m_axes)[1];
    tile.pooling = m_pooling;
    tile.quantity = quantity;
    tile.renormalized = m_views.isRenormalized();
    tile.target = m_views.target().value_or(engine::TokenId{});
    tile.distractor = m_views.distractor();
    CompareRequest request;
    request.tiles.assign(3, tile);
    request.tiles[0].run = m_pair->a;
    request.tiles[1].run = request.tiles[2].run = m_pair->b;
    request.tiles[2].minus = m_pair->a;
    m_views.reader().requestCompare(std::move(request));
}

// Of whole runs only: while tokens stream the table would be out of date before it is there.
void CompareViews::askChanges() {
    if (!m_shown || !m_pair || ui::isBusy(m_session.state())) return;
    const RunView *a = run(m_pair->a), *b = run(m_pair->b);
    if (!a || !b || a->rows == 0 || b->rows == 0) return;
    if (m_changes && m_changes->rows.end == std::min(a->rows, b->rows)) return;  // it is there
    const engine::ModelInfo& model = *m_session.model();
    m_views.reader().requestChanges({{}, a->id, b->id, model.layers, model.query_heads});
}

void CompareViews::grow() {
    if (!m_pair) return;
    if (m_views.reader().isPending(ReadKind::Compare))
        m_again = true;
    else
        askMaps();
    askChanges();
    Q_EMIT pairChanged();
}

}  // namespace app
