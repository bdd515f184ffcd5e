// SPDX-License-Identifier: GPL-3.0-or-later
// The GGUF dialect: metadata under the architecture's name, biases, tying and llama3's frequencies
// told by tensors.
#include <filesystem>

#include "engine/families/facts.h"
#include "engine/families/refused_terms.h"
#include "engine/formats/gguf_quants.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using formats::Checkpoint;

class GgufReader {
  public:
    GgufReader(const Checkpoint& checkpoint, const Architecture& architecture)
        : checkpoint_(checkpoint),
          prefix_(std::string(architecture.name) + "."),
          where_(formats::shown(checkpoint.path, 400)) {}

    std::string key(const char* name) const { return prefix_ + name; }
    const std::string& where() const { return where_; }
    const formats::Metadata& metadata() const { return checkpoint_.metadata; }

    // A list with one number a layer is taken when they are all the same.
    std::int64_t integer(const char* name, Limits limits) const {
        const std::string full = key(name);
        const auto* value = metadata().find(full);
        const auto* list = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
        if (list && !list->empty()) {
            for (const std::int64_t number : *list)
                if (number != list->front())
                    throw Error(Failure::Kind::Unsupported,
                                full + " differs between layers (" + std::to_string(list->front()) +
                                    ", " + std::to_string(number) + "), which is not implemented",
                                where_);
            return within(list->front(), limits, full, where_);
        }
        return within(metadata().integer(full), limits, full, where_);
    }
    std::int64_t integer_or(const char* name, std::int64_t otherwise, Limits limits) const {
        return metadata().has(key(name)) ? integer(name, limits) : otherwise;
    }
    double number_or(const char* name, double otherwise) const {
        return positive(metadata().number_or(key(name), otherwise), key(name), where_);
    }

  private:
    const Checkpoint& checkpoint_;
    std::string prefix_, where_;
};

int head_dim_of(const GgufReader& gguf, const Facts& facts) {
    std::int64_t head_dim = facts.d_model / facts.query_heads;
    if (gguf.metadata().has(gguf.key("attention.key_length")))
        head_dim = gguf.integer("attention.key_length", head_dim_limits);
    else if (facts.d_model % facts.query_heads != 0)
        throw Error(Failure::Kind::BadFile,
                    "embedding_length " + std::to_string(facts.d_model) + " does not divide into " +
                        std::to_string(facts.query_heads) + " heads",
                    gguf.where());
    within(head_dim, head_dim_limits, "head_dim", gguf.where());
    for (const char* same : {"attention.value_length", "rope.dimension_count"})
        if (const auto other = gguf.integer_or(same, head_dim, head_dim_limits); other != head_dim)
            throw Error(Failure::Kind::Unsupported,
                        gguf.key(same) + " is " + std::to_string(other) + ", the head_dim is " +
                            std::to_string(head_dim) + ": different ones are not implemented",
                        gguf.where());
    return static_cast<int>(head_dim);
}

// llama3's scaling comes as a tensor of divisors, one a frequency.
std::vector<double> frequency_divisors(const Checkpoint& checkpoint, const GgufReader& gguf,
                                       int pairs) {
    for (const char* name : {"rope_factors_long.weight", "rope_factors_short.weight"})
        if (checkpoint.has(name))
            throw Error(Failure::Kind::Unsupported,
                        std::string("the tensor ") + name + " (longrope) is not implemented",
                        gguf.where());
    const char* name = rope_divisors_name;
    if (!checkpoint.has(name)) return {};
    const formats::StoredTensor& tensor = checkpoint.at(name);
    if (tensor.shape != std::vector<std::int64_t>{pairs})
        throw Error(Failure::Kind::BadFile,
                    std::string(name) + " is " + formats::shape_text(tensor.shape) +
                        ", the head_dim needs [" + std::to_string(pairs) + "]",
                    gguf.where());
    std::vector<float> values(static_cast<std::size_t>(pairs));
    formats::decode(tensor.storage, tensor.data, values.data(), pairs);
    for (const float value : values) positive(value, name, gguf.where());
    return {values.begin(), values.end()};
}

RopeFacts rope_of(const Checkpoint& checkpoint, const GgufReader& gguf, int head_dim) {
    RopeFacts rope;
    rope.theta = gguf.number_or("rope.freq_base", rope.theta);
    // As llama.cpp reads it: without a type the scaling is linear, without a factor it is 1.
    const std::string type = gguf.metadata().text_or(gguf.key("rope.scaling.type"), "linear");
    if (type == "linear") {
        rope.factor = gguf.number_or("rope.scaling.factor", gguf.number_or("rope.scale_linear", 1));
        if (rope.factor != 1) rope.scaling = RopeFacts::Scaling::Linear;
    } else if (type != "none") {
        throw Error(Failure::Kind::Unsupported,
                    "RoPE scaling \"" + formats::shown(type) + "\" is not implemented",
                    gguf.where(),
                    "implemented are none, linear and the rope_freqs tensor of llama3");
    }
    rope.divisors = frequency_divisors(checkpoint, gguf, head_dim / 2);
    return rope;
}

// Without the key, the embedding's rows; they are checked against it in any case.
int vocab_of(const Checkpoint& checkpoint, const GgufReader& gguf) {
    const std::int64_t rows = checkpoint.at("token_embd.weight").rows();
    return static_cast<int>(within(gguf.integer_or("vocab_size", rows, vocab_limits), vocab_limits,
                                   "vocab_size", gguf.where()));
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
    facts.head_dim = head_dim_of(gguf, facts);
    const std::string eps = gguf.key("attention.layer_norm_rms_epsilon");
    facts.norm_eps = positive(checkpoint.metadata.number(eps), eps, gguf.where());
    facts.rope = rope_of(checkpoint, gguf, facts.head_dim);
    facts.windows.assign(static_cast<std::size_t>(facts.layers), 0);
    facts.tied = !checkpoint.has("output.weight");
    check_heads(facts, gguf.where());
    return facts;
}

}  // namespace engine::families
