// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what runs have written. Any number of threads at once (CPU) or the view stream (GPU); sees
// every row published so far and never waits for the writer. A run that is closed while a request
// is in work finishes that request; later requests for it throw BadRequest.
#pragma once
#include <optional>
#include <stop_token>
#include <string>

#include "engine/values/checks.h"
#include "engine/values/contribution.h"
#include "engine/values/ids.h"
#include "engine/values/metrics.h"
#include "engine/values/payload.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"

namespace engine {

struct TensorName {
    std::string kind;  // "pattern", "lse", "residual", … : the table of tensors that `dump` writes
    std::optional<Layer> layer;     // none for token_ids, logits, embedding
    std::optional<TokenId> target;  // logit_attribution only; default: each row's own top token
    std::string full() const {      // "layers.3.pattern", "logits"
        return layer ? "layers." + std::to_string(to_int(*layer)) + "." + kind : kind;
    }
};

class TraceReader {
  public:
    virtual ~TraceReader() = default;

    virtual std::int64_t rows(RunId) const = 0;  // published rows
    virtual Tile tile(const TileRequest&, std::stop_token = {}) const = 0;
    virtual Cell cell(RunId, LayerHead, Position dest, Position src, TokenId target,
                      std::optional<TokenId> distractor) const = 0;
    virtual HeadTable metrics(const MetricsRequest&, std::stop_token = {}) const = 0;
    virtual ContributionTable contributions(const ContributionRequest&) const = 0;
    virtual TopTokens logits(RunId, Position, int k) const = 0;
    virtual CheckReport checks(RunId, Layer) const = 0;
    // Rows [begin, end) of what `dump` writes, float32: the row dimension of the tensor is cut to
    // them, and src of scores and pattern is cut to [0, rows.end). Successive calls with the same
    // rows share the recomputed residual.
    virtual NamedTensor read(RunId, const TensorName&, Rows) const = 0;
};

}  // namespace engine
