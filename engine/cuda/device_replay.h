// SPDX-License-Identifier: GPL-3.0-or-later
// ResidualReplay on the device: the residual stream at some rows, computed again from their z. One
// object a request; its memory is the lane's.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/cuda/device_model.h"
#include "engine/cuda/device_run.h"
#include "engine/cuda/view_lane.h"

namespace engine::cuda {

class DeviceReplay {
  public:
    // For at most `rows` rows at a time.
    DeviceReplay(const DeviceModel&, ViewLane&, std::int64_t rows);

    struct Writes {  // all fp32 [rows, d_model] on the device, in the stream's order
        int layer;
        const float* before;  // residual stream that enters the layer
        const float* attention_out;
        const float* mlp_out;
        const float* after;
    };
    // Enqueues layer by layer, each a slice of the lane, and calls visit within it. Returns the
    // stream after the last layer, good until the next call.
    const float* replay(const DeviceRun&, Rows, const std::function<void(const Writes&)>& visit,
                        const std::stop_token& = {});
    // Enqueues one layer's attention output, to [rows, d_model].
    void attention_out(const DeviceRun&, int index, Rows, float* to);
    // Enqueues the logits [rows, vocab] of a stream after the last layer; on the device.
    const float* logits(const float* residual, std::int64_t rows);
    std::vector<float> logits_of(const DeviceRun&, std::int64_t position);  // [vocab]
    // Enqueues q | k | v [rows, (Hq + 2·Hkv) · D] of a stream before a layer, before norm and RoPE.
    const float* qkv(int index, const float* before, std::int64_t rows);

  private:
    // One row by the decode step's products, more by libtorch's.
    void normed_product(const DeviceMatrix&, const float* bias, const float* x, const float* norm,
                        std::int64_t rows, float* to);
    void mlp(const DeviceLayer&, const float* x, std::int64_t rows, float* to);

    const DeviceModel& model_;
    ViewLane& lane_;
    std::int64_t rows_;
    float *before_, *after_, *attention_, *mlp_, *logits_ = nullptr, *qkv_ = nullptr;
    std::byte *z_, *normed_, *gate_up_, *hidden_;  // of the model's element
    std::int32_t* tokens_;
};

}  // namespace engine::cuda
