// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/device_edits.h"

#include <algorithm>

#include "kernels/cuda/edit.h"

namespace engine::cuda {
namespace {

template <typename T>
DeviceBuffer on_device(const std::vector<T>& values) {
    DeviceBuffer to(static_cast<std::int64_t>(values.size() * sizeof(T)));
    if (!values.empty())
        check(
            cudaMemcpy(to.data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
            "edits of a run");
    return to;
}

}  // namespace

DeviceEdits::DeviceEdits(std::shared_ptr<const RunEdits> edits) : host_(std::move(edits)) {
    std::vector<kernels::EdgeRange> ranges;
    for (int layer = 0; layer < host_->edged_layers(); ++layer) {
        const kernels::ForbiddenEdges of_layer = host_->forbidden(Layer{layer});
        first_range_.push_back(static_cast<std::int64_t>(ranges.size()));
        ranges.insert(ranges.end(), of_layer.ranges, of_layer.ranges + of_layer.count);
    }
    std::vector<float> values;
    for (const HeadEdit& edit : host_->edits().heads) {
        first_value_.push_back(static_cast<std::int64_t>(values.size()));
        values.insert(values.end(), edit.values.begin(), edit.values.end());
    }
    ranges_ = on_device(ranges);
    values_ = on_device(values);
}

kernels::ForbiddenEdges DeviceEdits::forbidden(Layer layer) const {
    if (first_range_.empty()) return {};
    return {
        ranges_.as<kernels::EdgeRange>() + first_range_[static_cast<std::size_t>(to_int(layer))],
        host_->forbidden(layer).count};
}

void DeviceEdits::apply(const kernels::TraceView& trace, Layer layer, Rows rows, void* z,
                        cudaStream_t stream) const {
    const std::vector<HeadEdit>& edits = host_->edits().heads;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (edits[i].at.layer != layer) continue;
        kernels::cuda::EditArgs args;
        args.trace = trace;
        args.head = to_int(edits[i].at.head);
        args.begin = std::max(rows.begin, edits[i].rows.begin);
        args.end = std::min(rows.end, edits[i].rows.end);
        args.scale = edits[i].scale;
        if (!edits[i].values.empty()) args.values = values_.as<float>() + first_value_[i];
        args.z = z;
        args.first_row = rows.begin;
        kernels::cuda::edit_rows(args, stream);
    }
}

}  // namespace engine::cuda
