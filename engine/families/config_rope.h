// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/config_reader.h"

namespace engine::families {

// Sets rope and local_rope of facts, whose context and head_dim are known, from a config.json in
// either dialect: rope_theta and rope_scaling at the top, or a nested rope_parameters (one set, or
// one a layer type). Throws Error(Unsupported) for a scaling that is not implemented, by name.
void read_rope(const ConfigReader& config, const Architecture& architecture, Facts& facts);

}  // namespace engine::families
