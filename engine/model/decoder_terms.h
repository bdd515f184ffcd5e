// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/model/model_config.h"

namespace engine {

// The first term of a model that a decoder for RMS norms before gated SiLU blocks lacks, in the
// user's words; empty: none. What a chain of kernels for that shape asks before it takes a model: a
// term that is left out would draw a wrong pattern.
std::string term_beyond_llama(const ModelConfig&);

}  // namespace engine
