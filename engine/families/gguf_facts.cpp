// SPDX-License-Identifier: GPL-3.0-or-later
// The GGUF dialect: metadata under the architecture's name, biases, tying and llama3's frequencies
// told by tensors.
#include <cmath>
#include <filesystem>

#include "engine/families/gguf_rope.h"
#include "engine/families/refused_terms.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using formats::Checkpoint;

int head_dim_of(const GgufReader& gguf, const Facts& facts, const Architecture& architecture) {
    std::int64_t head_dim = facts.d_model / facts.query_heads;
    if (gguf.metadata().has(gguf.key("attention.key_length")))
        head_dim = gguf.integer("attention.key_length", head_dim_limits);
    else if (facts.d_model % facts.query_heads != 0)
        throw Error(Failure::Kind::BadFile,
                    "embedding_length " + std::to_string(facts.d_model) + " does not divide into " +
                        std::to_string(facts.query_heads) + " heads",
                    gguf.where());
    within(head_dim, head_dim_limits, "head_dim", gguf.where());
    const auto same = [&](const char* name) {
        if (const auto other = gguf.integer_or(name, head_dim, head_dim_limits); other != head_dim)
            throw Error(Failure::Kind::Unsupported,
                        gguf.key(name) + " is " + std::to_string(other) + ", the head_dim is " +
                            std::to_string(head_dim) + ": different ones are not implemented",
                        gguf.where());
    };
    same("attention.value_length");
    if (architecture.default_rotary_part == 0) same("rope.dimension_count");
    return static_cast<int>(head_dim);
}

// Without the key, the embedding's rows; they are checked against it in any case.
int vocab_of(const Checkpoint& checkpoint, const GgufReader& gguf) {
    const std::int64_t rows = checkpoint.at("token_embd.weight").rows();
    return static_cast<int>(within(gguf.integer_or("vocab_size", rows, vocab_limits), vocab_limits,
                                   "vocab_size", gguf.where()));
}

double cap_of(const GgufReader& gguf, const char* config_key, const char* name, double otherwise) {
    if (config_key == nullptr) return 0;
    const std::string key = gguf.key(name);
    return gguf.metadata().has(key) ? gguf.metadata().number(key) : otherwise;
}

// Of q·k. Files say it seldom: then it follows from the sizes.
double scale_of(const GgufReader& gguf, const Facts& facts, const Architecture& architecture) {
    const double own = gguf.metadata().number_or(gguf.key("attention.scale"), 0);
    if (own != 0) return positive(own, gguf.key("attention.scale"), gguf.where());
    const bool wide = facts.layers == architecture.gguf_wide_scale_layers;
    return 1 / std::sqrt(wide ? static_cast<double>(facts.d_model) / facts.query_heads
                              : static_cast<double>(facts.head_dim));
}

std::vector<int> windows_of(const GgufReader& gguf, const Facts& facts,
                            const Architecture& architecture) {
    std::vector<int> windows(static_cast<std::size_t>(facts.layers), 0);
    const bool fixed =
        architecture.windows == Windows::Periodic || architecture.windows == Windows::All;
    const std::int64_t window = gguf.integer_or("attention.sliding_window", 0, {0, 1 << 30});
    if (!fixed || window == 0) return windows;
    const std::string key = gguf.key("attention.sliding_window_pattern");
    const auto* value = gguf.metadata().find(key);
    const auto* list = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
    if (list && list->size() != windows.size())
        throw Error(Failure::Kind::BadFile,
                    key + " names " + std::to_string(list->size()) + " layers, the model has " +
                        std::to_string(facts.layers),
                    gguf.where());
    const std::int64_t period =
        architecture.windows == Windows::All ? 0
        : gguf.metadata().has(key) && !list
            ? within(gguf.metadata().integer(key), {1, 1 << 20}, key, gguf.where())
            : architecture.window_period;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const bool on = list ? (*list)[i] != 0
                             : period == 0 || (static_cast<std::int64_t>(i) + 1) % period != 0;
        if (on) windows[i] = static_cast<int>(window);
    }
    return windows;
}

// Of an architecture whose files may hold experts: every layer has them.
void read_experts(const GgufReader& gguf, const Architecture& architecture, Facts& facts) {
    const auto count = [&](const char* name, int otherwise) {
        return static_cast<int>(gguf.integer_or(name, otherwise, {0, 1 << 22}));
    };
    Experts& experts = facts.experts;
    experts.count = count("expert_count", 0);
    experts.used = count("expert_used_count", 0);
    experts.d_ff = count("expert_feed_forward_length", facts.d_ff);
    experts.normalised = architecture.gguf_experts_normalised;
    facts.has_experts.assign(static_cast<std::size_t>(facts.layers), experts.count > 0);
    within(experts.count, expert_limits, gguf.key("expert_count"), gguf.where());
    check_experts(facts, gguf.where());
}

std::vector<bool> rope_layers_of(const Facts& facts, const Architecture& architecture) {
    std::vector<bool> has_rope(static_cast<std::size_t>(facts.layers),
                               !architecture.learned_positions);
    if (architecture.no_rope_period > 0)
        for (int i = 0; i < facts.layers; ++i)
            has_rope[static_cast<std::size_t>(i)] = (i + 1) % architecture.no_rope_period != 0;
    return has_rope;
}

}  // namespace

Facts facts_of_gguf(const Checkpoint& checkpoint, const Architecture& architecture) {
    refuse_gguf_terms(checkpoint, architecture);
    const GgufReader gguf(checkpoint, architecture);
    const auto count = [&](const char* name, Limits limits) {
        return static_cast<int>(gguf.integer(name, limits));
    };
    Facts facts;
    const std::string file = std::filesystem::path(checkpoint.path).stem().string();
    facts.name = formats::shown(checkpoint.metadata.text_or("general.name", file));
    if (facts.name.empty()) facts.name = formats::shown(file);
    facts.layers = count("block_count", layer_limits);
    facts.query_heads = count("attention.head_count", head_limits);
    facts.kv_heads = static_cast<int>(
        gguf.integer_or("attention.head_count_kv", facts.query_heads, head_limits));
    facts.d_model = count("embedding_length", d_model_limits);
    facts.d_ff = count("feed_forward_length", d_ff_limits);
    facts.vocab = vocab_of(checkpoint, gguf);
    facts.context = gguf.integer("context_length", context_limits);
    facts.head_dim = head_dim_of(gguf, facts, architecture);
    const std::string eps =
        gguf.key(architecture.norm == NormKind::Layer ? "attention.layer_norm_epsilon"
                                                      : "attention.layer_norm_rms_epsilon");
    facts.norm_eps = positive(checkpoint.metadata.number(eps), eps, gguf.where());
    facts.activation = architecture.default_activation;
    facts.tied = !checkpoint.has(architecture.gguf_names->unembedding);
    facts.parallel_residual =
        architecture.keys.parallel_residual
            ? checkpoint.metadata.flag_or(gguf.key("use_parallel_residual"), true)
            : false;
    facts.soft_cap = cap_of(gguf, architecture.keys.soft_cap, "attn_logit_softcapping",
                            architecture.default_soft_cap);
    facts.final_soft_cap = cap_of(gguf, architecture.keys.final_soft_cap, "final_logit_softcapping",
                                  architecture.default_final_soft_cap);
    facts.scales.assign(static_cast<std::size_t>(facts.layers),
                        scale_of(gguf, facts, architecture));
    facts.swiglu_limit = architecture.swiglu_limit;
    facts.swiglu_alpha = architecture.swiglu_alpha;
    read_experts(gguf, architecture, facts);
    facts.has_rope = rope_layers_of(facts, architecture);
    facts.windows = windows_of(gguf, facts, architecture);
    if (!architecture.learned_positions) read_rope(gguf, checkpoint, architecture, facts);
    check_heads(facts, gguf.where());
    return facts;
}

}  // namespace engine::families
