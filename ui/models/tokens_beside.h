// SPDX-License-Identifier: GPL-3.0-or-later
// What two runs would say next, beside each other.
#pragma once
#include <vector>

#include "engine/values/run.h"

namespace ui {

// The same tokens of both: the first run's most probable ones, then the other's that are not among
// them.
struct TokensBeside {
    engine::RequestId id{};
    engine::RunId run{}, other{};
    engine::Position position{}, otherPosition{};
    std::vector<engine::Candidate> own, others;
};

}  // namespace ui
