// SPDX-License-Identifier: GPL-3.0-or-later
// The head table from a run's pages on the device, as many heads a launch as it has time for.
#include <algorithm>

#include "engine/cuda/reader_tiles.h"

namespace engine::cuda {

HeadTable ReaderTiles::metrics(ViewLane& lane, const DeviceRun& run, const MetricsRequest& request,
                               const std::stop_token& stop) const {
    const Rows rows = metrics_rows(run.rows(), request);
    const ModelConfig& config = model_->config;
    std::vector<kernels::MetricsHead> heads;
    bool forbids = false;
    for (int layer = 0; layer < config.layers; ++layer)
        for (int head = 0; head < config.query_heads; ++head) {
            kernels::MetricsHead at;
            at.trace = run.view(Layer{layer});
            at.rule = run.rule(*model_, Layer{layer});
            at.head = head;
            forbids = forbids || at.rule.forbidden.count > 0;
            heads.push_back(at);
        }
    const auto count = static_cast<std::int64_t>(heads.size());
    kernels::MetricsHead* device = lane.upload(heads);
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < rows.end; ++i) tokens.push_back(to_int(run.token(i)));
    kernels::cuda::MetricsArgs args;
    args.heads = device;
    args.head_count = count;
    args.element = model_->element;
    args.head_dim = config.head_dim;
    args.forbids = forbids;
    args.begin = rows.begin;
    args.end = rows.end;
    args.tokens = lane.upload(tokens);
    const std::int64_t scratch = kernels::cuda::metrics_scratch(args) / count;  // of a head
    auto* measured = lane.scratch().take<std::byte>(scratch * count);
    const double work = visible_cells(rows, {0, rows.end}) * config.head_dim;
    double before[2] = {0, 0};
    for (std::int64_t first = 0; first < count;) {
        const auto wanted = static_cast<std::int64_t>(metrics_.launch_work() / work);
        args.heads = device + first;
        args.head_count = std::clamp<std::int64_t>(wanted, 1, count - first);
        args.scratch = measured + first * scratch;
        const auto seconds = lane.slice(stop, [&] { kernels::cuda::metrics(args, lane.stream()); });
        if (seconds) metrics_.learn(before[0], *seconds);
        before[0] = before[1];
        before[1] = work * static_cast<double>(args.head_count);
        first += args.head_count;
    }
    lane.await_slices();
    const auto answered = lane.download(device, count);
    return head_table(config, request, rows, answered);
}

}  // namespace engine::cuda
