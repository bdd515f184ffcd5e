// SPDX-License-Identifier: GPL-3.0-or-later
// HeadProjections on the device: R_h of all heads of all layers, and p_h of all heads for a target.
// Made when first asked for, in one go, and kept; any thread.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "engine/analysis/requests.h"
#include "engine/cuda/device_model.h"
#include "engine/cuda/view_lane.h"
#include "kernels/cuda/projections.h"

namespace engine::cuda {

kernels::cuda::OutputProjection output_projection(const DeviceModel&, int layer);
// The same as the residual stream gets it: where a norm stands behind attention, its weight
// multiplies; what it divides by is a factor a row (DeviceRun::attention_scales).
class WrittenProjections {
  public:
    WrittenProjections(const DeviceModel&, ViewLane&);
    // On the lane's stream, good until the next call.
    kernels::cuda::OutputProjection of(int layer) const;

  private:
    const DeviceModel& model_;
    cudaStream_t stream_;
    float* weighted_ = nullptr;  // in the lane's scratch, with post-norms
};
// γ ⊙ (W_U[token] − W_U[distractor]) to u [d_model], of a LayerNorm less its mean: what a frozen
// final norm leaves of it.
void target_direction(const DeviceModel&, const Target&, float* u, cudaStream_t);

class HeadFactors {
  public:
    explicit HeadFactors(std::shared_ptr<const DeviceModel>);

    // [L, Hq, D, D] on the device.
    const float* r(ViewLane&) const;
    const float* r(ViewLane& lane, int layer) const {
        return r(lane) + layer * heads_ * dim_ * dim_;
    }

    struct Direction {
        DeviceBuffer u;  // [d_model]: target_direction()
        DeviceBuffer p;  // [L, Hq, D]: W_O_hᵀ u, of the written_projection()
        float bias = 0;  // what the final norm's own bias adds to the target's logit
        const float* of_layer(std::int64_t layer, std::int64_t columns) const {
            return p.as<float>() + layer * columns;
        }
    };
    std::shared_ptr<const Direction> direction(ViewLane&, const Target&) const;

    // Of the newest targets and R: what may be taken of the device's memory.
    static std::int64_t most_bytes(const ModelConfig&);

  private:
    // made.u is there.
    void turn_at_once(ViewLane&, Direction& made) const;
    void turn_layer_by_layer(ViewLane&, Direction& made) const;
    float bias_of(ViewLane&, const Target&) const;

    std::shared_ptr<const DeviceModel> model_;
    std::int64_t heads_, dim_;
    mutable std::mutex mutex_;
    mutable DeviceBuffer r_;
    mutable std::map<Target, std::shared_ptr<const Direction>> directions_;
};

}  // namespace engine::cuda
