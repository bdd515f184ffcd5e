// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/device_run.h"

namespace engine::cuda {
namespace {

class DevicePages final : public PageMemory {
  public:
    explicit DevicePages(std::int64_t bytes) : memory_(bytes) {}
    std::byte* base() const override { return memory_.data(); }
    void copy(std::int64_t from, std::int64_t to, std::int64_t bytes) override {
        check(cudaMemcpy(base() + to, base() + from, static_cast<std::size_t>(bytes),
                         cudaMemcpyDeviceToDevice),
              "copying a page");
        check(cudaDeviceSynchronize(), "copying a page");
    }
    void forget(std::int64_t, std::int64_t) override {}

  private:
    DeviceBuffer memory_;
};

std::int64_t table_bytes(const TraceLayout& layout, std::int64_t capacity) {
    return (layout.pages_for(capacity) * 4 + 255) / 256 * 256;
}

}  // namespace

std::unique_ptr<PageMemory> device_pages(std::int64_t bytes) {
    return std::make_unique<DevicePages>(bytes);
}

DeviceRun::DeviceRun(RunId id, std::shared_ptr<PagePool> pool,
                     std::shared_ptr<const TraceLayout> layout, std::int64_t capacity)
    : pool_(std::move(pool)),
      layout_(std::move(layout)),
      scale_offset_(table_bytes(*layout_, capacity)),
      tables_(scale_offset_ + (1 + layout_->post_normed_layers()) * capacity * 4),
      trace_(id, pool_, layout_, capacity) {}

kernels::TraceView DeviceRun::view(Layer layer) const {
    return layout_->view(to_int(layer), pool_->base(), block_table());
}

kernels::ScoreRule DeviceRun::rule(const DeviceModel& model, Layer layer) const {
    kernels::ScoreRule rule = model.layers[static_cast<std::size_t>(to_int(layer))].rule;
    if (edits_) rule.forbidden = edits_->forbidden(layer);
    return rule;
}

kernels::ScoreRule DeviceRun::host_rule(const DeviceModel& model, Layer layer) const {
    kernels::ScoreRule rule = model.layers[static_cast<std::size_t>(to_int(layer))].rule;
    rule.forbidden = trace_.forbidden(layer);
    return rule;
}

void DeviceRun::set_edits(const std::shared_ptr<const RunEdits>& edits) {
    trace_.set_edits(edits);
    edits_ = edits->empty() ? nullptr : std::make_shared<const DeviceEdits>(edits);
}

void DeviceRun::upload_pages(std::int64_t from, cudaStream_t stream) {
    const auto pages = trace_.pages().subspan(static_cast<std::size_t>(from));
    if (pages.empty()) return;
    // From pageable memory: copied to a staging buffer before the call returns.
    check(cudaMemcpyAsync(tables_.as<std::int32_t>() + from, pages.data(), pages.size_bytes(),
                          cudaMemcpyHostToDevice, stream),
          "block table");
}

void DeviceRun::ensure_pages(std::int64_t rows, cudaStream_t stream) {
    const auto before = static_cast<std::int64_t>(trace_.pages().size());
    trace_.ensure_pages(rows);
    upload_pages(before, stream);
}

void DeviceRun::share(const DeviceRun& parent, std::int64_t rows, cudaStream_t stream) {
    trace_.share(parent.trace_, rows);
    upload_pages(0, stream);
    check(cudaMemcpyAsync(final_scale(), parent.final_scale(),
                          static_cast<std::size_t>(rows) * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream),
          "final scales");
    if (const int layers = layout_->post_normed_layers(); layers > 0)
        check(
            cudaMemcpy2DAsync(attention_scales(Layer{0}), static_cast<std::size_t>(capacity()) * 4,
                              parent.attention_scales(Layer{0}),
                              static_cast<std::size_t>(parent.capacity()) * 4,
                              static_cast<std::size_t>(rows) * 4, static_cast<std::size_t>(layers),
                              cudaMemcpyDeviceToDevice, stream),
            "scales of attention");
    edits_ = parent.edits_;
    check(cudaStreamSynchronize(stream), "final scales");
}

}  // namespace engine::cuda
