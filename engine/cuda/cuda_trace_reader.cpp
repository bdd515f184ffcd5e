// SPDX-License-Identifier: GPL-3.0-or-later
// The TraceReader on a device: each call takes a lane, looks its run up, holds it for the call, and
// hands on to one file an idea. What it returns lies on the host.
#include "engine/cuda/cuda_trace_reader.h"

#include <cmath>

#include "engine/analysis/cell.h"
#include "engine/cuda/reader_tensors.h"
#include "kernels/cuda/writes.h"

namespace engine::cuda {
namespace {

class CudaTraceReader final : public TraceReader {
    template <typename Work>
    auto in_lane(Work&& work) const {
        return with_device_errors([&] {
            const ViewLanes::Lease lane = lanes_.take();
            return work(*lane);
        });
    }

  public:
    CudaTraceReader(std::shared_ptr<const DeviceModel> model,
                    std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                    std::shared_ptr<const DeviceRunTable> table, std::shared_ptr<StepPace> pace)
        : model_(std::move(model)),
          tokenizer_(std::move(tokenizer)),
          table_(std::move(table)),
          lanes_(model_->device, std::move(pace)),
          factors_(model_),
          tiles_(model_, factors_),
          writes_(model_, factors_, tiles_),
          tensors_(model_, factors_, tiles_, writes_) {}

    std::int64_t rows(RunId run) const override { return table_->at(run)->rows(); }

    Tile tile(const TileRequest& request, std::stop_token stop) const override {
        return in_lane([&](ViewLane& lane) { return tiles_.tile(lane, *table_, request, stop); });
    }

    Cell cell(RunId id, LayerHead at, Position dest, Position src, TokenId target,
              std::optional<TokenId> distractor) const override {
        check_head(model_->config, at);
        check_target(model_->config, {target, distractor});
        const auto run = table_->at(id);
        const std::int64_t row = to_int(dest);
        check_rows(run->rows(), {row, row + 1});
        const kernels::ScoreRule rule = run->host_rule(*model_, at.layer);
        Cell cell = place_cell(id, at, dest, src, rule);
        if (!cell.visible && rule.sinks == nullptr) return cell;
        in_lane([&](ViewLane& lane) {
            if (rule.sinks != nullptr) cell.sink = sink_of(lane, *run, at, row, rule.sinks);
            if (cell.visible) fill(lane, cell, *run, {target, distractor});
            return 0;
        });
        return cell;
    }

    HeadTable metrics(const MetricsRequest& request, std::stop_token stop) const override {
        const auto run = table_->at(request.run);
        return in_lane([&](ViewLane& lane) { return tiles_.metrics(lane, *run, request, stop); });
    }

    ContributionTable contributions(const ContributionRequest& request) const override {
        check_target(model_->config, {request.target.value_or(TokenId{}), request.distractor});
        const auto run = table_->at(request.run);
        return in_lane([&](ViewLane& lane) { return writes_.contributions(lane, *run, request); });
    }

    TopTokens logits(RunId id, Position position, int k) const override {
        const auto run = table_->at(id);
        const std::int64_t at = to_int(position);
        check_rows(run->rows(), {at, at + 1});
        return top_tokens(id, position, in_lane([&](ViewLane& lane) {
                              return writes_.row_logits(lane, *run, at);
                          }),
                          k, *tokenizer_);
    }

    CheckReport checks(RunId id, Layer layer) const override {
        const auto run = table_->at(id);
        return in_lane([&](ViewLane& lane) { return writes_.checks(lane, *run, layer); });
    }

    NamedTensor read(RunId id, const TensorName& name, Rows rows) const override {
        const auto run = table_->at(id);
        return in_lane([&](ViewLane& lane) { return tensors_.read(lane, *run, name, rows); });
    }

  private:
    // What a head's sink takes of a row. sinks [Hq] on the device.
    static float sink_of(ViewLane& lane, const DeviceRun& run, LayerHead at, std::int64_t row,
                         const float* sinks) {
        const std::int32_t head = to_int(at.head);
        const kernels::TraceView trace = run.view(at.layer);
        auto* lse = lane.scratch().take<float>(trace.query_heads);
        kernels::cuda::gather_lse(trace, row, row + 1, lse, lane.stream());
        return std::exp(lane.download(sinks + head, 1).front() -
                        lane.download(lse + head, 1).front());
    }
    // The row from the kernel that `read` takes it from, the rest in fp64 on the host.
    void fill(ViewLane& lane, Cell& cell, const DeviceRun& run, const Target& target) const {
        const kernels::TraceView trace = run.view(cell.at.layer);
        const std::int64_t dest = to_int(cell.dest), src = to_int(cell.src), d = trace.head_dim;
        const std::int32_t head = to_int(cell.at.head), kv_head = head / trace.group();
        const auto row = [&](bool scores) {
            const float* heads =
                tiles_.exact_rows(lane, run, cell.at.layer, {dest, dest + 1}, dest + 1, scores);
            return lane.download(heads + head * (dest + 1), dest + 1);
        };
        const int layer = to_int(cell.at.layer);
        const auto direction = factors_.direction(lane, target);
        const std::vector<float> scores = row(true), pattern = row(false);
        auto* value = lane.scratch().take<float>(d);
        kernels::cuda::gather_floats(trace, trace.v_offset, kv_head, 1, src, src + 1, value,
                                     lane.stream());
        const std::vector<float> v = lane.download(value, d);
        const std::vector<float> r = lane.download(factors_.r(lane, layer) + head * d * d, d * d);
        const std::vector<float> p =
            lane.download(direction->of_layer(layer, model_->config.q_columns()) + head * d, d);
        CellParts parts;
        parts.head_dim = trace.head_dim;
        parts.scores = scores;
        parts.pattern = pattern;
        parts.v = v.data();
        parts.final_scale = lane.download(run.final_scale() + dest, 1).front();
        if (const float* scales = run.attention_scales(cell.at.layer))
            parts.attention_scale = lane.download(scales + dest, 1).front();
        parts.left = run.edits().left_of(cell.at, dest);
        parts.r = r.data();
        parts.p = p.data();
        fill_cell(cell, parts);
    }

    std::shared_ptr<const DeviceModel> model_;
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer_;
    std::shared_ptr<const DeviceRunTable> table_;
    mutable ViewLanes lanes_;
    HeadFactors factors_;
    ReaderTiles tiles_;
    ReaderWrites writes_;
    ReaderTensors tensors_;
};

}  // namespace

std::shared_ptr<const TraceReader> make_cuda_trace_reader(
    std::shared_ptr<const DeviceModel> model, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
    std::shared_ptr<const DeviceRunTable> table, std::shared_ptr<StepPace> pace) {
    return std::make_shared<CudaTraceReader>(std::move(model), std::move(tokenizer),
                                             std::move(table), std::move(pace));
}

}  // namespace engine::cuda
