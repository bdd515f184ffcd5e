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

}  // namespace

std::vector<int> windows_of_config(const ConfigReader& config, int layers,
                                   const Architecture& architecture) {
    std::vector<int> windows(static_cast<std::size_t>(layers), 0);
    if (architecture.windows == Windows::None) return windows;
    const bool on = config.flag_or("use_sliding_window", false);
    const json* types = config.find("layer_types");
    if (!on && !types) return windows;  // whatever sliding_window says
    const int window = window_size(config, architecture);
    if (types) return by_layer_types(*types, config, layers, window);
    const std::int64_t first =
        config.integer_or("max_window_layers", architecture.default_window_layer, {0, 1 << 20});
    for (std::int64_t layer = first; layer < layers; ++layer)
        windows[static_cast<std::size_t>(layer)] = window;
    return windows;
}

}  // namespace engine::families
