// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/families/family.h"

namespace engine::families {

// How a format names the same weights. The families here share them; a family that does not brings
// a table of its own.
struct WeightNames {
    std::string embedding, final_norm, unembedding;
    std::string layer_prefix;  // before the layer's number: "blk."
    LayerWeights after;        // what follows the number, with its dot
};

const WeightNames& weight_names(formats::Checkpoint::Format);

// The names of one layer, all of them, whether the model has them or not.
LayerWeights layer_names(const WeightNames&, int layer);

}  // namespace engine::families
