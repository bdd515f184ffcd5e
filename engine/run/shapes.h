// SPDX-License-Identifier: GPL-3.0-or-later
// Models that are measured without their files: a known model's shape, to be filled with random
// weights. What they generate means nothing; how fast they do, all the same.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model_config.h"
#include "engine/tokenizer/tokenizer.h"

namespace engine {

std::vector<std::string> shape_names();
// Throws BadRequest for a name that is not known.
ModelConfig shape_of(const std::string& name);
// A token a byte of text, whatever the vocabulary's size.
std::shared_ptr<const tokenizer::Tokenizer> shape_tokenizer(const ModelConfig&);

}  // namespace engine
