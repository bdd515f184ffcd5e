// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors that `headscope dump` writes, a chunk of rows at a time.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "engine/analysis/head_projections.h"
#include "engine/analysis/residual_replay.h"
#include "engine/analysis/tensor_names.h"
#include "engine/trace_reader.h"

namespace engine {

class NamedTensors {
  public:
    NamedTensors(std::shared_ptr<const Model>, std::shared_ptr<const HeadProjections>,
                 kernels::Parallel);

    // Throws as plan_tensor().
    NamedTensor read(std::shared_ptr<const RunTrace>, const TensorName&, Rows);

  private:
    struct Streams;  // residual, attention_out, mlp_out of all layers for one chunk of rows
    const Streams& streams(const RunTrace&, Rows);
    std::vector<float> values(const RunTrace&, const TensorName&, const TensorPlan&, Rows);
    std::vector<float> qkv(const RunTrace&, int layer, Rows);
    std::vector<float> attribution(const RunTrace&, const TensorName&, Rows);
    std::vector<float> contribution_rows(const RunTrace&, int layer, Rows, bool norms);

    std::shared_ptr<const Model> model_;
    std::shared_ptr<const HeadProjections> projections_;
    kernels::Parallel parallel_;
    std::mutex
        mutex_;  // one reader at a time: the streams of the newest chunk are kept for the next name
    ResidualReplay replay_;
    std::shared_ptr<const Streams> streams_;
};

}  // namespace engine
