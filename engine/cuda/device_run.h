// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose pages lie on a device: the host's account of it (RunTrace) and the tables that
// kernels read. The engine thread writes; any thread reads what is published, on any stream: rows
// are published only when the device has written them.
#pragma once
#include <memory>

#include "engine/cache/run_table.h"
#include "engine/cuda/device_edits.h"
#include "engine/cuda/device_model.h"

namespace engine::cuda {

class DeviceRun {
  public:
    DeviceRun(RunId, std::shared_ptr<PagePool>, std::shared_ptr<const TraceLayout>,
              std::int64_t capacity);

    // Any thread.
    RunId id() const { return trace_.id(); }
    std::int64_t capacity() const { return trace_.capacity(); }
    std::int64_t rows() const { return trace_.rows(); }  // published
    TokenId token(std::int64_t position) const { return trace_.token(position); }
    // On the host; of the newest row whose logits were computed, null before.
    std::shared_ptr<const RowLogits> newest_logits() const { return trace_.newest_logits(); }
    kernels::TraceView view(Layer) const;  // with the device's block table
    std::int64_t pool_bytes() const { return pool_->capacity() * pool_->page_bytes(); }
    // [capacity] on the device, 1 / rms of the residual stream before the final norm.
    float* final_scale() const { return tables_.as<float>(scale_offset_); }
    // Likewise of the norm behind a layer's attention; null without post-norms.
    float* attention_scales(Layer layer) const {
        return layout_->post_normed_layers() == 0
                   ? nullptr
                   : final_scale() + (1 + to_int(layer)) * capacity();
    }
    const RunEdits& edits() const { return trace_.edits(); }
    // How a layer forms its scores, with what the run forbids: pointers to the device, and, what
    // the host asks, to the host.
    kernels::ScoreRule rule(const DeviceModel&, Layer) const;
    kernels::ScoreRule host_rule(const DeviceModel&, Layer) const;

    // Engine thread.
    RunTrace& trace() { return trace_; }
    // Before any row is computed.
    void set_edits(const std::shared_ptr<const RunEdits>&);
    // z of rows as the run's edits want it, in the pages and in z [rows, Hq · D].
    void edit_rows(Layer layer, Rows rows, void* z, cudaStream_t stream) const {
        if (edits_) edits_->apply(view(layer), layer, rows, z, stream);
    }
    const std::int32_t* block_table() const { return tables_.as<std::int32_t>(); }  // on the device
    // Takes pages for `rows` rows and enqueues their numbers on `stream`.
    void ensure_pages(std::int64_t rows, cudaStream_t stream);
    // RunTrace::share, with the device's tables; waits for the stream.
    void share(const DeviceRun& parent, std::int64_t rows, cudaStream_t stream);

  private:
    void upload_pages(std::int64_t from, cudaStream_t stream);

    std::shared_ptr<PagePool> pool_;
    std::shared_ptr<const TraceLayout> layout_;
    std::int64_t scale_offset_ = 0;
    DeviceBuffer tables_;  // the block table, final_scale, then attention_scales of each layer
    std::shared_ptr<const DeviceEdits> edits_;  // null: none
    RunTrace trace_;
};

using DeviceRunTable = Runs<DeviceRun>;

// Pages in one allocation on the current device; copies wait for the device.
std::unique_ptr<PageMemory> device_pages(std::int64_t bytes);

}  // namespace engine::cuda
