// SPDX-License-Identifier: GPL-3.0-or-later
// Pixels of the step lane, for its painting and its mouse.
#pragma once

namespace ui::step_lane {

constexpr int margin = 8, boxHeight = 22;
constexpr int candidateTop = 8, widePrefill = 146, candidatesHeight = 68;
constexpr int hintWidth = 150;  // right of the candidates
constexpr int narrowestBox = 52, widestCandidate = 120;
constexpr int headerHeight = 17, stepTop = 21, leftColumn = 128, pitch = 72, laneHeight = 126;
constexpr int runHeight = 36,
              mostLanes = 2;  // of other runs, below; more are a scroll away
constexpr int alternativesTop = 66, alternativeHeight = 14, alternatives = 3;
constexpr int othersTop = alternativesTop + alternatives * alternativeHeight + 4;

}  // namespace ui::step_lane
