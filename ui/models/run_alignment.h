// SPDX-License-Identifier: GPL-3.0-or-later
// Which positions of two runs stand for one another: places, in order, that hold a position of
// either run or of both.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/values/ids.h"

namespace ui {

class RunAlignment {
  public:
    static constexpr std::int64_t none = -1;

    // Place i is position i of both.
    static RunAlignment byPosition(std::int64_t a, std::int64_t b);
    // By the fewest changes that make the second of the first, each a token put in, taken out or
    // put in another's place, for which it then stands. The runs' common beginning and end alone
    // where more than mostChanges lie between.
    static RunAlignment byToken(std::span<const engine::TokenId> a,
                                std::span<const engine::TokenId> b);
    static constexpr std::int64_t mostChanges = 1000;

    bool isByPosition() const { return m_byPosition; }
    // More than mostChanges: between their common beginning and end the runs are not aligned.
    bool isCut() const { return m_cut; }
    std::int64_t places() const { return std::ssize(m_places); }
    // Of a run, 0 or 1, at a place; none: only the other has it, or neither.
    std::int64_t positionAt(int run, std::int64_t place) const;
    bool isBoth(std::int64_t place) const;
    std::int64_t placeOf(int run, std::int64_t position) const;  // none: the run has no such
    // The first place whose position in the run is `rows` or later; all of them: none is.
    std::int64_t placesBefore(int run, std::int64_t rows) const;
    engine::Rows positionsIn(int run, engine::Rows places) const;
    std::int64_t sharedBeginning() const;  // places from 0 on that are the position of both
    std::int64_t countBoth() const;
    bool begins(const RunAlignment& longer) const;  // with the same places

  private:
    void add(std::int64_t a, std::int64_t b);

    std::vector<std::array<std::int64_t, 2>> m_places;  // positions, ascending in each run
    std::array<std::vector<std::int64_t>, 2> m_placeOf;
    bool m_byPosition = true, m_cut = false;
};

}  // namespace ui
