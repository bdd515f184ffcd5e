// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_alignment.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ui {

namespace {

using Ids = std::span<const engine::TokenId>;
using Places = std::vector<std::array<std::int64_t, 2>>;
constexpr std::int64_t outOfReach = -1;

// How far along `a` each diagonal (position in a less position in b) gets with so many changes.
struct Reach {
    std::int64_t changes = 0;
    std::vector<std::int64_t> furthest;  // [2 · changes + 1]
    std::int64_t at(std::int64_t diagonal) const {
        return diagonal < -changes || diagonal > changes
                   ? outOfReach
                   : furthest[static_cast<std::size_t>(diagonal + changes)];
    }
};

// The last change on the way to a diagonal: where it starts in a, and how far it goes.
struct Change {
    std::int64_t from = outOfReach, diagonal = 0, to = outOfReach;
};

Change lastChange(const Reach& before, std::int64_t diagonal, std::int64_t n, std::int64_t m) {
    Change best;
    const auto offer = [&](std::int64_t fromDiagonal, bool takesA, bool takesB) {
        const std::int64_t x = before.at(fromDiagonal);
        if (x == outOfReach || (takesA && x == n) || (takesB && x - fromDiagonal == m)) return;
        const std::int64_t to = takesA ? x + 1 : x;
        if (to > best.to) best = {x, fromDiagonal, to};
    };
    offer(diagonal, true, true);  // one for another; first, so that it is what a tie takes
    offer(diagonal - 1, true, false);
    offer(diagonal + 1, false, true);
    return best;
}

// The fewest changes that make b of a, by the furthest points on diagonals (Ukkonen; Landau and
// Vishkin): work and memory go with their square, not with the lengths. None: more than `most`.
std::optional<Places> fewestChanges(Ids a, Ids b, std::int64_t most) {
    const std::int64_t n = std::ssize(a), m = std::ssize(b);
    std::vector<Reach> reaches;
    const auto slide = [&](std::int64_t x, std::int64_t diagonal) {
        while (x < n && x - diagonal < m &&
               a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - diagonal)])
            ++x;
        return x;
    };
    for (std::int64_t changes = 0; changes <= most; ++changes) {
        Reach now{changes, {}};
        for (std::int64_t diagonal = -changes; diagonal <= changes; ++diagonal) {
            const std::int64_t start =
                changes == 0 ? 0 : lastChange(reaches.back(), diagonal, n, m).to;
            now.furthest.push_back(start == outOfReach ? outOfReach : slide(start, diagonal));
        }
        reaches.push_back(std::move(now));
        if (reaches.back().at(n - m) == n) break;
    }
    if (reaches.back().at(n - m) != n) return std::nullopt;

    Places back;
    std::int64_t x = n, diagonal = n - m;
    for (auto reach = std::ssize(reaches) - 1;; --reach) {
        const Change change =
            reach == 0 ? Change{0, 0, 0}
                       : lastChange(reaches[static_cast<std::size_t>(reach - 1)], diagonal, n, m);
        for (; x > change.to; --x) back.push_back({x - 1, x - 1 - diagonal});
        if (reach == 0) break;
        const bool takesA = change.to > change.from, takesB = change.diagonal >= diagonal;
        back.push_back({takesA ? change.from : RunAlignment::none,
                        takesB ? change.from - change.diagonal : RunAlignment::none});
        x = change.from;
        diagonal = change.diagonal;
    }
    std::reverse(back.begin(), back.end());
    return back;
}

}  // namespace

RunAlignment RunAlignment::byPosition(std::int64_t a, std::int64_t b) {
    RunAlignment all;
    for (std::int64_t i = 0; i < std::max(a, b); ++i) all.add(i < a ? i : none, i < b ? i : none);
    return all;
}

RunAlignment RunAlignment::byToken(Ids a, Ids b) {
    const std::int64_t n = std::ssize(a), m = std::ssize(b), both = std::min(n, m);
    const auto same = [&](std::int64_t i, std::int64_t j) {
        return a[static_cast<std::size_t>(i)] == b[static_cast<std::size_t>(j)];
    };
    std::int64_t head = 0, tail = 0;
    while (head < both && same(head, head)) ++head;
    while (tail < both - head && same(n - 1 - tail, m - 1 - tail)) ++tail;
    const auto middle = [&](Ids all) {
        return all.subspan(static_cast<std::size_t>(head),
                           all.size() - static_cast<std::size_t>(head + tail));
    };
    const auto between = fewestChanges(middle(a), middle(b), mostChanges);

    RunAlignment out;
    out.m_cut = !between;
    for (std::int64_t i = 0; i < head; ++i) out.add(i, i);
    if (between)
        for (const auto& [x, y] : *between)
            out.add(x == none ? none : head + x, y == none ? none : head + y);
    else {
        for (std::int64_t i = head; i < n - tail; ++i) out.add(i, none);
        for (std::int64_t i = head; i < m - tail; ++i) out.add(none, i);
    }
    for (std::int64_t i = tail; i > 0; --i) out.add(n - i, m - i);
    out.m_byPosition = true;
    for (std::int64_t place = 0; place < out.places(); ++place)
        for (const std::int64_t position : out.m_places[static_cast<std::size_t>(place)])
            out.m_byPosition &= position == place || (position == none && place >= both);
    return out;
}

void RunAlignment::add(std::int64_t a, std::int64_t b) {
    for (const int run : {0, 1})
        if ((run == 0 ? a : b) != none)
            m_placeOf[static_cast<std::size_t>(run)].push_back(places());
    m_places.push_back({a, b});
}

std::int64_t RunAlignment::positionAt(int run, std::int64_t place) const {
    return place < 0 || place >= places()
               ? none
               : m_places[static_cast<std::size_t>(place)][static_cast<std::size_t>(run)];
}

bool RunAlignment::isBoth(std::int64_t place) const {
    return positionAt(0, place) != none && positionAt(1, place) != none;
}

std::int64_t RunAlignment::placeOf(int run, std::int64_t position) const {
    const auto& all = m_placeOf[static_cast<std::size_t>(run)];
    return position < 0 || position >= std::ssize(all) ? none
                                                       : all[static_cast<std::size_t>(position)];
}

std::int64_t RunAlignment::placesBefore(int run, std::int64_t rows) const {
    const std::int64_t place = placeOf(run, rows);
    return place == none ? places() : place;
}

bool RunAlignment::begins(const RunAlignment& longer) const {
    return places() <= longer.places() &&
           std::equal(m_places.begin(), m_places.end(), longer.m_places.begin());
}

engine::Rows RunAlignment::positionsIn(int run, engine::Rows places) const {
    const auto& all = m_placeOf[static_cast<std::size_t>(run)];
    const auto from = [&all](std::int64_t place) {
        return static_cast<std::int64_t>(std::lower_bound(all.begin(), all.end(), place) -
                                         all.begin());
    };
    return {from(places.begin), from(places.end)};
}

std::int64_t RunAlignment::sharedBeginning() const {
    std::int64_t place = 0;
    while (place < places() && positionAt(0, place) == place && positionAt(1, place) == place)
        ++place;
    return place;
}

std::int64_t RunAlignment::countBoth() const {
    return std::count_if(m_places.begin(), m_places.end(),
                         [](const auto& at) { return at[0] != none && at[1] != none; });
}

}  // namespace ui
