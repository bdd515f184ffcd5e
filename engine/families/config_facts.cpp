// SPDX-License-Identifier: GPL-3.0-or-later
// The Hugging Face dialect: config.json, with the class defaults of transformers where a key is
// left out.
#include <cmath>
#include <filesystem>

#include "engine/families/config_experts.h"
#include "engine/families/config_reader.h"
#include "engine/families/config_rope.h"
#include "engine/families/config_windows.h"
#include "engine/families/facts.h"
#include "engine/families/refused_terms.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

namespace fs = std::filesystem;

// The folder's name; of a hub cache's snapshot the model's.
std::string folder_name(const std::string& path) {
    std::error_code error;
    fs::path folder = fs::absolute(path, error).lexically_normal();
    if (folder.filename().empty()) folder = folder.parent_path();
    if (folder.extension() == ".safetensors") folder = folder.parent_path();
    const std::string cached = folder.parent_path().parent_path().filename().string();
    if (folder.parent_path().filename() == "snapshots" && cached.starts_with("models--"))
        return formats::shown(cached.substr(cached.rfind("--") + 2));
    return formats::shown(folder.filename().string());
}

int head_dim_of(const ConfigReader& config, const Facts& facts, const Architecture& architecture) {
    const char* key = architecture.keys.head_dim;
    if (key && config.find(key)) return static_cast<int>(config.integer(key, head_dim_limits));
    if (architecture.default_head_dim > 0) return architecture.default_head_dim;
    if (facts.d_model % facts.query_heads != 0)
        throw Error(Failure::Kind::BadFile,
                    config.name(architecture.keys.d_model) + " " + std::to_string(facts.d_model) +
                        " does not divide into " + std::to_string(facts.query_heads) +
                        " heads, and head_dim is not given",
                    config.where());
    return static_cast<int>(
        within(facts.d_model / facts.query_heads, head_dim_limits, "head_dim", config.where()));
}

int kv_heads_of(const ConfigReader& config, const Facts& facts, const Architecture& architecture) {
    const char* key = architecture.keys.kv_heads;
    if (key && config.find(key)) return static_cast<int>(config.integer(key, head_limits));
    if (!key || config.has_key(key) || architecture.default_kv_heads == 0) return facts.query_heads;
    return architecture.default_kv_heads;
}

int d_ff_of(const ConfigReader& config, const Facts& facts, const Architecture& architecture) {
    const std::int64_t usual = std::int64_t{facts.d_model} * architecture.default_d_ff_factor;
    const char* key = architecture.keys.d_ff;
    return static_cast<int>(usual > 0 ? config.integer_or(key, usual, d_ff_limits)
                                      : config.integer(key, d_ff_limits));
}

Activation activation_of(const ConfigReader& config, const Architecture& architecture) {
    const char* key = architecture.keys.activation;
    // A family's own activation is not the one that its file names.
    if (architecture.default_activation == Activation::ClampedSwiglu || !config.find(key))
        return architecture.default_activation;
    const std::string name = config.text_or(key, "");
    if (name == "silu" || name == "swish") return Activation::Silu;
    if (name == "gelu") return Activation::Gelu;
    for (const char* same : {"gelu_pytorch_tanh", "gelu_new", "gelu_fast"})
        if (name == same) return Activation::GeluTanh;
    throw Error(Failure::Kind::Unsupported,
                config.name(key) + " = " + value_text(name) +
                    " changes the computation and is not implemented",
                config.where(), "silu, gelu and its tanh approximation are");
}

// Of a cap: 0 where the config says null.
double cap_of(const ConfigReader& config, const char* key, double otherwise) {
    if (!key || (config.has_key(key) && !config.find(key))) return 0;
    return config.find(key) ? config.number(key) : otherwise;
}

// What multiplies q·k, a layer.
std::vector<double> scales_of(const ConfigReader& config, const Facts& facts,
                              const Architecture& architecture) {
    const char* key = architecture.keys.query_scalar;
    const double scalar = key ? config.number_or(key, architecture.default_query_scalar)
                              : static_cast<double>(facts.head_dim);
    std::vector<double> scales(static_cast<std::size_t>(facts.layers), 1 / std::sqrt(scalar));
    if (!architecture.scale_flags) return scales;
    const bool scaled = config.flag_or("scale_attn_weights", true);
    const bool by_layer = config.flag_or("scale_attn_by_inverse_layer_idx", false);
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = (scaled ? scales[i] : 1) / (by_layer ? static_cast<double>(i + 1) : 1);
    return scales;
}

}  // namespace

Facts facts_of_config(const formats::Checkpoint& checkpoint, const Architecture& architecture) {
    const ConfigReader config(*checkpoint.config,
                              formats::shown(checkpoint.path, 400) + ": config.json");
    refuse_config_terms(config, architecture);
    const auto count = [&](const char* key, Limits limits) {
        return static_cast<int>(config.integer(key, limits));
    };
    const ConfigKeys& keys = architecture.keys;
    Facts facts;
    facts.name = folder_name(checkpoint.path);
    facts.layers = count(keys.layers, layer_limits);
    facts.query_heads = count(keys.query_heads, head_limits);
    facts.d_model = count(keys.d_model, d_model_limits);
    facts.d_ff = d_ff_of(config, facts, architecture);
    facts.vocab = count("vocab_size", vocab_limits);
    facts.kv_heads = kv_heads_of(config, facts, architecture);
    facts.head_dim = head_dim_of(config, facts, architecture);
    facts.context = config.integer_or(keys.context, architecture.default_context, context_limits);
    facts.norm_eps = config.number_or(keys.norm_eps, architecture.default_norm_eps);
    facts.activation = activation_of(config, architecture);
    const auto flag = [&](const char* key, bool otherwise) {
        return key ? config.flag_or(key, otherwise) : otherwise;
    };
    facts.qkv_bias = flag(keys.attention_bias, architecture.qkv_bias);
    facts.o_bias = flag(keys.attention_bias, architecture.o_bias);
    facts.mlp_bias = flag(keys.mlp_bias, architecture.mlp_bias);
    facts.tied = config.flag_or("tie_word_embeddings", architecture.default_tied);
    facts.parallel_residual = flag(keys.parallel_residual, architecture.parallel_residual);
    facts.soft_cap = cap_of(config, keys.soft_cap, architecture.default_soft_cap);
    facts.final_soft_cap = cap_of(config, keys.final_soft_cap, architecture.default_final_soft_cap);
    facts.scales = scales_of(config, facts, architecture);
    if (facts.activation == Activation::ClampedSwiglu) {
        facts.swiglu_limit = config.number_or("swiglu_limit", architecture.swiglu_limit);
        facts.swiglu_alpha = config.number_or("swiglu_alpha", architecture.swiglu_alpha);
    }
    read_experts(config, architecture, facts);
    facts.has_rope = rope_layers_of_config(config, facts.layers, architecture);
    facts.windows = windows_of_config(config, facts.has_rope, architecture);
    if (!architecture.learned_positions) read_rope(config, architecture, facts);
    check_heads(facts, config.where());
    return facts;
}

}  // namespace engine::families
