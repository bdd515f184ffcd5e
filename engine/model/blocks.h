// SPDX-License-Identifier: GPL-3.0-or-later
// What goes into a layer's blocks and what of their output enters the residual stream, in the
// model's own order of norms and sums: shared by the decoder and the recomputed stream.
#pragma once
#include <cstdint>

#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// What attention, or the MLP, reads of the stream [rows, d_model]: normed into `normed`, or the
// stream itself.
const float* attention_input(const ModelConfig&, const DecoderLayer&, const float* stream,
                             float* normed, std::int64_t rows, const kernels::Parallel&);
const float* mlp_input(const ModelConfig&, const DecoderLayer&, const float* stream, float* normed,
                       std::int64_t rows, const kernels::Parallel&);

// A model with post-norms: out [rows, d_model] through the norm behind the block, in place. scales
// [rows], if not null: what the norm multiplied by beside its weight, frozen for attributions.
void apply_post_norm(const ModelConfig&, const std::vector<float>& weight, float* out,
                     std::int64_t rows, float* scales, const kernels::Parallel&);

// Logits [rows, vocab] of the stream after the last layer. capped: through the model's final soft
// cap, if it has one. `normed` [rows, d_model] is scratch.
void logits_of(const Model&, const float* stream, std::int64_t rows, bool capped, float* normed,
               float* to, PanelScratch&, const kernels::Parallel&);

}  // namespace engine
