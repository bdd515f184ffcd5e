// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/config_experts.h"

namespace engine::families {

using nlohmann::json;

void read_experts(const ConfigReader& config, const Architecture& architecture, Facts& facts) {
    facts.has_experts.assign(static_cast<std::size_t>(facts.layers), false);
    const ConfigKeys& keys = architecture.keys;
    if (keys.experts == nullptr) return;
    const auto number = [&](const char* key, std::int64_t otherwise, Limits limits) {
        return static_cast<int>(key ? config.integer_or(key, otherwise, limits) : otherwise);
    };
    Experts& experts = facts.experts;
    // Newer files may write the name that all families share.
    constexpr const char* common = "num_local_experts";
    const char* key = config.find(keys.experts) || !config.find(common) ? keys.experts : common;
    experts.count = number(key, architecture.default_experts, expert_limits);
    experts.used = number(keys.experts_used, architecture.default_experts_used, expert_limits);
    experts.d_ff =
        number(keys.expert_d_ff, keys.expert_d_ff ? architecture.default_expert_d_ff : facts.d_ff,
               d_ff_limits);
    experts.normalised = keys.experts_normalised ? config.flag_or(keys.experts_normalised, false)
                                                 : architecture.experts_normalised;
    const int period = number(keys.expert_period, 1, {1, 1 << 20});
    const json* dense = keys.dense_layers ? config.find(keys.dense_layers) : nullptr;
    if (dense && !dense->is_array()) config.wrong_type(keys.dense_layers, "a list of layers");
    for (int i = 0; i < facts.layers; ++i) {
        bool mixture = experts.count > 0 && (i + 1) % period == 0;
        if (dense)
            for (const json& layer : *dense) mixture = mixture && layer != i;
        facts.has_experts[static_cast<std::size_t>(i)] = mixture;
    }
    check_experts(facts, config.where());
}

}  // namespace engine::families
