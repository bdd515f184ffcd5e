// SPDX-License-Identifier: GPL-3.0-or-later
// The TraceReader on a CPU: each call computes on the calling thread and the compute threads. Looks
// a run up, holds it for the call, and hands on to one file an idea.
#include "engine/analysis/cpu_trace_reader.h"

#include "engine/analysis/head_projections.h"
#include "engine/analysis/head_writes.h"
#include "engine/analysis/named_tensors.h"
#include "engine/analysis/requests.h"
#include "engine/analysis/tiles.h"

namespace engine {
namespace {

class CpuTraceReader final : public TraceReader {
  public:
    CpuTraceReader(std::shared_ptr<const Model> model,
                   std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                   std::shared_ptr<const RunTable> table, kernels::Parallel parallel)
        : model_(std::move(model)),
          tokenizer_(std::move(tokenizer)),
          table_(std::move(table)),
          parallel_(parallel),
          projections_(std::make_shared<HeadProjections>(model_, parallel)),
          tensors_(std::make_unique<NamedTensors>(model_, projections_, parallel)) {}

    std::int64_t rows(RunId run) const override { return table_->at(run)->rows(); }

    Tile tile(const TileRequest& request, std::stop_token stop) const override {
        return rebuild_tile(*model_, *projections_, *table_, request, stop, parallel_);
    }

    Cell cell(RunId run, LayerHead at, Position dest, Position src, TokenId target,
              std::optional<TokenId> distractor) const override {
        check_target(model_->config, {target, distractor});
        return exact_cell(*model_, *projections_, *table_->at(run), at, dest, src,
                          {target, distractor}, parallel_);
    }

    HeadTable metrics(const MetricsRequest& request, std::stop_token stop) const override {
        return head_metrics(*model_, *table_->at(request.run), request, stop, parallel_);
    }

    ContributionTable contributions(const ContributionRequest& request) const override {
        check_target(model_->config, {request.target.value_or(TokenId{}), request.distractor});
        ResidualReplay replay(model_, parallel_);
        return contributions_at(*model_, *projections_, *table_->at(request.run), request, replay,
                                parallel_);
    }

    TopTokens logits(RunId id, Position position, int k) const override {
        const auto run = table_->at(id);
        const std::int64_t at = to_int(position);
        check_rows(run->rows(), {at, at + 1});
        ResidualReplay replay(model_, parallel_);
        return top_tokens(id, position, row_logits(*run, at, replay), k, *tokenizer_);
    }

    CheckReport checks(RunId run, Layer layer) const override {
        ResidualReplay replay(model_, parallel_);
        return check_layer_of(*model_, *table_->at(run), layer, replay, parallel_);
    }

    NamedTensor read(RunId run, const TensorName& name, Rows rows) const override {
        return tensors_->read(table_->at(run), name, rows);
    }

  private:
    std::shared_ptr<const Model> model_;
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer_;
    std::shared_ptr<const RunTable> table_;
    kernels::Parallel parallel_;
    std::shared_ptr<const HeadProjections> projections_;
    std::unique_ptr<NamedTensors> tensors_;
};

}  // namespace

std::shared_ptr<const TraceReader> make_cpu_trace_reader(
    std::shared_ptr<const Model> model, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
    std::shared_ptr<const RunTable> table, kernels::Parallel parallel) {
    return std::make_shared<CpuTraceReader>(std::move(model), std::move(tokenizer),
                                            std::move(table), parallel);
}

}  // namespace engine
