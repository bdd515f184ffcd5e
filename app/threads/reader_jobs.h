// SPDX-License-Identifier: GPL-3.0-or-later
// One request of each kind as work in slices, so that a hovered cell never waits for a grid of
// thumbnails. Reader thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/trace_reader.h"
#include "engine/values/failure.h"

namespace app {

// One cell, or of a block of cells the one of largest magnitude, which stands for it on a pooled
// map.
struct CellRequest {
    engine::RequestId id{};
    engine::RunId run{};
    engine::LayerHead at;
    engine::Rows dest, src;
    engine::Quantity quantity = engine::Quantity::Pattern;  // whose magnitude
    engine::TokenId target{};
    std::optional<engine::TokenId> distractor;
    bool renormalized = false;  // as a tile's; what is answered is the cell's own p all the same
};

struct LogitsRequest {
    engine::RequestId id{};
    engine::RunId run{};
    engine::Position position{};
    int count = 0;
};

struct ChecksRequest {
    engine::RequestId id{};
    engine::RunId run{};
    int layers = 0;
};

// What a slice may take, and how long a cell takes on this machine as measured so far.
class SliceBudget {
  public:
    static constexpr double kSeconds = 0.008;  // half a frame
    double cells() const { return kSeconds / m_secondsPerCell; }
    void measured(double cells, double seconds);

  private:
    double m_secondsPerCell = 5e-8;  // too much, until measured: the first slices are short
};

// A job is made from its request; slice() does some of the work, hands finished answers to `send`
// and returns true when there is no more. It throws what the reader throws.
template <typename Value>
using Send = std::function<void(Value&&)>;

// Heads are sent in groups that fill a slice. A head that takes longer is cut by rows and sent when
// it is whole.
class TileJob {
  public:
    using Request = engine::TileRequest;
    using Answer = engine::Tile;
    explicit TileJob(Request request) : m_request(std::move(request)) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    engine::TileRequest nextPart(const SliceBudget&) const;

    Request m_request;
    std::size_t m_head = 0;  // first head that is not sent
    std::int64_t m_row = 0;  // of that head: first dest pixel not done
    std::vector<std::byte> m_done;
    std::int64_t m_rowsReady = 0;
    double m_seconds = 0;
};

class MetricsJob {
  public:
    using Request = engine::MetricsRequest;
    using Answer = engine::HeadTable;
    explicit MetricsJob(Request request) : m_request(std::move(request)) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    Request m_request;
    std::optional<engine::HeadTable> m_table;
};

class ChecksJob {
  public:
    using Request = ChecksRequest;
    using Answer = std::vector<engine::CheckReport>;
    explicit ChecksJob(Request request) : m_request(request) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    Request m_request;
    Answer m_reports;
};

class CellJob {
  public:
    using Request = CellRequest;
    using Answer = engine::Cell;
    explicit CellJob(Request request) : m_request(request) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&,
               const Send<Answer>&) const;

  private:
    Request m_request;
};

class ContributionJob {
  public:
    using Request = engine::ContributionRequest;
    using Answer = engine::ContributionTable;
    explicit ContributionJob(Request request) : m_request(request) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&,
               const Send<Answer>&) const;

  private:
    Request m_request;
};

class LogitsJob {
  public:
    using Request = LogitsRequest;
    using Answer = engine::TopTokens;
    explicit LogitsJob(Request request) : m_request(request) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&,
               const Send<Answer>&) const;

  private:
    Request m_request;
};

// Joins the tables of two successive row ranges: means by row count, extrema as extrema.
void appendRows(engine::HeadTable& into, const engine::HeadTable& next);

}  // namespace app
