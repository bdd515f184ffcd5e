// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints of tests/data/make_families.py: which files there are of each, and how each of
// its layers attends.
#pragma once
#include <string>
#include <vector>

struct FamilyFixture {
    const char* name;
    std::vector<std::string> attention;  // a layer
    bool gguf = true, v4 = true;
};

inline const std::vector<FamilyFixture>& family_fixtures() {
    static const std::string full = "full", gemma2[] = {"window 6, cap 8", "full, cap 8"};
    static const std::vector<FamilyFixture> all{
        {"tiny_qwen2", {full, full, "window 6"}, false},
        {"tiny_qwen2_full", {full, full}, true, false},
        {"tiny_mistral", {"window 5", "window 5"}, false},
        {"tiny_llama_linear", {full, full}, false},
        {"tiny_llama_yarn", {full, full}},
        {"tiny_llama_dynamic", {full, full}, false},
        {"tiny_smollm3", {full, full, full, "full, no RoPE"}},
        {"tiny_gemma2", {gemma2[0], gemma2[1], gemma2[0], gemma2[1]}},
        {"tiny_gemma3", {"window 6", "window 6", full, "window 6"}},
        {"tiny_olmo2", {full, full}},
        {"tiny_phi3", {"window 7", "window 7"}},
        {"tiny_phi3_long", {"window 7", "window 7"}},
        {"tiny_gpt_neox", {full, full}},
        {"tiny_gpt_neox_sequential", {full, full}},
        {"tiny_gpt2", {full, full}, true, false},
        {"tiny_gpt2_scaled", {full, full, full}, false, false},
        {"tiny_mixtral", {full, full}},
        {"tiny_qwen3_fp8", {full, full}, false, false},
        {"tiny_qwen3_moe", {full, full}, true, false},
        {"tiny_qwen3_moe_mixed", {full, full, full, full}, false, false},
        {"tiny_gpt_oss", {"window 6, sinks", "full, sinks"}},
    };
    return all;
}
