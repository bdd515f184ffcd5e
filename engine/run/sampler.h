// SPDX-License-Identifier: GPL-3.0-or-later
// From logits to a token: greedy, or temperature, then top-k, then top-p, as Hugging Face orders
// them.
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "engine/values/run.h"

namespace engine {

struct Choice {
    std::int32_t token = 0;
    double probability = 0;  // of the plain softmax of the logits
};

// The k most probable tokens by falling probability (ties: lower id first), plain softmax in fp64.
std::vector<Choice> most_probable(std::span<const float> logits, int k);
double probability_of(std::span<const float> logits, std::int32_t token);

class Sampler {
  public:
    explicit Sampler(const Sampling&);
    // Same seed, same logits: same tokens on every platform (the generator and the draw are
    // specified by the standard).
    std::int32_t sample(std::span<const float> logits);
    // The next draw, in [0, 1): what sample() takes at a temperature. For who samples elsewhere.
    double uniform();
    const Sampling& sampling() const { return sampling_; }

  private:
    Sampling sampling_;
    std::mt19937_64 random_;
};

// Throws Error(BadRequest) naming the value that is out of range or not a number.
void check(const Sampling&);

}  // namespace engine
