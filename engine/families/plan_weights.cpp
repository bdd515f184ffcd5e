// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/plan_weights.h"

#include <charconv>
#include <set>
#include <utility>

#include "engine/families/weight_names.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using formats::Checkpoint;

std::string term(const char* name, std::int64_t value) {
    return std::string(name) + " " + std::to_string(value);
}

class Weights {
  public:
    Weights(const Checkpoint& checkpoint, const Facts& facts)
        : checkpoint_(checkpoint), facts_(facts) {}

    // `why` names the facts that the needed shape comes from.
    void need(const std::string& name, const std::vector<std::int64_t>& shape,
              const std::string& why) {
        used_.insert(name);
        const formats::StoredTensor& tensor = checkpoint_.at(name);
        if (tensor.shape == shape) return;
        throw Error(Failure::Kind::BadFile,
                    "the tensor " + name + " is " + formats::shape_text(tensor.shape) +
                        ", the configuration needs " + formats::shape_text(shape) + ": " + why,
                    formats::shown(checkpoint_.path, 400),
                    "configuration and weights are of different models");
    }

    void need_layer(const LayerWeights& layer, bool qk_norm) {
        const std::int64_t d = facts_.d_model, ff = facts_.d_ff;
        const std::int64_t q = std::int64_t{facts_.query_heads} * facts_.head_dim;
        const std::int64_t kv = std::int64_t{facts_.kv_heads} * facts_.head_dim;
        const std::string d_model = term("d_model", d), d_ff = term("d_ff", ff);
        const std::string q_rows = heads("query heads", facts_.query_heads, q);
        const std::string kv_rows = heads("KV heads", facts_.kv_heads, kv);
        need(layer.attention_norm, {d}, d_model);
        need(layer.q, {q, d}, q_rows + ", " + d_model);
        need(layer.k, {kv, d}, kv_rows + ", " + d_model);
        need(layer.v, {kv, d}, kv_rows + ", " + d_model);
        need(layer.o, {d, q}, d_model + ", " + q_rows);
        if (!layer.q_bias.empty()) need(layer.q_bias, {q}, q_rows);
        if (!layer.k_bias.empty()) need(layer.k_bias, {kv}, kv_rows);
        if (!layer.v_bias.empty()) need(layer.v_bias, {kv}, kv_rows);
        if (!layer.o_bias.empty()) need(layer.o_bias, {d}, d_model);
        if (qk_norm) {
            need(layer.q_norm, {facts_.head_dim}, term("head_dim", facts_.head_dim));
            need(layer.k_norm, {facts_.head_dim}, term("head_dim", facts_.head_dim));
        }
        need(layer.mlp_norm, {d}, d_model);
        need(layer.gate, {ff, d}, d_ff + ", " + d_model);
        need(layer.up, {ff, d}, d_ff + ", " + d_model);
        need(layer.down, {d, ff}, d_model + ", " + d_ff);
    }

    void use(const std::string& name) { used_.insert(name); }

    // What the file holds beside; a weight inside a layer that has no role here would be left out
    // of the computation.
    std::vector<std::string> unused(const std::string& layer_prefix) const {
        std::vector<std::string> names;
        const auto add = [&](const std::string& name, bool empty) {
            if (used_.count(name) > 0) return;
            if (!empty && in_layer(name, layer_prefix) && !is_buffer(name))
                throw Error(Failure::Kind::Unsupported,
                            "the tensor " + formats::shown(name) +
                                " has no role in the model as its configuration describes it",
                            formats::shown(checkpoint_.path, 400));
            names.push_back(name);
        };
        for (const auto& [name, tensor] : checkpoint_.tensors) add(name, tensor.bytes == 0);
        for (const auto& [name, type] : checkpoint_.refused) add(name, false);
        return names;
    }

  private:
    std::string heads(const char* kind, int count, std::int64_t product) const {
        return std::to_string(count) + " " + kind + " × " + term("head_dim", facts_.head_dim) +
               " = " + std::to_string(product);
    }

    bool in_layer(std::string_view name, std::string_view prefix) const {
        if (!name.starts_with(prefix)) return false;
        name.remove_prefix(prefix.size());
        int layer = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
        return error == std::errc{} && layer >= 0 && layer < facts_.layers &&
               end != name.data() + name.size() && *end == '.';
    }

    // Tables that old exporters stored although they follow from the configuration.
    static bool is_buffer(std::string_view name) {
        for (const char* end :
             {".rotary_emb.inv_freq", ".attn_rot_embd.weight", ".self_attn.rotary_emb.cos_cached",
              ".self_attn.rotary_emb.sin_cached"})
            if (name.ends_with(end)) return true;
        return false;
    }

    const Checkpoint& checkpoint_;
    const Facts& facts_;
    std::set<std::string> used_;
};

// Keeps the names of what the model has: biases as config.json says, or as a GGUF file holds them.
LayerWeights names_of_layer(const WeightNames& names, int i, const Checkpoint& checkpoint,
                            const Facts& facts, bool qk_norm) {
    LayerWeights layer = layer_names(names, i);
    const bool by_tensor = checkpoint.format == Checkpoint::Format::Gguf;
    for (std::string* bias : {&layer.q_bias, &layer.k_bias, &layer.v_bias, &layer.o_bias})
        if (by_tensor ? !checkpoint.has(*bias) : !facts.attention_bias) bias->clear();
    if (!qk_norm) {
        layer.q_norm.clear();
        layer.k_norm.clear();
    }
    return layer;
}

}  // namespace

void plan_weights(ModelPlan& plan, const Checkpoint& checkpoint, const Facts& facts,
                  const Architecture& architecture) {
    const WeightNames& names = weight_names(checkpoint.format);
    const std::string vocab = term("vocab", facts.vocab) + ", " + term("d_model", facts.d_model);
    Weights weights(checkpoint, facts);
    plan.embedding = names.embedding;
    plan.final_norm = names.final_norm;
    plan.unembedding = facts.tied ? names.embedding : names.unembedding;
    weights.need(plan.embedding, {facts.vocab, facts.d_model}, vocab);
    weights.need(plan.final_norm, {facts.d_model}, term("d_model", facts.d_model));
    if (!facts.tied && !checkpoint.has(plan.unembedding))
        throw Error(
            Failure::Kind::BadFile,
            "the tensor " + plan.unembedding + " is missing, and tie_word_embeddings is not true",
            formats::shown(checkpoint.path, 400));
    weights.need(plan.unembedding, {facts.vocab, facts.d_model}, vocab);
    for (int i = 0; i < facts.layers; ++i) {
        LayerWeights layer = names_of_layer(names, i, checkpoint, facts, architecture.qk_norm);
        weights.need_layer(layer, architecture.qk_norm);
        plan.layers.push_back(std::move(layer));
    }
    if (!facts.rope.divisors.empty()) weights.use(rope_divisors_name);
    plan.unused = weights.unused(names.layer_prefix);
}

}  // namespace engine::families
