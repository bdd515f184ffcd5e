// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/facts.h"
#include "engine/model/model_config.h"

namespace engine::families {

// theta^(−2i / head_dim), scaled as the facts say, all in fp64.
Rope make_rope(const RopeFacts& facts, int head_dim);

}  // namespace engine::families
