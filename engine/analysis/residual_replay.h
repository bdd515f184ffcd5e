// SPDX-License-Identifier: GPL-3.0-or-later
// The residual stream at some rows, computed again from their z: a decode step's products without
// attention. Nothing of it is kept in the trace. One object a thread; the model is shared.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/cache/run_trace.h"
#include "engine/model/model.h"
#include "kernels/parallel.h"

namespace engine {

// Copies z of rows [begin, end) of one layer to [rows, Hq · D].
void gather_z(const kernels::TraceView&, Rows, float* to);

class ResidualReplay {
  public:
    ResidualReplay(std::shared_ptr<const Model>, kernels::Parallel);

    struct Writes {  // all [rows, d_model], valid during the call
        int layer;
        const float* before;           // residual stream that enters the layer
        const float* attention_out;    // before any post-norm: what the heads' writes sum to
        const float* mlp_out;          // likewise
        const float* attention_write;  // what the stream gets of it; the same without post-norms
        const float* mlp_write;
        const float* after;
    };
    // Calls visit for each layer in order; returns the stream after the last [rows, d_model], valid
    // until the next call.
    const float* replay(const RunTrace&, Rows, const std::function<void(const Writes&)>& visit);
    // The logits [rows, vocab] of a stream after the last layer, with or without the final cap.
    void logits(const float* residual, std::int64_t rows, float* to, bool capped = true);
    std::vector<float> logits_of(const RunTrace&, std::int64_t position);  // [vocab]

  private:
    std::shared_ptr<const Model> model_;
    kernels::Parallel parallel_;
    PanelScratch panel_;
    // *_write_: empty without post-norms
    std::vector<float> before_, after_, z_, attention_, mlp_, normed_, hidden_;
    std::vector<float> attention_write_, mlp_write_;
    std::vector<std::int32_t> tokens_;
};

}  // namespace engine
