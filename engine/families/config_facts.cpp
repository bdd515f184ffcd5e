// SPDX-License-Identifier: GPL-3.0-or-later
// The Hugging Face dialect: config.json, with the class defaults of transformers where a key is
// left out.
#include <filesystem>

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
    if (config.find("head_dim"))
        return static_cast<int>(config.integer("head_dim", head_dim_limits));
    if (architecture.default_head_dim > 0) return architecture.default_head_dim;
    if (facts.d_model % facts.query_heads != 0)
        throw Error(Failure::Kind::BadFile,
                    "hidden_size " + std::to_string(facts.d_model) + " does not divide into " +
                        std::to_string(facts.query_heads) + " heads, and head_dim is not given",
                    config.where());
    return static_cast<int>(
        within(facts.d_model / facts.query_heads, head_dim_limits, "head_dim", config.where()));
}

int kv_heads_of(const ConfigReader& config, const Facts& facts, const Architecture& architecture) {
    if (config.find("num_key_value_heads"))
        return static_cast<int>(config.integer("num_key_value_heads", head_limits));
    if (config.has_key("num_key_value_heads") || architecture.default_kv_heads == 0)
        return facts.query_heads;
    return architecture.default_kv_heads;
}

}  // namespace

Facts facts_of_config(const formats::Checkpoint& checkpoint, const Architecture& architecture) {
    const ConfigReader config(*checkpoint.config,
                              formats::shown(checkpoint.path, 400) + ": config.json");
    refuse_config_terms(config, architecture);
    const auto count = [&](const char* key, Limits limits) {
        return static_cast<int>(config.integer(key, limits));
    };
    Facts facts;
    facts.name = folder_name(checkpoint.path);
    facts.layers = count("num_hidden_layers", layer_limits);
    facts.query_heads = count("num_attention_heads", head_limits);
    facts.d_model = count("hidden_size", d_model_limits);
    facts.d_ff = count("intermediate_size", d_ff_limits);
    facts.vocab = count("vocab_size", vocab_limits);
    facts.kv_heads = kv_heads_of(config, facts, architecture);
    facts.head_dim = head_dim_of(config, facts, architecture);
    facts.context =
        config.integer_or("max_position_embeddings", architecture.default_context, context_limits);
    facts.norm_eps = config.number_or("rms_norm_eps", 1e-6);
    facts.attention_bias = config.flag_or("attention_bias", false);
    facts.tied = config.flag_or("tie_word_embeddings", false);
    facts.rope = rope_of_config(config, facts.context, architecture);
    facts.windows = windows_of_config(config, facts.layers, architecture);
    check_heads(facts, config.where());
    return facts;
}

}  // namespace engine::families
