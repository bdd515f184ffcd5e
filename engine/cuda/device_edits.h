// SPDX-License-Identifier: GPL-3.0-or-later
// A run's edits where kernels read them. Immutable, shared by forks.
#pragma once
#include <memory>

#include "engine/cache/run_edits.h"
#include "engine/cuda/device_memory.h"

namespace engine::cuda {

class DeviceEdits {
  public:
    // On the current device; waits for it.
    explicit DeviceEdits(std::shared_ptr<const RunEdits>);

    const std::shared_ptr<const RunEdits>& host() const { return host_; }
    kernels::ForbiddenEdges forbidden(Layer) const;  // on the device
    // RunEdits::apply() on the stream: z [rows.count(), Hq · D] of the trace's element.
    void apply(const kernels::TraceView&, Layer, Rows, void* z, cudaStream_t) const;

  private:
    std::shared_ptr<const RunEdits> host_;
    DeviceBuffer ranges_, values_;           // of all layers; of all edits of heads
    std::vector<std::int64_t> first_range_;  // [layers], or empty: none
    std::vector<std::int64_t> first_value_;  // [edits of heads]
};

}  // namespace engine::cuda
