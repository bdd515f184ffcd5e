// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/gguf_pre_tokenizers.h"

#include <algorithm>

#include "engine/tokenizer/pre_tokenizer.h"

namespace engine::tokenizer {
namespace {

// Of Llama 3, and of Qwen 2 with digits one by one.
constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
// o200k of GPT-4o and gpt-oss, and Mistral's Tekken: words by letter case.
constexpr std::string_view gpt4o_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek3_pattern =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view one_digit = R"(\p{N})", three_digits = R"(\p{N}{1,3})";
constexpr std::string_view chinese_and_kana = "[一-龥぀-ゟ゠-ヿ]+";

struct Named {
    std::vector<std::string_view> names;
    GgufPreTokenizer rules;
};

const std::vector<Named>& table() {
    static const std::vector<Named> all{
        {{"gpt-2", "phi-2", "roberta-bpe", "gigachat", "jais", "mellum", "modern-bert"},
         {{byte_level_pattern}}},
        // GPT-NeoX's tokenizer, which normalizes.
        {{"olmo", "mpt"}, {{byte_level_pattern}, true}},
        {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone"},
         {{one_digit, byte_level_pattern}}},
        {{"qwen2", "stablelm2"}, {{qwen2_pattern}, true}},
        {{"deepseek-r1-qwen", "megrez"}, {{qwen2_pattern}}},
        {{"llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral", "lfm2"},
         {{llama3_pattern}, false, true, true}},
        {{"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {{llama3_pattern}}},
        {{"gpt-4o", "llama4"}, {{gpt4o_pattern}}},
        {{"tekken"}, {{tekken_pattern}, false, true, true}},
        {{"deepseek-v3"}, {{three_digits, chinese_and_kana, deepseek3_pattern}}},
    };
    return all;
}

}  // namespace

GgufPreTokenizer gguf_pre_tokenizer(std::string_view name) {
    for (const Named& one : table())
        if (std::find(one.names.begin(), one.names.end(), name) != one.names.end())
            return one.rules;
    GgufPreTokenizer unknown{{byte_level_pattern}};
    unknown.known = false;
    return unknown;
}

}  // namespace engine::tokenizer
