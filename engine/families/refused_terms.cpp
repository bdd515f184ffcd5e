// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/refused_terms.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/families/quantization.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using nlohmann::json;

// The value at which a term does nothing; null, false and what is empty always do.
enum class Neutral : std::uint8_t { Nothing, Zero, One, True };

struct Term {
    const char* key;
    Neutral neutral = Neutral::Nothing;
};

constexpr Term config_terms[] = {
    // other scores, masks and softmax
    {"attention_multiplier"},
    {"attn_scale"},
    {"query_pre_attn_scalar"},
    {"logit_scale", Neutral::One},
    {"attn_logit_softcapping"},
    {"attn_logit_softcap"},
    {"attention_chunk_size"},
    {"attn_temperature_tuning", Neutral::Zero},
    {"alibi"},
    {"use_alibi"},
    {"clip_qkv"},
    {"attention_sinks"},
    {"attention_sink"},
    {"use_attention_sinks"},
    {"attn_output_gate"},
    {"scale_attn_by_inverse_layer_idx"},
    {"use_bidirectional_attention"},
    {"is_causal", Neutral::True},
    {"add_cross_attention"},
    {"is_encoder_decoder"},
    {"cross_attention_layers"},
    {"sparse_attention"},
    {"use_sparse_attention"},
    {"kv_lora_rank", Neutral::Zero},
    {"q_lora_rank", Neutral::Zero},
    {"num_kv_shared_layers", Neutral::Zero},
    {"per_layer_config"},
    // other rotary embeddings
    {"partial_rotary_factor", Neutral::One},
    {"rotary_pct", Neutral::One},
    {"rotary_dim"},
    {"rope_interleave"},
    {"rope_interleaved"},
    {"no_rope_layers"},
    {"no_rope_layer_interval", Neutral::Zero},
    {"nope_layers"},
    {"rope_local_base_freq"},
    // other biases, norms, residuals and scales
    {"mlp_bias"},
    {"qkv_bias"},
    {"use_bias"},
    {"bias"},
    {"lm_head_bias"},
    {"use_parallel_residual"},
    {"parallel_attn"},
    {"embedding_multiplier", Neutral::One},
    {"residual_multiplier", Neutral::One},
    {"logits_scaling", Neutral::One},
    {"lm_head_multiplier", Neutral::One},
    {"final_logit_softcapping"},
    {"logits_soft_cap"},
    {"scale_emb", Neutral::One},
    {"scale_embedding"},
    {"scale_depth"},
    {"dim_model_base"},
    {"use_mup"},
    {"rms_norm_add_unit_offset"},
    {"hidden_size_per_layer_input", Neutral::Zero},
    // experts
    {"num_local_experts", Neutral::Zero},
    {"num_experts", Neutral::Zero},
    {"n_routed_experts", Neutral::Zero},
    {"num_experts_per_tok", Neutral::Zero},
    {"moe_intermediate_size", Neutral::Zero},
};
constexpr Term qk_norm_terms[] = {{"use_qk_norm"}, {"qk_norm"}, {"qk_layernorm"}};

constexpr Term refused_gguf_terms[] = {
    {"attention.scale", Neutral::Zero},
    {"attention.sliding_window", Neutral::Zero},
    {"attention.sliding_window_pattern"},
    {"attention.max_alibi_bias", Neutral::Zero},
    {"attention.clamp_kqv", Neutral::Zero},
    {"attention.causal", Neutral::True},
    {"attention.temperature_scale", Neutral::Zero},
    {"attention.temperature_length", Neutral::Zero},
    {"attention.q_lora_rank", Neutral::Zero},
    {"attention.kv_lora_rank", Neutral::Zero},
    {"attention.shared_kv_layers", Neutral::Zero},
    {"attention.chunk_size", Neutral::Zero},
    {"attn_logit_softcapping", Neutral::Zero},
    {"final_logit_softcapping", Neutral::Zero},
    {"logit_scale", Neutral::One},
    {"residual_scale", Neutral::One},
    {"embedding_scale", Neutral::One},
    {"rope.scaling.attn_factor", Neutral::One},
    {"rope.dimension_sections"},
    {"no_rope_layer_interval", Neutral::Zero},
    {"use_parallel_residual"},
    {"expert_count", Neutral::Zero},
    {"expert_used_count", Neutral::Zero},
    {"nextn_predict_layers", Neutral::Zero},
};

bool is_neutral(const json& value, Neutral neutral) {
    if (value.is_null() || value == false) return neutral != Neutral::True || value.is_null();
    if (value == true) return neutral == Neutral::True;
    if (value.is_number()) {
        if (neutral == Neutral::Zero) return value.get<double>() == 0;
        if (neutral == Neutral::One) return value.get<double>() == 1;
        return false;
    }
    return value.empty() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

json to_json(const formats::MetaValue& value) {
    return std::visit([](const auto& held) { return json(held); }, value);
}

[[noreturn]] void refuse(const std::string& key, const json& value,
                         const Architecture& architecture, const std::string& where,
                         std::string hint = {}) {
    throw Error(Failure::Kind::Unsupported,
                key + " = " + value_text(value) +
                    " changes the computation and is not implemented for " + architecture.name,
                where, std::move(hint));
}

bool has(std::span<const char* const> keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void refuse_window(const ConfigReader& config, const Architecture& architecture) {
    const json* window = config.find("sliding_window");
    const bool off =
        config.has_key("use_sliding_window") && !config.flag_or("use_sliding_window", false);
    if (window && !off) refuse("sliding_window", *window, architecture, config.where());
    if (config.flag_or("use_sliding_window", false))
        refuse("use_sliding_window", true, architecture, config.where());
    const json* types = config.find("layer_types");
    if (!types) return;
    for (const json& type : *types)
        if (type != "full_attention") refuse("layer_types", type, architecture, config.where());
}

}  // namespace

void refuse_config_terms(const ConfigReader& config, const Architecture& architecture) {
    check_quantization(config, architecture);
    if (const json* value = config.find("compression_config"))
        refuse("compression_config", *value, architecture, config.where(),
               "open the unquantized model, or a GGUF file of it");
    for (const Term& term : config_terms)
        if (const json* value = config.find(term.key);
            value && !has(architecture.reads, term.key) && !is_neutral(*value, term.neutral))
            refuse(term.key, *value, architecture, config.where());
    if (architecture.qk_norm == QkNorm::None)
        for (const Term& term : qk_norm_terms)
            if (const json* value = config.find(term.key);
                value && !is_neutral(*value, term.neutral))
                refuse(term.key, *value, architecture, config.where());
    if (architecture.windows == Windows::None) refuse_window(config, architecture);
    if (const json* code = config.find("auto_map"); code && code->is_object())
        if (code->contains("AutoModelForCausalLM") && !has(architecture.reads, "auto_map"))
            refuse("auto_map", (*code)["AutoModelForCausalLM"], architecture, config.where(),
                   "the model brings code of its own, which is not run");
}

void refuse_gguf_terms(const formats::Checkpoint& checkpoint, const Architecture& architecture) {
    const std::string where = formats::shown(checkpoint.path, 400);
    for (const Term& term : refused_gguf_terms) {
        if (has(architecture.gguf_reads, term.key)) continue;
        const std::string key = std::string(architecture.gguf_name) + "." + term.key;
        const formats::MetaValue* held = checkpoint.metadata.find(key);
        if (!held) continue;
        if (const json value = to_json(*held); !is_neutral(value, term.neutral))
            refuse(key, value, architecture, where);
    }
    const std::string type = checkpoint.metadata.text_or("general.type", "model");
    if (type != "model")
        throw Error(Failure::Kind::Unsupported,
                    "this GGUF file holds a part of another kind: general.type is \"" +
                        formats::shown(type) + "\"",
                    where, "open the model itself");
}

}  // namespace engine::families
