// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/config_reader.h"

namespace engine::families {

// RoPE of a config.json in either dialect: rope_theta and rope_scaling at the top, or a nested
// rope_parameters. Throws Error(Unsupported) for a scaling that is not implemented, by name.
RopeFacts rope_of_config(const ConfigReader& config, std::int64_t context,
                         const Architecture& architecture);

}  // namespace engine::families
