// SPDX-License-Identifier: GPL-3.0-or-later
// The one decoder. Runs rows of a run through all layers, writing k, v, q, z and lse into the run's
// pages. Owned by the engine thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/cache/run_trace.h"
#include "engine/model/model.h"
#include "engine/model/rope_table.h"
#include "kernels/parallel.h"

namespace engine {

class Decoder {
  public:
    Decoder(std::shared_ptr<const Model>, kernels::Parallel);

    // Computes rows [begin, end) of the run, whose tokens are set and whose pages exist, then
    // writes the newest row's logits [vocab] unless logits is null. on_layer(layer) is called
    // before each layer, and stop is seen there: on Cancelled the rows are not published and may be
    // computed again. Does not publish.
    void forward(RunTrace&, Rows rows, float* logits, std::stop_token,
                 const std::function<void(int layer)>& on_layer);

  private:
    // Attention of one layer on its input [rows, d_model]: z_, and q, k, v, z, lse in the pages.
    void attend(RunTrace&, Rows rows, int index, const float* input);
    // stream += the block's matrix of x, through the norm behind the block if there is one.
    void write(const std::function<void(float* to, bool accumulate)>& block,
               const std::vector<float>& post_norm, std::int64_t rows, float* scales);

    std::shared_ptr<const Model> model_;
    kernels::Parallel parallel_;
    RopeTable rope_;
    PanelScratch panel_;
    std::vector<float> residual_, normed_, qkv_, z_, out_, hidden_, attend_scratch_;
    std::vector<std::int32_t> tokens_;
};

}  // namespace engine
