// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/config_windows.h"

#include "engine/values/failure.h"

namespace engine::families {
namespace {

using nlohmann::json;

// 0 where the config says null: then there is no window anywhere.
int window_size(const ConfigReader& config, const Architecture& architecture) {
    if (!config.has_key("sliding_window")) return architecture.default_window;
    if (!config.find("sliding_window")) return 0;
    return static_cast<int>(config.integer("sliding_window", window_limits));
}

std::vector<int> by_layer_types(const json& types, const ConfigReader& config, int layers,
                                int window) {
    if (!types.is_array() || types.size() != static_cast<std::size_t>(layers))
        throw Error(Failure::Kind::BadFile,
                    "layer_types names " + std::to_string(types.size()) +
                        " layers, num_hidden_layers is " + std::to_string(layers),
                    config.where());
    std::vector<int> windows;
    for (const json& type : types) {
        const bool sliding = type == "sliding_attention";
        if (!sliding && type != "full_attention")
            throw Error(Failure::Kind::Unsupported,
                        "the layer type " + value_text(type) + " is not implemented",
                        config.where(), "full_attention and sliding_attention are");
        if (sliding && window == 0)
            throw Error(Failure::Kind::BadFile,
                        "layer_types names sliding_attention, but sliding_window is null",
                        config.where());
        windows.push_back(sliding ? window : 0);
    }
    return windows;
}

// What the family's own rule says of layer i.
bool windowed(const ConfigReader& config, const std::vector<bool>& has_rope, std::int64_t i,
              const Architecture& architecture) {
    switch (architecture.windows) {
        case Windows::None: return false;
        case Windows::All:
        case Windows::AllIfAsked: return true;
        case Windows::NoRope: return !has_rope[static_cast<std::size_t>(i)];
        case Windows::LastLayers:
            return i >= config.integer_or("max_window_layers", architecture.default_window_layer,
                                          {0, 1 << 20});
        case Windows::Periodic: {
            const char* key = architecture.keys.window_period;
            const std::int64_t own = architecture.window_period;
            return (i + 1) % (key ? config.integer_or(key, own, {1, 1 << 20}) : own) != 0;
        }
    }
    return false;
}

}  // namespace

std::vector<bool> rope_layers_of_config(const ConfigReader& config, int layers,
                                        const Architecture& architecture) {
    std::vector<bool> has_rope(static_cast<std::size_t>(layers), !architecture.learned_positions);
    if (architecture.no_rope_period == 0) return has_rope;
    const json* list = config.find(architecture.keys.no_rope_layers);
    if (list && (!list->is_array() || list->size() < has_rope.size()))
        throw Error(Failure::Kind::BadFile,
                    config.name(architecture.keys.no_rope_layers) + " names " +
                        std::to_string(list->size()) + " layers, num_hidden_layers is " +
                        std::to_string(layers),
                    config.where());
    const std::int64_t period = config.integer_or(architecture.keys.no_rope_period,
                                                  architecture.no_rope_period, {1, 1 << 20});
    for (std::size_t i = 0; i < has_rope.size(); ++i) {
        if (list && (*list)[i] != 0 && (*list)[i] != 1)
            config.wrong_type(architecture.keys.no_rope_layers, "a list of 0 and 1");
        has_rope[i] = list ? (*list)[i] == 1 : (static_cast<std::int64_t>(i) + 1) % period != 0;
    }
    return has_rope;
}

std::vector<int> windows_of_config(const ConfigReader& config, const std::vector<bool>& has_rope,
                                   const Architecture& architecture) {
    std::vector<int> windows(has_rope.size(), 0);
    if (architecture.windows == Windows::None) return windows;
    const bool asked = architecture.windows == Windows::LastLayers ||
                       architecture.windows == Windows::AllIfAsked ||
                       architecture.windows == Windows::NoRope;
    const bool on = config.flag_or("use_sliding_window", !asked);
    const json* types = config.find("layer_types");
    if (!on && !types) return windows;  // whatever sliding_window says
    const int window = window_size(config, architecture);
    const int layers = static_cast<int>(windows.size());
    if (types) return by_layer_types(*types, config, layers, window);
    for (int i = 0; i < layers; ++i)
        if (windowed(config, has_rope, i, architecture))
            windows[static_cast<std::size_t>(i)] = window;
    return windows;
}

}  // namespace engine::families
