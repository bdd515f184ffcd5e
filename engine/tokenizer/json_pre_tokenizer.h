// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/tokenizer/json_fields.h"
#include "engine/tokenizer/pre_tokenizer.h"

namespace engine::tokenizer {

struct PreTokenizerRules {
    std::vector<PreTokenizer::Rule> rules;
    bool byte_level = false;  // pieces are bytes to the model, else characters
};

// The "pre_tokenizer" of a tokenizer.json. Throws Error(Unsupported) for one that is not
// implemented, by name.
PreTokenizerRules read_pre_tokenizer(const JsonFields&);

}  // namespace engine::tokenizer
