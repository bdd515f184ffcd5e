// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors that `headscope dump` writes, a chunk of rows at a time, from the device.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "engine/analysis/tensor_names.h"
#include "engine/cuda/reader_writes.h"

namespace engine::cuda {

class ReaderTensors {
  public:
    ReaderTensors(std::shared_ptr<const DeviceModel>, const HeadFactors&, const ReaderTiles&,
                  const ReaderWrites&);

    NamedTensor read(ViewLane&, const DeviceRun&, const TensorName&, Rows) const;

  private:
    struct Streams;  // residual, attention_out, mlp_out of all layers for one chunk of rows
    std::shared_ptr<const Streams> streams(ViewLane&, const DeviceRun&, Rows) const;
    std::vector<float> values(ViewLane&, const DeviceRun&, const TensorName&, const TensorPlan&,
                              Rows) const;
    static std::vector<float> section(ViewLane&, const kernels::TraceView&, std::int64_t offset,
                                      std::int32_t heads, Rows);
    std::vector<float> exact(ViewLane&, const DeviceRun&, int layer, Rows, bool scores) const;
    std::vector<float> head_writes(ViewLane&, const DeviceRun&, int layer, Rows) const;
    std::vector<float> norms(ViewLane&, const DeviceRun&, int layer, Rows) const;
    std::vector<float> lengths(ViewLane&, const DeviceRun&, int layer, Rows) const;
    std::vector<float> attributions(ViewLane&, const DeviceRun&, const TensorName&, Rows) const;
    std::vector<float> logits(ViewLane&, const DeviceRun&, Rows) const;
    std::vector<float> qkv(ViewLane&, const DeviceRun&, int layer, Rows) const;

    std::shared_ptr<const DeviceModel> model_;
    const HeadFactors& factors_;
    const ReaderTiles& tiles_;
    const ReaderWrites& writes_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const Streams> streams_;  // of the newest chunk, for the next name
};

}  // namespace engine::cuda
