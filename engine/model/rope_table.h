// SPDX-License-Identifier: GPL-3.0-or-later
// Cosines and sines of a chunk's positions for every distinct Rope of a model.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model_config.h"

namespace engine {

class RopeTable {
  public:
    explicit RopeTable(const ModelConfig&);

    // Phases in fp64, rounded once to fp32 (in the model's dtype, phases of neighbouring positions
    // far out are equal).
    // long_run: with the frequencies of runs past ModelConfig::long_rope_from.
    void fill(std::int64_t begin, std::int64_t end, bool long_run = false);

    struct Layer {
        const float* cosines =
            nullptr;  // [end − begin, rotary_dim / 2]; null: the layer has no RoPE
        const float* sines = nullptr;
        int rotary_dim = 0;
    };
    Layer layer(int index) const;

  private:
    struct Distinct {
        Rope rope;
        std::vector<float> cosines, sines;
    };
    std::vector<Distinct> distinct_;
    std::vector<int> of_layer_;  // index into distinct_, −1 without RoPE
};

}  // namespace engine
