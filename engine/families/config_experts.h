// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/config_reader.h"

namespace engine::families {

// Sets experts and has_experts of facts, whose layers and d_ff are known.
void read_experts(const ConfigReader& config, const Architecture& architecture, Facts& facts);

}  // namespace engine::families
