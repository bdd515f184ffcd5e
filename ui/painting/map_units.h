// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/values/tile.h"

namespace ui {

// What a row and a column of a map stand for.
enum class Granularity { Tokens, Words, Sentences, Lines, Turns };
inline constexpr int granularities = 5;

// "tokens", "words", "sentences", "lines", "chat turns".
QString unitsName(Granularity);

// The units that a map's axes count: tokens, or spans of tokens, which follow each other without a
// gap from token 0 on. Unit u of spans holds the tokens [edges[u], edges[u + 1]).
class MapUnits {
  public:
    MapUnits() = default;                                         // tokens
    MapUnits(Granularity, std::vector<std::int64_t> edgesOfAll);  // Tokens: the edges are left out

    Granularity granularity() const { return m_granularity; }
    bool areTokens() const { return m_edges == nullptr; }
    std::int64_t spans() const;  // 0 for tokens: as many as the axis has
    // Token by token what lies in these units; units beyond the last are none.
    engine::Rows tokensOf(engine::Rows units) const;
    engine::Rows tokensOf(std::int64_t unit) const {
        return tokensOf(engine::Rows{unit, unit + 1});
    }
    std::int64_t unitOf(std::int64_t token) const;  // the last one for tokens beyond
    // Units of which a row is there, when there are `rows` of tokens.
    std::int64_t unitsReady(std::int64_t rows) const {
        return rows <= 0 ? 0 : unitOf(rows - 1) + 1;
    }
    // An axis in units as the engine is asked for it: in tokens, with the spans' edges.
    engine::Axis tokensOf(const engine::Axis& units) const;
    bool operator==(const MapUnits&) const;

  private:
    Granularity m_granularity = Granularity::Tokens;
    std::shared_ptr<const std::vector<std::int64_t>> m_edges;
};

// How spans are pooled: the mass that a destination span sends to a source span, which is the mean
// over its rows of what they have on the sources together, so that a row of spans sums to 1 like a
// row of tokens. A sum of scores means nothing: of them the largest magnitude.
engine::Pooling spanPooling(engine::Quantity);
// "mass, mean over dest", as a read-out calls the value.
QString spanQuantityTitle(engine::Quantity, bool renormalized);
// "mean over dest, sum over src", as a note under the colour bar.
QString spanPoolingNote(engine::Quantity);

// The pixel of an axis in tokens that holds a position; −1: none.
std::int64_t pixelAt(const engine::Axis&, std::int64_t position);

// "12–17", "12": tokens of a span, as numbers.
QString rangeText(engine::Rows tokens);

}  // namespace ui
