// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>

#include "engine/values/ids.h"

namespace ui {

// What stands in a pixel of a map. Only Value has a number; the others have looks of their own, so
// that "cannot", "not seen" and "not yet" are never read as zero.
enum class CellKind { Value, Masked, OutOfWindow, NotComputed };

// A pixel holds the cells dest × src. It has a value when one of them is visible: d − s in [0,
// window), all d − s ≥ 0 when window is 0. Rows from rowsReady on are not computed yet.
inline CellKind kindOf(engine::Rows dest, engine::Rows src, std::int64_t window,
                       std::int64_t rowsReady) {
    if (dest.begin >= rowsReady) return CellKind::NotComputed;
    const std::int64_t lastDest = std::min(dest.end, rowsReady) - 1;
    if (src.begin > lastDest) return CellKind::Masked;
    if (window > 0 && dest.begin - (src.end - 1) >= window) return CellKind::OutOfWindow;
    return CellKind::Value;
}

}  // namespace ui
