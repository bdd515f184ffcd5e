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
        const float* before;           // residual stream that enters the layer
        const float* attention_out;    // before any post-norm: what the heads' writes sum to
        const float* mlp_out;          // likewise
        const float* attention_write;  // what the stream gets of it; the same without post-norms
        const float* mlp_write;
        const float* after;
    };
    // Enqueues layer by layer, each a slice of the lane, and calls visit within it. Returns the
    // stream after the last layer, good until the next call.
    const float* replay(const DeviceRun&, Rows, const std::function<void(const Writes&)>& visit,
                        const std::stop_token& = {});
    // Enqueues one layer's attention output, to [rows, d_model].
    void attention_out(const DeviceRun&, int index, Rows, float* to);
    // Enqueues the logits [rows, vocab] of a stream after the last layer, with or without the final
    // cap; on the device.
    const float* logits(const float* residual, std::int64_t rows, bool capped = true);
    std::vector<float> logits_of(const DeviceRun&, std::int64_t position);  // [vocab]
    // Enqueues q | k | v [rows, (Hq + 2·Hkv) · D] of a stream before a layer, before norms of q and
    // k and RoPE.
    const float* qkv(int index, const float* before, std::int64_t rows);

  private:
    // One row by the decode step's products, more by libtorch's.
    void normed_product(const DeviceMatrix&, const float* bias, const float* x, const float* norm,
                        std::int64_t rows, float* to);
    void mlp(const DeviceLayer&, const float* x, std::int64_t rows, float* to);
    // device_replay_blocks.cpp: the same of a model that the fused kernels do not know.
    bool by_blocks() const { return !model_.by_blocks.empty(); }
    const float* replay_blocks(const DeviceRun&, Rows rows,
                               const std::function<void(const Writes&)>& visit,
                               const std::stop_token&);
    void attention_out_blocks(const DeviceLayer&, std::int64_t rows, float* to);
    void logits_blocks(const float* residual, std::int64_t rows, bool capped);
    void qkv_blocks(const DeviceLayer&, const float* before, std::int64_t rows);

    const DeviceModel& model_;
    ViewLane& lane_;
    std::int64_t rows_;
    float *before_, *after_, *attention_, *mlp_, *logits_ = nullptr, *qkv_ = nullptr;
    std::byte* z_;                            // of the model's element
    std::byte *normed_, *gate_up_, *hidden_;  // likewise, not by blocks
    std::int32_t* tokens_;
};

}  // namespace engine::cuda
