// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/tokenizer/text_tokenizer.h"

namespace engine::tokenizer {

// What a parsed tokenizer.json describes: BPE or Unigram with the pre-tokenizers, normalizers,
// post-processors and decoders that are implemented. Everything else that would change ids is
// refused by name. "truncation" and "padding" are how training batches were cut: they do not apply
// to a prompt, as in Hugging Face's own generation. Throws Error(BadFile | Unsupported).
TokenizerParts read_tokenizer_json(const nlohmann::json&, const std::string& where);

// tokenizer.json of a model's folder, with the chat template and the end tokens of the files beside
// it.
TokenizerParts read_tokenizer_folder(const std::string& folder, const nlohmann::json* config);

}  // namespace engine::tokenizer
