// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/families/config_reader.h"

namespace engine::families {

// Whether each layer has RoPE.
std::vector<bool> rope_layers_of_config(const ConfigReader& config, int layers,
                                        const Architecture& architecture);

// The window of each layer, 0 for full attention: layer_types decides where it is given, else the
// family's own rule.
std::vector<int> windows_of_config(const ConfigReader& config, const std::vector<bool>& has_rope,
                                   const Architecture& architecture);

}  // namespace engine::families
