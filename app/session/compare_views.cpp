// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/compare_views.h"

#include <algorithm>
#include <utility>

namespace app {

using engine::to_int;

namespace {

constexpr int kCompareFrameMs = 33;
constexpr int kTokensBeside = 10;

}  // namespace

CompareViews::CompareViews(Session& session, TraceViews& views, QObject* parent)
    : QObject(parent), m_session(session), m_views(views) {
    m_growing.setSingleShot(true);
    m_growing.setInterval(kCompareFrameMs);
    connect(&m_growing, &QTimer::timeout, this, &CompareViews::grow);
    for (const auto signal :
         {&Session::modelOpened, &Session::runOpened, &Session::runClosed, &Session::keptChanged})
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
    connect(&reader, &ReaderWorker::tokensBesideReady, this, &CompareViews::tokensBesideReady);
    connect(&reader, &ReaderWorker::contributionsBesideReady, this,
            &CompareViews::contributionsBesideReady);
    // They say of which row and target the docks are.
    connect(&views, &TraceViews::logitsReady, this, &CompareViews::askBeside);
    connect(&views, &TraceViews::contributionsReady, this, &CompareViews::askBeside);
    connect(this, &CompareViews::pairChanged, this, &CompareViews::askBeside);
    connect(&reader, &ReaderWorker::answered, this, [this](ReadKind kind) {
        if (kind == ReadKind::Compare && std::exchange(m_again, false)) askMaps();
    });
}

std::vector<const RunView*> CompareViews::runs() const {
    std::vector<const RunView*> all;
    const auto add = [&all](std::vector<const RunView*> runs) {
        std::sort(runs.begin(), runs.end(), [](const RunView* a, const RunView* b) {
            return std::pair(a->name.size(), a->name) < std::pair(b->name.size(), b->name);
        });
        all.insert(all.end(), runs.begin(), runs.end());
    };
    std::vector<const RunView*> shown;
    if (m_session.hasRun()) shown.push_back(&m_session.run());
    for (const RunView& other : m_session.otherRuns()) shown.push_back(&other);
    add(std::move(shown));
    auto kept = m_session.keptPrompts();
    std::reverse(kept.begin(), kept.end());
    for (auto& runs : kept) add(std::move(runs));
    return all;
}

bool CompareViews::isOfShownPrompt(const RunView& run) const {
    const std::vector<RunView>& others = m_session.otherRuns();
    return run.id == m_session.run().id ||
           std::any_of(others.begin(), others.end(),
                       [&run](const RunView& other) { return other.id == run.id; });
}

namespace {

// A prompt's runs, of those that are kept; empty: of the prompt on screen.
std::vector<const RunView*> promptOf(const Session& session, engine::RunId run) {
    for (auto& runs : session.keptPrompts())
        for (const RunView* each : runs)
            if (each->id == run) return runs;
    return {};
}

engine::RunId oldestOf(const std::vector<const RunView*>& runs) {
    engine::RunId oldest = runs.front()->id;
    for (const RunView* run : runs) oldest = std::min(oldest, run->id);
    return oldest;
}

}  // namespace

std::string CompareViews::nameOf(const RunView& run) const {
    if (isOfShownPrompt(run)) return run.name;
    const auto own = promptOf(m_session, run.id);
    if (own.empty()) return run.name;
    engine::RunId shown = m_session.run().id;
    for (const RunView& other : m_session.otherRuns()) shown = std::min(shown, other.id);
    int number = shown < oldestOf(own) ? 2 : 1;
    for (const auto& runs : m_session.keptPrompts()) number += oldestOf(runs) < oldestOf(own);
    return std::to_string(number) + run.name;
}

std::shared_ptr<const ui::RunAlignment> CompareViews::alignment() const {
    const RunView* a = m_pair ? run(m_pair->a) : nullptr;
    const RunView* b = m_pair ? run(m_pair->b) : nullptr;
    if (!a || !b) return nullptr;
    const std::size_t inA = a->tokens.size(), inB = b->tokens.size();
    if (m_aligned && m_aligned->pair == *m_pair && m_aligned->a == inA && m_aligned->b == inB)
        return m_aligned->by;
    m_aligned = Aligned{*m_pair, inA, inB, nullptr};
    if (promptOf(m_session, a->id) == promptOf(m_session, b->id)) return nullptr;
    const auto ids = [](const RunView& of) {
        std::vector<engine::TokenId> all;
        for (const engine::Token& token : of.tokens) all.push_back(token.id);
        return all;
    };
    auto by = ui::RunAlignment::byToken(ids(*a), ids(*b));
    if (!by.isByPosition()) m_aligned->by = std::make_shared<const ui::RunAlignment>(std::move(by));
    return m_aligned->by;
}

std::optional<std::int64_t> CompareViews::positionInShown(std::int64_t place) const {
    const auto by = alignment();
    if (!by) return place;
    for (const int side : {0, 1})
        if ((side == 0 ? m_pair->a : m_pair->b) == m_session.run().id)
            if (const std::int64_t at = by->positionAt(side, place); at != ui::RunAlignment::none)
                return at;
    return std::nullopt;
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

CompareViews::Pair CompareViews::firstPair(const std::vector<const RunView*>& all) const {
    const RunView& shown = m_session.run();
    // The names of a prompt's runs are its own.
    const auto find = [&](auto is) {
        const auto at = std::find_if(all.begin(), all.end(), [&](const RunView* each) {
            return each->id != shown.id && isOfShownPrompt(*each) && is(*each);
        });
        return at == all.end() ? nullptr : *at;
    };
    const RunView* first = nullptr;
    // What all edits together change, not what the last one adds.
    if (shown.edited)
        first = find(
            [&](const RunView& each) { return each.edits.empty() && each.given == shown.given; });
    if (!first) first = find([&](const RunView& each) { return each.name == shown.parent; });
    if (!first) first = find([](const RunView&) { return true; });
    if (!first)  // what was on screen before it
        for (const auto& kept : m_session.keptPrompts()) first = kept.front();
    return {first ? first->id : shown.id, shown.id};
}

// The window's own run is not left out of a comparison that it just came into.
void CompareViews::followRuns() {
    const std::vector<const RunView*> all = runs();
    std::optional<Pair> next = m_pair;
    if (next && (!run(next->a) || !run(next->b))) next.reset();
    // Nor its prompt.
    if (next && !isOfShownPrompt(*run(next->a)) && !isOfShownPrompt(*run(next->b))) next.reset();
    const bool young = to_int(m_session.run().id) > to_int(m_newest);
    if (m_session.hasRun() && all.size() > 1 && (young || !next)) next = firstPair(all);
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
    if (!shown) return askBeside();
    Q_EMIT pairChanged();  // what grew meanwhile
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
    request.alignment = alignment();
    const std::vector<engine::AttentionRule>& rules = m_session.model()->attention;
    const auto layer = static_cast<std::size_t>(to_int(m_session.selection().at.layer));
    if (layer < rules.size()) request.window = rules[layer].window;
    m_views.reader().requestCompare(std::move(request));
}

// Of whole runs only: while tokens stream the table would be out of date before it is there.
void CompareViews::askChanges() {
    if (!m_shown || !m_pair || ui::isBusy(m_session.state())) return;
    const RunView *a = run(m_pair->a), *b = run(m_pair->b);
    if (!a || !b || a->rows == 0 || b->rows == 0) return;
    const auto by = alignment();
    const std::int64_t rows =
        by ? std::min(by->placesBefore(0, a->rows), by->placesBefore(1, b->rows))
           : std::min(a->rows, b->rows);
    if (m_changes && m_changes->rows.end == rows && m_changesBy == by) return;  // it is there
    m_changesBy = by;
    const engine::ModelInfo& model = *m_session.model();
    m_views.reader().requestChanges({{}, a->id, b->id, model.layers, model.query_heads, by});
}

std::optional<CompareViews::Beside> CompareViews::beside() const {
    const engine::RunId shown = m_session.run().id;
    if (!m_shown || !m_pair || m_pair->a == m_pair->b || (m_pair->a != shown && m_pair->b != shown))
        return std::nullopt;
    const int side = m_pair->a == shown ? 0 : 1;
    const RunView* other = run(side == 0 ? m_pair->b : m_pair->a);
    const auto& table = m_views.contributions();
    if (!other || !table || table->run != shown) return std::nullopt;
    std::int64_t at = to_int(table->position);
    if (const auto by = alignment()) {
        const std::int64_t place = by->placeOf(side, at);
        at = place == ui::RunAlignment::none ? place : by->positionAt(1 - side, place);
    }
    if (at < 0 || at >= other->rows) return std::nullopt;
    return Beside{other->id, engine::Position(at)};
}

void CompareViews::askBeside() {
    const auto now = beside();
    if (now != m_besides) {
        m_besides = now;
        m_views.reader().drop(ReadKind::TokensBeside);
        m_views.reader().drop(ReadKind::ContributionsBeside);
        Q_EMIT besideChanged();
    }
    if (!now || ui::isBusy(m_session.state())) return;
    const engine::ContributionTable& table = *m_views.contributions();
    m_views.reader().requestTokensBeside(
        {{}, table.run, now->run, table.position, now->position, kTokensBeside});
    m_views.reader().requestContributionsBeside(
        {{}, now->run, now->position, table.target, table.distractor});
}

void CompareViews::grow() {
    if (!m_pair || !m_shown) return;
    if (m_views.reader().isPending(ReadKind::Compare))
        m_again = true;
    else
        askMaps();
    askChanges();
    Q_EMIT pairChanged();
}

}  // namespace app
