// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/families/config_reader.h"

namespace engine::families {

// The window of each layer, 0 for full attention: layer_types decides where it is given, else the
// family's own rule.
std::vector<int> windows_of_config(const ConfigReader& config, int layers,
                                   const Architecture& architecture);

}  // namespace engine::families
