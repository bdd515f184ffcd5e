// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/config_rope.h"

#include <cmath>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using nlohmann::json;

[[noreturn]] void unsupported(const ConfigReader& config, std::string what) {
    throw Error(Failure::Kind::Unsupported, std::move(what), config.where(),
                "implemented are default, linear, dynamic, yarn, longrope and llama3");
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

// One set of parameters: what it says, over what the top level says, over the class's defaults.
class SetReader {
  public:
    SetReader(const ConfigReader& config, const ConfigReader& set, const Architecture& architecture,
              const Facts& facts)
        : config_(config), set_(set), architecture_(architecture), facts_(facts) {}

    RopeFacts read(double theta) {
        rope_.theta = set_.number_or("rope_theta", theta);
        rope_.dims = rotary_dims();
        const std::string type = set_.text_or("rope_type", set_.text_or("type", "default"));
        if (type == "linear") {
            rope_.scaling = RopeFacts::Scaling::Linear;
            rope_.factor = set_.number("factor");
        } else if (type == "llama3") {
            llama3();
        } else if (type == "longrope" || type == "su" ||
                   (type == "yarn" && set_.find("long_factor"))) {
            longrope();
        } else if (type == "yarn") {
            yarn();
        } else if (type != "default" && type != "dynamic") {
            // dynamic grows the base past max_position_embeddings, where no run goes; up to there
            // it is the default.
            unsupported(config_,
                        "RoPE scaling \"" + formats::shown(type) + "\" is not implemented");
        }
        return rope_;
    }

  private:
    int rotary_dims() const {
        constexpr const char* key = "partial_rotary_factor";
        const double whole = architecture_.default_rotary_part;
        if (whole == 0) {
            if (const double part = set_.number_or(key, 1); part != 1)
                unsupported(config_, set_.name(key) + " = " + value_text(part) +
                                         " is not implemented for " + architecture_.name);
            return -1;
        }
        const double part =
            set_.number_or(key, config_.number_or(architecture_.keys.rotary_part, whole));
        if (part > 1)
            throw Error(Failure::Kind::BadFile,
                        set_.name(key) + " is " + value_text(part) + ", at most 1 is possible",
                        config_.where());
        return static_cast<int>(facts_.head_dim * part);
    }

    void read_original_context() {
        constexpr const char* original = "original_max_position_embeddings";
        rope_.original_context = config_.number_or(
            original, set_.number_or(original, static_cast<double>(facts_.context)));
    }

    void llama3() {
        rope_.scaling = RopeFacts::Scaling::Llama3;
        rope_.factor = set_.number("factor");
        rope_.low_frequency_factor = set_.number("low_freq_factor");
        rope_.high_frequency_factor = set_.number("high_freq_factor");
        read_original_context();
        if (rope_.high_frequency_factor <= rope_.low_frequency_factor)
            throw Error(
                Failure::Kind::BadFile,
                set_.name("high_freq_factor") + " " + value_text(rope_.high_frequency_factor) +
                    " is not above low_freq_factor " + value_text(rope_.low_frequency_factor),
                config_.where());
    }

    // How many times longer than in training; DeepSeek's and Phi's files say it by two lengths.
    double stretch() const {
        return set_.number_or("factor",
                              static_cast<double>(facts_.context) / rope_.original_context);
    }

    void yarn() {
        rope_.scaling = RopeFacts::Scaling::Yarn;
        read_original_context();
        rope_.factor = stretch();
        rope_.beta_fast = set_.number_or("beta_fast", 32);
        rope_.beta_slow = set_.number_or("beta_slow", 1);
        rope_.truncate = set_.flag_or("truncate", true);
        const auto magnitude = [&](double times) {
            return rope_.factor <= 1 ? 1.0 : 0.1 * times * std::log(rope_.factor) + 1;
        };
        const auto given = [&](const char* key) {
            return set_.find(key) && *set_.find(key) != 0 ? set_.number(key) : 0.0;
        };
        const double all = given("mscale_all_dim"), some = given("mscale");
        rope_.attention_factor =
            set_.number_or("attention_factor",
                           all > 0 && some > 0 ? magnitude(some) / magnitude(all) : magnitude(1));
    }

    std::vector<double> divisors(const char* key) const {
        const json* list = set_.find(key);
        if (!list) set_.missing(key);
        const auto wanted = static_cast<std::size_t>(rotary_dim(rope_, facts_.head_dim) / 2);
        if (!list->is_array() || list->size() != wanted)
            throw Error(Failure::Kind::BadFile,
                        set_.name(key) + " has " + std::to_string(list->size()) +
                            " numbers, the rotary dims need " + std::to_string(wanted),
                        config_.where());
        std::vector<double> values;
        for (const json& value : *list) {
            if (!value.is_number()) set_.wrong_type(key, "a list of numbers");
            values.push_back(positive(value.get<double>(), set_.name(key), config_.where()));
        }
        return values;
    }

    void longrope() {
        read_original_context();
        rope_.divisors = divisors("short_factor");
        rope_.long_divisors = divisors("long_factor");
        const double times = stretch();
        rope_.attention_factor = set_.number_or(
            "attention_factor",
            times <= 1 ? 1.0 : std::sqrt(1 + std::log(times) / std::log(rope_.original_context)));
    }

    const ConfigReader &config_, &set_;
    const Architecture& architecture_;
    const Facts& facts_;
    RopeFacts rope_;
};

}  // namespace

void read_rope(const ConfigReader& config, const Architecture& architecture, Facts& facts) {
    static const json nothing = json::object();
    const double theta = config.number_or(architecture.keys.theta, architecture.default_theta);
    const bool local = architecture.local_theta > 0;
    const char* key = scaling_key(config);
    const ConfigReader sets(key ? config.object().at(key) : nothing, config.where(),
                            key ? std::string(key) + "." : "rope_parameters.");
    const auto read = [&](const ConfigReader& set, double base) {
        return SetReader(config, set, architecture, facts).read(base);
    };
    const auto nested = [&](const char* type) {
        const json* set = sets.find(type);
        if (set && !set->is_object()) sets.wrong_type(type, "an object");
        return ConfigReader(set ? *set : nothing, config.where(), sets.name(type) + ".");
    };
    bool by_type = false;
    for (const auto& [name, value] : sets.object().items()) {
        if (!value.is_object()) continue;
        by_type = true;
        if (!local || (name != "full_attention" && name != "sliding_attention"))
            unsupported(config, sets.name("") + " has a set for \"" + formats::shown(name) +
                                    "\" alone; " + architecture.name +
                                    (local ? " has them for full_attention and sliding_attention"
                                           : " has one for all layers"));
    }
    facts.rope = by_type ? read(nested("full_attention"), theta) : read(sets, theta);
    if (!local) return;
    const double base = config.number_or("rope_local_base_freq", architecture.local_theta);
    // What an old file says of scaling is of the full layers.
    const ConfigReader none(nothing, config.where());
    facts.local_rope = by_type ? read(nested("sliding_attention"), base) : read(none, base);
}

}  // namespace engine::families
