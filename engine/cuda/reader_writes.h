// SPDX-License-Identifier: GPL-3.0-or-later
// What heads, MLPs and the embedding write at a position, and the invariants, on the device.
#pragma once
#include <vector>

#include "engine/analysis/findings.h"
#include "engine/cuda/device_replay.h"
#include "engine/cuda/reader_tiles.h"
#include "engine/values/contribution.h"

namespace engine::cuda {

class ReaderWrites {
  public:
    ReaderWrites(std::shared_ptr<const DeviceModel>, const HeadFactors&, const ReaderTiles&);

    ContributionTable contributions(ViewLane&, const DeviceRun&, const ContributionRequest&) const;
    // Logits of one row: those the run had where they are kept, else of its stream computed again.
    std::vector<float> row_logits(ViewLane&, const DeviceRun&, std::int64_t position) const;
    CheckReport checks(ViewLane&, const DeviceRun&, Layer) const;
    // z_h · W_O_hᵀ of every head of a layer for rows: [rows, Hq, d_model], in the lane's scratch.
    const float* head_writes(ViewLane&, const DeviceRun&, int layer, Rows) const;

  private:
    const float* head_writes(ViewLane&, int layer, const float* z, std::int64_t rows) const;

    std::shared_ptr<const DeviceModel> model_;
    const HeadFactors& factors_;
    const ReaderTiles& tiles_;
};

}  // namespace engine::cuda
