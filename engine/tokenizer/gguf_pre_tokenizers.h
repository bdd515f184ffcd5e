// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

// What a GGUF's tokenizer.ggml.pre stands for: the patterns, one after another, and the switches of
// the tokenizer.json that the name was given for.
struct GgufPreTokenizer {
    std::vector<std::string_view> patterns;
    bool nfc = false;
    bool ignore_merges = false;
    bool adds_bos = false;  // where the metadata does not say
    bool known = true;      // else GPT-2's patterns, and ids may differ from the model's own
};

GgufPreTokenizer gguf_pre_tokenizer(std::string_view name);

}  // namespace engine::tokenizer
