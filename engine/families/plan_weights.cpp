// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/plan_weights.h"

#include <charconv>
#include <initializer_list>
#include <set>
#include <utility>

#include "engine/families/quantization.h"
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
    Weights(const Checkpoint& checkpoint, const Facts& facts, const ModelPlan& plan)
        : checkpoint_(checkpoint),
          facts_(facts),
          transposed_(plan.transposed),
          interleaved_(plan.interleaved_experts),
          fp8_(checkpoint.config && quantization_method(*checkpoint.config) == "fp8") {}

    // `why` names the facts that the needed shape comes from.
    void need(const std::string& name, const std::vector<std::int64_t>& shape,
              const std::string& why) {
        used_.insert(name);
        const formats::StoredTensor& tensor = checkpoint_.at(name);
        if (tensor.shape == shape) {
            need_scales(tensor);
            return;
        }
        throw Error(Failure::Kind::BadFile,
                    "the tensor " + name + " is " + formats::shape_text(tensor.shape) +
                        ", the configuration needs " + formats::shape_text(shape) + ": " + why,
                    formats::shown(checkpoint_.path, 400),
                    "configuration and weights are of different models");
    }

    // A matrix [out, in], where the file may lay all of them the other way.
    void need_matrix(const std::string& name, std::int64_t out, std::int64_t in,
                     const std::string& why) {
        need(name, transposed_ ? std::vector{in, out} : std::vector{out, in}, why);
    }

    void need_layer(const LayerWeights& layer, QkNorm qk_norm) {
        const std::int64_t d = facts_.d_model, ff = facts_.d_ff;
        const std::int64_t q = std::int64_t{facts_.query_heads} * facts_.head_dim;
        const std::int64_t kv = std::int64_t{facts_.kv_heads} * facts_.head_dim;
        const std::string d_model = term("d_model", d), d_ff = term("d_ff", ff);
        const std::string q_rows = heads("query heads", facts_.query_heads, q);
        const std::string kv_rows = heads("KV heads", facts_.kv_heads, kv);
        const auto vector = [&](const std::string& name, std::int64_t size,
                                const std::string& why) {
            if (!name.empty()) need(name, {size}, why);
        };
        const auto matrix = [&](const std::string& name, std::int64_t out, std::int64_t in,
                                const std::string& why) {
            if (!name.empty()) need_matrix(name, out, in, why);
        };
        for (const std::string& norm :
             {layer.attention_norm, layer.attention_norm_bias, layer.attention_post_norm,
              layer.mlp_norm, layer.mlp_norm_bias, layer.mlp_post_norm})
            vector(norm, d, d_model);
        matrix(layer.q, q, d, q_rows + ", " + d_model);
        matrix(layer.k, kv, d, kv_rows + ", " + d_model);
        matrix(layer.v, kv, d, kv_rows + ", " + d_model);
        matrix(layer.qkv, q + 2 * kv, d, q_rows + ", twice " + kv_rows + ", " + d_model);
        matrix(layer.o, d, q, d_model + ", " + q_rows);
        vector(layer.q_bias, q, q_rows);
        vector(layer.k_bias, kv, kv_rows);
        vector(layer.v_bias, kv, kv_rows);
        vector(layer.qkv_bias, q + 2 * kv, q_rows + ", twice " + kv_rows);
        vector(layer.o_bias, d, d_model);
        const bool whole = qk_norm == QkNorm::WholeProjection;
        vector(layer.q_norm, whole ? q : facts_.head_dim,
               whole ? q_rows : term("head_dim", facts_.head_dim));
        vector(layer.k_norm, whole ? kv : facts_.head_dim,
               whole ? kv_rows : term("head_dim", facts_.head_dim));
        vector(layer.sinks, facts_.query_heads, term("query heads", facts_.query_heads));
        matrix(layer.gate, ff, d, d_ff + ", " + d_model);
        matrix(layer.up, ff, d, d_ff + ", " + d_model);
        matrix(layer.gate_up, 2 * ff, d, "twice " + d_ff + ", " + d_model);
        matrix(layer.down, d, ff, d_model + ", " + d_ff);
        vector(layer.gate_bias, ff, d_ff);
        vector(layer.up_bias, ff, d_ff);
        vector(layer.down_bias, d, d_model);
    }

    // Every expert's weight, apart or in one tensor; bias: a vector of `out` each.
    void need_experts(const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
        if (name.empty()) return;
        std::vector<std::int64_t> shape = bias ? std::vector{out} : std::vector{out, in};
        const formats::StoredTensor* stored = checkpoint_.find(name);
        const bool blocks = stored != nullptr && formats::block_elements(stored->storage) > 1;
        if (!bias && interleaved_ && !blocks) std::swap(shape[0], shape[1]);
        const std::string why = term("experts", facts_.experts.count) + ", each " +
                                term("d_ff", facts_.experts.d_ff) + ", " +
                                term("d_model", facts_.d_model);
        if (name.find('*') != std::string::npos) {
            for (int i = 0; i < facts_.experts.count; ++i) need(expert_name(name, i), shape, why);
        } else {
            shape.insert(shape.begin(), facts_.experts.count);
            need(name, shape, why);
        }
    }

    void need_mixture(const LayerWeights& layer) {
        const std::int64_t d = facts_.d_model, ff = facts_.experts.d_ff;
        const std::int64_t count = facts_.experts.count;
        need(layer.router, {count, d}, term("experts", count) + ", " + term("d_model", d));
        if (!layer.router_bias.empty()) need(layer.router_bias, {count}, term("experts", count));
        need_experts(layer.expert_gate, ff, d, false);
        need_experts(layer.expert_up, ff, d, false);
        need_experts(layer.expert_gate_up, 2 * ff, d, false);
        need_experts(layer.expert_down, d, ff, false);
        need_experts(layer.expert_gate_bias, ff, 1, true);
        need_experts(layer.expert_up_bias, ff, 1, true);
        need_experts(layer.expert_gate_up_bias, 2 * ff, 1, true);
        need_experts(layer.expert_down_bias, d, 1, true);
    }

    std::vector<std::string> used() const { return {used_.begin(), used_.end()}; }

    void use(const std::string& name) { used_.insert(name); }

    // What the file holds beside; a weight inside a layer that has no role here would be left out
    // of the computation.
    std::vector<std::string> unused(const std::string& layer_prefix) const {
        std::vector<std::string> names;
        const auto add = [&](const std::string& name, bool empty) {
            if (used_.contains(name)) return;
            if (!empty && (in_layer(name, layer_prefix) || changes_logits(name)) &&
                !is_buffer(name))
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
    void need_scales(const formats::StoredTensor& tensor) const {
        const bool small = tensor.storage == formats::Storage::F8_E4M3 ||
                           tensor.storage == formats::Storage::F8_E5M2;
        if (small && fp8_ && tensor.scales.data == nullptr)
            throw Error(Failure::Kind::BadFile,
                        "the tensor " + formats::shown(tensor.name) + " is stored as " +
                            formats::name_of(tensor.storage) + ", and its scales, " +
                            formats::shown(tensor.name) + "_scale_inv, are missing",
                        formats::shown(checkpoint_.path, 400));
    }

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
              ".self_attn.rotary_emb.sin_cached", ".attention.bias", ".attention.masked_bias",
              ".attn.bias", ".attn.masked_bias"})
            if (name.ends_with(end)) return true;
        return false;
    }

    // Biases of heads and embeddings, which no family here has.
    static bool changes_logits(std::string_view name) {
        for (const char* other : {"lm_head.bias", "embed_out.bias", "output.bias",
                                  "model.norm.bias", "token_embd_norm.weight"})
            if (name == other) return true;
        return false;
    }

    const Checkpoint& checkpoint_;
    const Facts& facts_;
    bool transposed_, interleaved_, fp8_;
    std::set<std::string> used_;
};

// Keeps the names of what the model has: what stands in one tensor or in several, by the tensors;
// biases as config.json says, or as a GGUF file holds them.
LayerWeights names_of_layer(const WeightNames& names, int i, const Checkpoint& checkpoint,
                            const Facts& facts, const Architecture& architecture) {
    LayerWeights layer = layer_names(names, i);
    const auto clear = [](std::initializer_list<std::string*> fields) {
        for (std::string* field : fields) field->clear();
    };
    if (layer.q.empty() || (!layer.qkv.empty() && checkpoint.has(layer.qkv)))
        clear({&layer.q, &layer.k, &layer.v, &layer.q_bias, &layer.k_bias, &layer.v_bias});
    else
        clear({&layer.qkv, &layer.qkv_bias});
    const bool by_tensor = checkpoint.format == Checkpoint::Format::Gguf;
    const auto keep_if = [&](bool stated, std::initializer_list<std::string*> biases) {
        for (std::string* bias : biases)
            if (by_tensor ? !checkpoint.has(*bias) : !stated) bias->clear();
    };
    keep_if(facts.qkv_bias, {&layer.q_bias, &layer.k_bias, &layer.v_bias, &layer.qkv_bias});
    keep_if(facts.o_bias, {&layer.o_bias});
    keep_if(facts.mlp_bias, {&layer.gate_bias, &layer.up_bias, &layer.down_bias});
    if (facts.has_experts[static_cast<std::size_t>(i)]) {
        clear({&layer.gate, &layer.up, &layer.gate_up, &layer.down, &layer.gate_bias,
               &layer.up_bias, &layer.down_bias});
        for (std::string* bias :
             {&layer.router_bias, &layer.expert_gate_bias, &layer.expert_up_bias,
              &layer.expert_down_bias, &layer.expert_gate_up_bias})
            if (by_tensor && !checkpoint.has(*bias)) bias->clear();
    } else {
        clear({&layer.router, &layer.router_bias, &layer.expert_gate, &layer.expert_up,
               &layer.expert_down, &layer.expert_gate_up, &layer.expert_gate_bias,
               &layer.expert_up_bias, &layer.expert_down_bias, &layer.expert_gate_up_bias});
    }
    if (!architecture.sinks) layer.sinks.clear();
    if (!architecture.gated_mlp) clear({&layer.gate, &layer.gate_bias, &layer.gate_up});
    if (architecture.norm == NormKind::Rms)
        clear({&layer.attention_norm_bias, &layer.mlp_norm_bias});
    if (!architecture.pre_norm) clear({&layer.attention_norm, &layer.mlp_norm});
    if (!architecture.post_norm) clear({&layer.attention_post_norm, &layer.mlp_post_norm});
    if (architecture.qk_norm == QkNorm::None) clear({&layer.q_norm, &layer.k_norm});
    return layer;
}

}  // namespace

void plan_weights(ModelPlan& plan, const Checkpoint& checkpoint, const Facts& facts,
                  const Architecture& architecture) {
    const bool gguf = checkpoint.format == Checkpoint::Format::Gguf;
    const WeightNames names =
        names_in(gguf ? *architecture.gguf_names : *architecture.config_names, checkpoint);
    const std::string d_model = term("d_model", facts.d_model);
    const std::string vocab = term("vocab", facts.vocab) + ", " + d_model;
    Weights weights(checkpoint, facts, plan);
    plan.embedding = names.embedding;
    plan.final_norm = names.final_norm;
    plan.unembedding = facts.tied ? names.embedding : names.unembedding;
    weights.need(plan.embedding, {facts.vocab, facts.d_model}, vocab);
    weights.need(plan.final_norm, {facts.d_model}, d_model);
    if (architecture.norm == NormKind::Layer) {
        plan.final_norm_bias = names.final_norm_bias;
        weights.need(plan.final_norm_bias, {facts.d_model}, d_model);
    }
    if (architecture.learned_positions) {
        plan.position_embedding = names.position_embedding;
        weights.need(plan.position_embedding, {facts.context, facts.d_model},
                     term("context", facts.context) + ", " + d_model);
    }
    if (!facts.tied && !checkpoint.has(plan.unembedding))
        throw Error(
            Failure::Kind::BadFile,
            "the tensor " + plan.unembedding + " is missing, and tie_word_embeddings is not true",
            formats::shown(checkpoint.path, 400));
    weights.need(plan.unembedding, {facts.vocab, facts.d_model}, vocab);
    for (int i = 0; i < facts.layers; ++i) {
        LayerWeights layer = names_of_layer(names, i, checkpoint, facts, architecture);
        weights.need_layer(layer, architecture.qk_norm);
        if (!layer.router.empty()) weights.need_mixture(layer);
        plan.layers.push_back(std::move(layer));
    }
    for (const char* divisors :
         {rope_divisors_name, rope_short_divisors_name, rope_long_divisors_name})
        if (!facts.rope.divisors.empty()) weights.use(divisors);
    plan.used = weights.used();
    plan.unused = weights.unused(names.layer_prefix);
}

}  // namespace engine::families
