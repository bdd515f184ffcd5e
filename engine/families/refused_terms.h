// SPDX-License-Identifier: GPL-3.0-or-later
// Terms of a configuration that change the computation and that no family here has: each is refused
// by name, since a model that ignores one runs on and draws a wrong pattern.
#pragma once
#include "engine/families/architecture.h"
#include "engine/families/config_reader.h"
#include "engine/formats/checkpoint.h"

namespace engine::families {

// Both throw Error(Unsupported) for the first term that is set to anything but its neutral value.
void refuse_config_terms(const ConfigReader& config, const Architecture& architecture);
void refuse_gguf_terms(const formats::Checkpoint& checkpoint, const Architecture& architecture);

}  // namespace engine::families
