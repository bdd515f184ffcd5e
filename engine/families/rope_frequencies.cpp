// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/rope_frequencies.h"

#include <cmath>
#include <numbers>

namespace engine::families {
namespace {

// Long waves are stretched by the factor, short ones left, those between blended linearly in turns
// per context.
double llama3_frequency(double frequency, const RopeFacts& facts) {
    const double turns = facts.original_context * frequency / (2 * std::numbers::pi);
    if (turns < facts.low_frequency_factor) return frequency / facts.factor;
    if (turns > facts.high_frequency_factor) return frequency;
    const double keep = (turns - facts.low_frequency_factor) /
                        (facts.high_frequency_factor - facts.low_frequency_factor);
    return (1 - keep) * frequency / facts.factor + keep * frequency;
}

}  // namespace

Rope make_rope(const RopeFacts& facts, int head_dim) {
    Rope rope{.rotary_dim = head_dim};
    for (int i = 0; i < head_dim / 2; ++i) {
        double frequency = std::pow(facts.theta, -2.0 * i / head_dim);
        if (facts.scaling == RopeFacts::Scaling::Linear) frequency /= facts.factor;
        if (facts.scaling == RopeFacts::Scaling::Llama3)
            frequency = llama3_frequency(frequency, facts);
        if (!facts.divisors.empty()) frequency /= facts.divisors[static_cast<std::size_t>(i)];
        rope.inverse_frequency.push_back(frequency);
    }
    return rope;
}

}  // namespace engine::families
