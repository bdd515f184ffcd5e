// SPDX-License-Identifier: GPL-3.0-or-later
// What either dialect, config.json or GGUF metadata, says of a model, before the weights are looked
// at.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/families/architecture.h"
#include "engine/formats/checkpoint.h"

namespace engine::families {

struct RopeFacts {
    enum class Scaling : std::uint8_t { None, Linear, Llama3, Yarn };
    double theta = 10000;
    int dims = -1;  // of a head that turn, the first ones; -1: all
    Scaling scaling = Scaling::None;
    double factor = 1;
    double original_context = 8192;                              // Llama3, Yarn, long divisors
    double low_frequency_factor = 1, high_frequency_factor = 4;  // Llama3
    double beta_fast = 32, beta_slow = 1;                        // Yarn
    bool truncate = true;                                        // Yarn
    double attention_factor = 1;
    // One a frequency: GGUF's rope_freqs tensor, longrope's short factors; empty: none.
    std::vector<double> divisors;
    std::vector<double> long_divisors;  // of runs longer than original_context; empty: the same
};

struct Facts {
    std::string name;
    int layers = 0, query_heads = 0, kv_heads = 0, head_dim = 0, d_model = 0, d_ff = 0, vocab = 0;
    std::int64_t context = 0;
    double norm_eps = 0;
    Activation activation = Activation::Silu;
    // config.json only; a GGUF file says these by its tensors
    bool qkv_bias = false, o_bias = false, mlp_bias = false, tied = false;
    bool parallel_residual = false;
    double swiglu_limit = 0, swiglu_alpha = 0;
    double soft_cap = 0, final_soft_cap = 0;  // 0: none
    RopeFacts rope;
    std::optional<RopeFacts> local_rope;  // of windowed layers, where they have one of their own
    Experts experts;
    std::vector<bool> has_experts;  // [layers]
    std::vector<int> windows;       // [layers], 0: full
    std::vector<bool> has_rope;     // [layers]; all false where positions are learned
    std::vector<double> scales;     // [layers], of q·k
};

// Of GGUF: llama3's divisors, and longrope's.
inline constexpr const char *rope_divisors_name = "rope_freqs.weight",
                            *rope_short_divisors_name = "rope_factors_short.weight",
                            *rope_long_divisors_name = "rope_factors_long.weight";

// Both throw Error: BadFile for a missing, mistyped or absurd value, Unsupported for a term that is
// not implemented.
Facts facts_of_config(const formats::Checkpoint&, const Architecture&);
Facts facts_of_gguf(const formats::Checkpoint&, const Architecture&);

// What an int field may be: a lying number is refused here, before anything is sized by it.
struct Limits {
    std::int64_t low = 1, high = 1;
};
inline constexpr Limits layer_limits{1, 9999}, head_limits{1, 4096}, head_dim_limits{2, 4096},
    d_model_limits{1, 1 << 20}, d_ff_limits{1, 1 << 22}, vocab_limits{1, 1 << 24},
    expert_limits{0, 1 << 16}, context_limits{1, std::int64_t{1} << 40}, window_limits{1, 1 << 30};

// Throws Error(BadFile) with the key, the value and the limits.
std::int64_t within(std::int64_t value, Limits limits, const std::string& key,
                    const std::string& where);
double positive(double value, const std::string& key, const std::string& where);

// Cross checks of what both dialects say: KV heads divide query heads, rotary dims are whole and
// even. Throws Error(BadFile).
void check_heads(const Facts&, const std::string& where);
// A token uses one expert at least, and no more than there are. Throws Error(BadFile).
void check_experts(const Facts&, const std::string& where);

// How many dims of a head turn.
int rotary_dim(const RopeFacts&, int head_dim);

}  // namespace engine::families
