// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/config_rope.h"

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using nlohmann::json;

[[noreturn]] void unsupported(const ConfigReader& config, std::string what) {
    throw Error(Failure::Kind::Unsupported, std::move(what), config.where(),
                "implemented are default, linear and llama3");
}

// As transformers 5 chooses: a rope_scaling that says anything wins over rope_parameters.
const char* scaling_key(const ConfigReader& config) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const json* set = config.find(key);
        if (!set) continue;
        if (!set->is_object()) config.wrong_type(key, "an object");
        if (!set->empty()) return key;
    }
    return nullptr;
}

void read_llama3(RopeFacts& rope, const ConfigReader& config, const ConfigReader& set,
                 std::int64_t context) {
    rope.scaling = RopeFacts::Scaling::Llama3;
    rope.factor = set.number("factor");
    rope.low_frequency_factor = set.number("low_freq_factor");
    rope.high_frequency_factor = set.number("high_freq_factor");
    constexpr const char* original = "original_max_position_embeddings";
    rope.original_context =
        config.number_or(original, set.number_or(original, static_cast<double>(context)));
    if (rope.high_frequency_factor <= rope.low_frequency_factor)
        throw Error(Failure::Kind::BadFile,
                    set.name("high_freq_factor") + " " + value_text(rope.high_frequency_factor) +
                        " is not above low_freq_factor " + value_text(rope.low_frequency_factor),
                    config.where());
}

}  // namespace

RopeFacts rope_of_config(const ConfigReader& config, std::int64_t context,
                         const Architecture& architecture) {
    RopeFacts rope;
    rope.theta = config.number_or("rope_theta", rope.theta);
    const char* key = scaling_key(config);
    if (!key) return rope;
    const ConfigReader set(config.object().at(key), config.where(), std::string(key) + ".");
    for (const auto& [name, value] : set.object().items())
        if (value.is_object())
            unsupported(config, std::string(key) + " has a set for \"" + formats::shown(name) +
                                    "\" alone; " + architecture.name + " has one for all layers");
    rope.theta = set.number_or("rope_theta", rope.theta);
    if (const double part = set.number_or("partial_rotary_factor", 1); part != 1)
        unsupported(config, set.name("partial_rotary_factor") + " = " + value_text(part) +
                                " is not implemented for " + architecture.name);
    const std::string type = set.text_or("rope_type", set.text_or("type", "default"));
    if (type == "default") return rope;
    if (type == "linear") {
        rope.scaling = RopeFacts::Scaling::Linear;
        rope.factor = set.number("factor");
    } else if (type == "llama3") {
        read_llama3(rope, config, set, context);
    } else {
        unsupported(config, "RoPE scaling \"" + formats::shown(type) + "\" is not implemented");
    }
    return rope;
}

}  // namespace engine::families
