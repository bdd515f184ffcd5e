// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/facts.h"
#include "engine/families/family.h"

namespace engine::families {

// Fills in the plan's names. Throws Error: BadFile for a weight that is missing or whose shape is
// not what the facts need (both are in the message), Unsupported for one of a type that is not
// read, or inside a layer and of no known role.
void plan_weights(ModelPlan& plan, const formats::Checkpoint& checkpoint, const Facts& facts,
                  const Architecture& architecture);

}  // namespace engine::families
