// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/tokenizer/json_fields.h"
#include "engine/tokenizer/pre_tokenizer.h"

namespace engine::tokenizer {

// The "pre_tokenizer" of a tokenizer.json: Split, Digits and ByteLevel, or a Sequence of them that
// ends with ByteLevel. Throws Error(Unsupported) for any other, by name.
std::vector<PreTokenizer::Rule> read_pre_tokenizer(const JsonFields&);

}  // namespace engine::tokenizer
