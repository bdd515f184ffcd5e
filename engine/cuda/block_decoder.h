// SPDX-License-Identifier: GPL-3.0-or-later
// The decoder of models that the chain of fused kernels does not know, and of runs with edits:
// libtorch's operations (blocks.h) around this engine's own append and attention, for the rows of a
// prompt and for single steps alike. Owned by the engine thread.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/cuda/blocks.h"
#include "engine/cuda/device_run.h"

namespace engine::cuda {

class BlockDecoder {
  public:
    static constexpr std::int64_t most_rows = 1024;  // of a chunk
    // What libtorch holds of a chunk at once, about.
    static std::int64_t device_bytes(const ModelConfig&);

    BlockDecoder(std::shared_ptr<const DeviceModel>, const Stream&);

    // As Prefill::forward().
    void forward(DeviceRun&, Rows rows, float* logits, std::stop_token,
                 const std::function<void(int layer)>& on_layer);

  private:
    // z [rows, Hq · D] of the element.
    at::Tensor attend(const Blocks&, DeviceRun&, Rows, int index, const at::Tensor& stream);
    // The row that dest_ says.
    void attend_one(const kernels::TraceView&, const kernels::ScoreRule&, void* z);

    std::shared_ptr<const DeviceModel> model_;
    const Stream& stream_;
    DeviceBuffer dest_, step_scratch_;  // of a single row
    std::int32_t splits_ = 0;
    Event layer_done_[2];
};

}  // namespace engine::cuda
