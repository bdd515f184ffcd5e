// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles, exact rows and the head table from a run's pages on the device, cut to launches.
#pragma once
#include <atomic>
#include <stop_token>

#include "engine/cuda/device_run.h"
#include "engine/cuda/head_factors.h"
#include "engine/values/metrics.h"
#include "engine/values/tile.h"
#include "kernels/cuda/pattern.h"

namespace engine::cuda {

// (dest, src) pairs with src ≤ dest of a rectangle, at least 1; windows make it less.
double visible_cells(Rows dest, Rows src);

// How fast a kind of work goes on this device, learnt from its launches, so that the next are as
// long as they should be. Any thread.
class WorkRate {
  public:
    // Work of the next launch; a launch shall take some milliseconds.
    double launch_work() const;
    void learn(double work, double seconds);

  private:
    std::atomic<double> rate_ = 5e12;  // multiply-adds a second; a slow card's, at first
};

class ReaderTiles {
  public:
    ReaderTiles(std::shared_ptr<const DeviceModel>, const HeadFactors&);

    Tile tile(ViewLane&, const DeviceRunTable&, const TileRequest&, const std::stop_token&) const;
    HeadTable metrics(ViewLane&, const DeviceRun&, const MetricsRequest&,
                      const std::stop_token&) const;
    // Scores or patterns of rows × [0, src_end) of all heads of a layer, on the device in the
    // lane's scratch: [Hq, rows, src_end].
    const float* exact_rows(ViewLane&, const DeviceRun&, Layer, Rows, std::int64_t src_end,
                            bool scores) const;

  private:
    kernels::TileHead head_of(const DeviceRun&, std::int64_t rows, LayerHead) const;
    // Dots with the direction where there is one, else lengths.
    const float* column_weight(ViewLane&, const DeviceRun&, std::int64_t rows, LayerHead, Rows src,
                               const HeadFactors::Direction*) const;
    // What a row's cells are multiplied by beside their column weight, [rows] index dest: what the
    // run's edits leave of the head and the scales of the norms that it goes through, or null.
    static const float* row_weight(ViewLane&, const DeviceRun&, std::int64_t rows, LayerHead,
                                   bool attribution);
    static const float* norm_weight(ViewLane&, const DeviceRun&, std::int64_t rows, Layer,
                                    bool attribution);
    // What makes 1 of each row's sources from 1 on, for rows [dest.begin, dest.end): [heads][end],
    // index dest, on the device. Their traces and rows are set.
    const float* row_weights_without_first(ViewLane&, std::vector<kernels::TileHead>, Rows dest,
                                           const std::stop_token&) const;
    void launch(ViewLane&, const kernels::cuda::TileArgs&, double work_of_head,
                const std::stop_token&) const;

    std::shared_ptr<const DeviceModel> model_;
    const HeadFactors& factors_;
    mutable WorkRate plain_, general_, metrics_;
};

}  // namespace engine::cuda
