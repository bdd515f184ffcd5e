// SPDX-License-Identifier: GPL-3.0-or-later
// RoPE as llama.cpp's metadata states it: the scaling of llama3 and of longrope comes as tensors of
// divisors, one a frequency; yarn's attention factor is a part of the recipe.
#include "engine/families/gguf_rope.h"

#include <cmath>

#include "engine/formats/gguf_quants.h"
#include "engine/values/failure.h"

namespace engine::families {
namespace {

using formats::Checkpoint;

std::vector<double> divisors(const Checkpoint& checkpoint, const char* name, int pairs,
                             const std::string& where) {
    if (!checkpoint.has(name)) return {};
    const formats::StoredTensor& tensor = checkpoint.at(name);
    if (tensor.shape != std::vector<std::int64_t>{pairs})
        throw Error(Failure::Kind::BadFile,
                    std::string(name) + " is " + formats::shape_text(tensor.shape) +
                        ", the rotary dims need [" + std::to_string(pairs) + "]",
                    where);
    std::vector<float> values(static_cast<std::size_t>(pairs));
    formats::decode(tensor.storage, tensor.data, values.data(), pairs);
    for (const float value : values) positive(value, name, where);
    return {values.begin(), values.end()};
}

void read_longrope(const GgufReader& gguf, const Checkpoint& checkpoint, RopeFacts& rope,
                   int pairs) {
    rope.divisors = divisors(checkpoint, rope_short_divisors_name, pairs, gguf.where());
    rope.long_divisors = divisors(checkpoint, rope_long_divisors_name, pairs, gguf.where());
    if (rope.divisors.empty() || rope.long_divisors.empty())
        throw Error(Failure::Kind::BadFile,
                    "longrope needs both " + std::string(rope_short_divisors_name) + " and " +
                        rope_long_divisors_name,
                    gguf.where());
    rope.attention_factor = gguf.number_or("rope.scaling.attn_factor", 1);
}

void read_yarn(const GgufReader& gguf, const Architecture& architecture, RopeFacts& rope) {
    rope.scaling = RopeFacts::Scaling::Yarn;
    rope.factor = gguf.number_or("rope.scaling.factor", 1);
    rope.truncate = architecture.yarn_truncate;
    rope.beta_fast = gguf.number_or("rope.scaling.yarn_beta_fast", 32);
    rope.beta_slow = gguf.number_or("rope.scaling.yarn_beta_slow", 1);
    rope.attention_factor = (rope.factor > 1 ? 1 + 0.1 * std::log(rope.factor) : 1) *
                            gguf.number_or("rope.scaling.attn_factor", 1);
}

}  // namespace

void read_rope(const GgufReader& gguf, const Checkpoint& checkpoint,
               const Architecture& architecture, Facts& facts) {
    RopeFacts rope;
    rope.theta = gguf.number_or("rope.freq_base", architecture.default_theta);
    rope.dims = static_cast<int>(
        gguf.integer_or("rope.dimension_count", facts.head_dim, {2, facts.head_dim}));
    rope.original_context = static_cast<double>(
        gguf.integer_or("rope.scaling.original_context_length", facts.context, context_limits));
    const int pairs = rotary_dim(rope, facts.head_dim) / 2;
    // As llama.cpp reads it: without a type the scaling is linear, without a factor it is 1.
    const bool longrope =
        checkpoint.has(rope_short_divisors_name) || checkpoint.has(rope_long_divisors_name);
    const std::string type =
        gguf.metadata().text_or(gguf.key("rope.scaling.type"), longrope ? "longrope" : "linear");
    if (longrope && (type == "longrope" || type == "none" || type == "linear")) {
        read_longrope(gguf, checkpoint, rope, pairs);
    } else if (type == "linear") {
        rope.factor = gguf.number_or("rope.scaling.factor", gguf.number_or("rope.scale_linear", 1));
        if (rope.factor != 1) rope.scaling = RopeFacts::Scaling::Linear;
    } else if (type == "yarn") {
        read_yarn(gguf, architecture, rope);
    } else if (type != "none") {
        throw Error(Failure::Kind::Unsupported,
                    "RoPE scaling \"" + formats::shown(type) + "\" is not implemented",
                    gguf.where(),
                    "implemented are none, linear, yarn, longrope and the rope_freqs tensor of "
                    "llama3");
    }
    if (rope.divisors.empty())
        rope.divisors = divisors(checkpoint, rope_divisors_name, pairs, gguf.where());
    if (architecture.local_theta > 0) {
        RopeFacts local;
        local.theta = gguf.number_or("rope.freq_base_swa", architecture.local_theta);
        local.dims = rope.dims;
        facts.local_rope = local;
    }
    facts.rope = std::move(rope);
}

}  // namespace engine::families
