// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of a folder that config.json's quantization_config spreads over two tensors, put together
// again. Which quantizations a family is read with, it says itself.
#pragma once
#include "engine/formats/checkpoint.h"

namespace engine::formats {

// quant_method "fp8": a matrix X of 8-bit floats [out, in] takes X_scale_inv as its factors, one
// for each weight_block_size, or one for all of it where that is null. "mxfp4": X_blocks [experts,
// out, in / 32, 16] and X_scales [experts, out, in / 32] of U8 become X [experts, out, in]. What
// has no partner stays as it is. Throws Error(BadFile) with both shapes where they do not fit.
void join_quantized_tensors(Checkpoint&, const std::string& where);

}  // namespace engine::formats
