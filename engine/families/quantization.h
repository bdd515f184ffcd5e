// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/config_reader.h"

namespace engine::families {

// config.json's quantization_config: "fp8" with factors for blocks of 8-bit floats, and gpt-oss'
// "mxfp4", are computed in the numbers that they stand for. Every other method, and every term of
// these two that would change the numbers, is refused by name: throws Error(Unsupported).
void check_quantization(const ConfigReader&, const Architecture&);

// The method, as far as it is one of those: "fp8", "mxfp4"; else empty.
std::string quantization_method(const nlohmann::json& config);

}  // namespace engine::families
