// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/quantization.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/values/failure.h"

namespace engine::families {
namespace {

using nlohmann::json;

// A term, and what it may say: null, an empty list, or one of these. No list: whatever it says is
// in the tensors too.
struct MethodTerm {
    std::string_view key;
    std::initializer_list<std::string_view> values = {};
};

constexpr const char* name = "quantization_config";

const MethodTerm fp8_terms[] = {
    {"quant_method"},
    {"weight_block_size"},
    {"modules_to_not_convert"},
    {"modules_to_convert"},
    {"ignored_layers"},
    {"dequantize"},
    {"fmt", {"e4m3", "e5m2"}},
    // Activations are rounded while others compute; here they stay what they are.
    {"activation_scheme", {"dynamic"}},
    {"scale_fmt", {"float"}},
    {"expert_dtype", {"fp8"}},
};
const MethodTerm mxfp4_terms[] = {{"quant_method"}, {"modules_to_not_convert"}, {"dequantize"}};

bool is_empty(const json& value) {
    return value.is_null() || ((value.is_array() || value.is_object()) && value.empty());
}

}  // namespace

std::string quantization_method(const json& config) {
    const auto quantization = config.find(name);
    if (quantization == config.end() || !quantization->is_object()) return {};
    const auto method = quantization->find("quant_method");
    if (method == quantization->end()) return {};
    return *method == "fp8" ? "fp8" : *method == "mxfp4" ? "mxfp4" : "";
}

void check_quantization(const ConfigReader& config, const Architecture& architecture) {
    const json* quantization = config.find(name);
    if (quantization == nullptr) return;
    const auto refuse = [&](const std::string& term, const json& value) {
        throw Error(
            Failure::Kind::Unsupported,
            term + " = " + value_text(value) + " is not implemented for " + architecture.name,
            config.where(), "open the unquantized model, or a GGUF file of it");
    };
    const std::string method = quantization_method(config.object());
    // Rows that move, or columns that become rows, would leave their blocks.
    const bool in_place = !architecture.config_transposed &&
                          architecture.config_fused == FusedRows::QThenKThenV &&
                          !architecture.config_interleaved_experts;
    if ((method != "fp8" || !in_place) &&
        (method != "mxfp4" || !architecture.config_interleaved_experts))
        refuse(name, *quantization);
    const std::span<const MethodTerm> terms = method == "fp8"
                                                  ? std::span<const MethodTerm>(fp8_terms)
                                                  : std::span<const MethodTerm>(mxfp4_terms);
    for (const auto& [key, value] : quantization->items()) {
        const std::string_view wanted = key;
        const auto term = std::find_if(terms.begin(), terms.end(), [&](const MethodTerm& known) {
            return known.key == wanted;
        });
        const bool known = term != terms.end();
        if (is_empty(value) || (known && term->values.size() == 0)) continue;
        if (known && std::any_of(term->values.begin(), term->values.end(),
                                 [&, &held = value](std::string_view may) { return held == may; }))
            continue;
        refuse(std::string(name) + "." + key, value);
    }
}

}  // namespace engine::families
