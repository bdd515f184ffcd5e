// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/tokenizer/text_tokenizer.h"

namespace engine::tokenizer {

// The tokenizer that a GGUF's metadata describes. It names a pre-tokenizer instead of carrying its
// pattern; the names known here stand for the rules of the tokenizer.json that they were made from,
// with any other text is cut as for GPT-2, and the tokenizer warns of it. Throws
// Error(BadFile | Unsupported).
TokenizerParts read_gguf_tokenizer(const formats::Metadata&, const std::string& where);

}  // namespace engine::tokenizer
