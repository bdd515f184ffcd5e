// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a tokenizer.json. Each throws Error(Unsupported) for what is not implemented, by
// name, and Error(BadFile) for what is broken.
#pragma once
#include "engine/tokenizer/json_fields.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/token_bytes.h"

namespace engine::tokenizer {

void read_normalizer(const JsonFields&, Normalizer&);

// Of BPE and Unigram; `byte_level`: the pre-tokenizer turns text into byte-level characters.
ModelParts read_model(const JsonFields&, bool byte_level);

void read_decoder(const JsonFields&, TokenBytes&);

// What is put before and after a text.
struct AroundText {
    std::vector<std::uint32_t> before, after;
};
void read_post_processor(const JsonFields&, AroundText&);

}  // namespace engine::tokenizer
