// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/rope_frequencies.h"

#include <algorithm>
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

// As llama3, but the blend is linear in the index of the frequency, between those that turn
// beta_fast and beta_slow times in the original context.
class YarnBlend {
  public:
    YarnBlend(const RopeFacts& facts, int dim) {
        const auto index_of = [&](double turns) {
            return dim * std::log(facts.original_context / (turns * 2 * std::numbers::pi)) /
                   (2 * std::log(facts.theta));
        };
        low_ = index_of(facts.beta_fast);
        high_ = index_of(facts.beta_slow);
        if (facts.truncate) {
            low_ = std::floor(low_);
            high_ = std::ceil(high_);
        }
        low_ = std::max(low_, 0.0);
        high_ = std::min(high_, dim - 1.0);
        if (low_ == high_) high_ += 0.001;
    }
    // 0: left as it is, 1: stretched.
    double stretched(int index) const {
        return std::clamp((index - low_) / (high_ - low_), 0.0, 1.0);
    }

  private:
    double low_ = 0, high_ = 0;
};

}  // namespace

Rope make_rope(const RopeFacts& facts, int head_dim) {
    const int dim = rotary_dim(facts, head_dim);
    Rope rope{.rotary_dim = dim, .attention_factor = facts.attention_factor};
    const YarnBlend yarn(facts, dim);
    const auto divided = [](double frequency, const std::vector<double>& divisors, int i) {
        return divisors.empty() ? frequency : frequency / divisors[static_cast<std::size_t>(i)];
    };
    for (int i = 0; i < dim / 2; ++i) {
        double frequency = std::pow(facts.theta, -2.0 * i / dim);
        switch (facts.scaling) {
            case RopeFacts::Scaling::None: break;
            case RopeFacts::Scaling::Linear: frequency /= facts.factor; break;
            case RopeFacts::Scaling::Llama3: frequency = llama3_frequency(frequency, facts); break;
            case RopeFacts::Scaling::Yarn: {
                const double part = yarn.stretched(i);
                frequency = frequency / facts.factor * part + frequency * (1 - part);
                break;
            }
        }
        rope.inverse_frequency.push_back(divided(frequency, facts.divisors, i));
        if (!facts.long_divisors.empty())
            rope.long_inverse_frequency.push_back(divided(frequency, facts.long_divisors, i));
    }
    return rope;
}

}  // namespace engine::families
