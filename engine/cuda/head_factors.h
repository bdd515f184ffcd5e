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

class HeadFactors {
  public:
    explicit HeadFactors(std::shared_ptr<const DeviceModel>);

    // [L, Hq, D, D] on the device.
    const float* r(ViewLane&) const;
    const float* r(ViewLane& lane, int layer) const {
        return r(lane) + layer * heads_ * dim_ * dim_;
    }

    struct Direction {
        DeviceBuffer u;  // [d_model]: γ ⊙ (W_U[token] − W_U[distractor])
        DeviceBuffer p;  // [L, Hq, D]: W_O_hᵀ u
        const float* of_layer(std::int64_t layer, std::int64_t columns) const {
            return p.as<float>() + layer * columns;
        }
    };
    std::shared_ptr<const Direction> direction(ViewLane&, const Target&) const;

    // Of the newest targets and R: what may be taken of the device's memory.
    static std::int64_t most_bytes(const ModelConfig&);

  private:
    std::shared_ptr<const DeviceModel> model_;
    std::int64_t heads_, dim_;
    mutable std::mutex mutex_;
    mutable DeviceBuffer r_;
    mutable std::map<Target, std::shared_ptr<const Direction>> directions_;
};

}  // namespace engine::cuda
