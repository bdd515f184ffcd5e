// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/rope_table.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

bool same(const Rope& a, const Rope& b) {
    return a.rotary_dim == b.rotary_dim && a.inverse_frequency == b.inverse_frequency &&
           a.long_inverse_frequency == b.long_inverse_frequency &&
           a.attention_factor == b.attention_factor;
}

}  // namespace

RopeTable::RopeTable(const ModelConfig& config) {
    for (const LayerConfig& layer : config.per_layer) {
        if (!layer.attention.rope || layer.rope.rotary_dim == 0) {
            of_layer_.push_back(-1);
            continue;
        }
        const auto at =
            std::find_if(distinct_.begin(), distinct_.end(),
                         [&](const Distinct& known) { return same(known.rope, layer.rope); });
        of_layer_.push_back(static_cast<int>(at - distinct_.begin()));
        if (at == distinct_.end()) distinct_.push_back({layer.rope, {}, {}});
    }
}

void RopeTable::fill(std::int64_t begin, std::int64_t end, bool long_run) {
    for (Distinct& table : distinct_) {
        const std::vector<double>& frequency =
            long_run && !table.rope.long_inverse_frequency.empty()
                ? table.rope.long_inverse_frequency
                : table.rope.inverse_frequency;
        table.cosines.clear();
        table.sines.clear();
        for (std::int64_t position = begin; position < end; ++position) {
            for (const double f : frequency) {
                const double phase = static_cast<double>(position) * f;
                table.cosines.push_back(
                    static_cast<float>(std::cos(phase) * table.rope.attention_factor));
                table.sines.push_back(
                    static_cast<float>(std::sin(phase) * table.rope.attention_factor));
            }
        }
    }
}

RopeTable::Layer RopeTable::layer(int index) const {
    const int at = of_layer_[static_cast<std::size_t>(index)];
    if (at < 0) return {};
    const Distinct& table = distinct_[static_cast<std::size_t>(at)];
    return {table.cosines.data(), table.sines.data(), table.rope.rotary_dim};
}

}  // namespace engine
