// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/reader_of_files.h"

#include <utility>

namespace engine {
namespace {

class ReaderOfFiles final : public TraceReader {
  public:
    ReaderOfFiles(std::shared_ptr<const TraceReader> reader, formats::FilesInUse files)
        : reader_(std::move(reader)), files_(std::move(files)) {}

    std::int64_t rows(RunId run) const override { return reader_->rows(run); }
    Tile tile(const TileRequest& request, std::stop_token stop) const override {
        Tile tile = reader_->tile(request, std::move(stop));
        // Scores and patterns come from the trace alone, whose rows were whole when published.
        const bool weighs =
            request.quantity == Quantity::Value || request.quantity == Quantity::Attribution;
        return weighs ? checked(std::move(tile)) : tile;
    }
    Cell cell(RunId run, LayerHead at, Position dest, Position src, TokenId target,
              std::optional<TokenId> distractor) const override {
        return checked(reader_->cell(run, at, dest, src, target, distractor));
    }
    HeadTable metrics(const MetricsRequest& request, std::stop_token stop) const override {
        return reader_->metrics(request, std::move(stop));  // as a pattern
    }
    ContributionTable contributions(const ContributionRequest& request) const override {
        return checked(reader_->contributions(request));
    }
    TopTokens logits(RunId run, Position position, int k) const override {
        return checked(reader_->logits(run, position, k));
    }
    CheckReport checks(RunId run, Layer layer) const override {
        return checked(reader_->checks(run, layer));
    }
    NamedTensor read(RunId run, const TensorName& name, Rows rows) const override {
        return checked(reader_->read(run, name, rows));
    }

  private:
    template <typename Result>
    Result checked(Result result) const {
        files_.check();
        return result;
    }

    std::shared_ptr<const TraceReader> reader_;
    formats::FilesInUse files_;
};

}  // namespace

std::shared_ptr<const TraceReader> read_with_files(std::shared_ptr<const TraceReader> reader,
                                                   formats::FilesInUse files) {
    return std::make_shared<ReaderOfFiles>(std::move(reader), std::move(files));
}

}  // namespace engine
