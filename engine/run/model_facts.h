// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/family.h"
#include "engine/formats/checkpoint.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/values/model_info.h"

namespace engine {

// What is known of a model from its headers. Memory and device are the CPU's.
ModelInfo info_of(const formats::Checkpoint&, const families::ModelPlan&, std::int64_t page_tokens);

void add_tokenizer(const tokenizer::Tokenizer&, ModelInfo&);

// Throws BadRequest where a page of the trace cannot hold so many tokens.
void check_page_tokens(std::int64_t page_tokens);

}  // namespace engine
