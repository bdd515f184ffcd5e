// SPDX-License-Identifier: GPL-3.0-or-later
// A place in a run as text: "L12.H7@t=34" names a head and a destination row. What is copied can be
// typed, sent to somebody and gone to.
#pragma once
#include <QString>
#include <cstdint>
#include <optional>

#include "engine/values/ids.h"

namespace ui {

// What there is to go to.
struct PlaceLimits {
    int layers = 0, heads = 0;
    std::int64_t rows = 0;          // published
    std::int64_t promptTokens = 0;  // step i is row promptTokens + i
    std::int64_t steps = 0;
};

struct Place {
    std::optional<int> layer, head;   // either alone keeps the other
    std::optional<std::int64_t> row;  // also of a step
    std::optional<std::int64_t> step;
};

struct PlaceAnswer {
    std::optional<Place> place;  // none: `problem` says in a sentence why not
    QString problem;
};

// "L12.H7", "L12", "H7", "t=34", "34" (a step), and a head with a row or step: "L12.H7@t=34",
// "L12.H7@3". Letters may be small; @ and = may have spaces around them.
PlaceAnswer readPlace(const QString& typed, const PlaceLimits&);
QString placeText(engine::LayerHead, engine::Position dest);

}  // namespace ui
