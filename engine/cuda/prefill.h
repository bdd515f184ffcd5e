// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt's rows, a chunk at a time: libtorch's products with own kernels between them, writing k,
// v, q, z and lse into the run's pages. Owned by the engine thread.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/cuda/device_model.h"
#include "engine/cuda/device_run.h"

namespace engine::cuda {

class Prefill {
  public:
    static constexpr std::int64_t most_rows = 8192;  // of a chunk
    static std::int64_t device_bytes(const ModelConfig&, kernels::Element);

    Prefill(std::shared_ptr<const DeviceModel>, const Stream&);

    // Computes rows [begin, end) of the run, whose pages exist, and their final scales, then the
    // newest row's logits [vocab] unless logits is null. on_layer(layer) is called between layers,
    // at most two ahead of the device, and stop is seen there: on Cancelled the rows may be
    // computed again. The device is through with it on return and on throw. Does not publish.
    void forward(DeviceRun&, Rows rows, float* logits, std::stop_token,
                 const std::function<void(int layer)>& on_layer);

  private:
    void enqueue_layer(DeviceRun&, Rows, std::size_t index);

    std::shared_ptr<const DeviceModel> model_;
    const Stream& stream_;
    kernels::Element element_;
    DeviceBuffer tokens_, residual_, normed_, qkv_, z_, gate_up_, gated_;
    Event layer_done_[2];
};

}  // namespace engine::cuda
