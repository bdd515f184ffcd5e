// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/gguf_reader.h"

namespace engine::families {

// Sets rope and local_rope of facts, whose context and head_dim are known. Throws
// Error(Unsupported) for a scaling that is not implemented, by name.
void read_rope(const GgufReader& gguf, const formats::Checkpoint& checkpoint,
               const Architecture& architecture, Facts& facts);

}  // namespace engine::families
