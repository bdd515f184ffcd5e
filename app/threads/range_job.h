// SPDX-License-Identifier: GPL-3.0-or-later
// What a map's colours are measured by beyond the map itself: the largest values of its layer's or
// of all heads, and a sample of them to rank by. DESIGN's metrics pass has extrema of scores and of
// p, once a run; those of ‖p·v·W_O‖ and attribution follow from what is chosen to be looked at
// (target, edits, renormalization), so that they are asked when a range asks for them. They are the
// maxima that maps pool, a few pixels a head, and thereby exact, of every quantity and on either
// device by the kernels that draw. Reader thread.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "app/threads/reader_jobs.h"
#include "engine/values/model_info.h"
#include "ui/painting/map_scale.h"

namespace app {

struct RangeRequest {
    engine::RequestId id{};
    engine::TileRequest tile;  // run, heads, quantity and what that needs; the job sets the axes
    std::vector<int> windows;  // of each layer, as in AttentionRule
    engine::Rows rows;         // rows whose extrema are wanted; a sample is of all up to the last
    bool ranks = false;        // a sample as well
    bool withSink = false;     // source 0 is in it
};

struct HeadRange {
    RangeRequest request;
    ui::ValueExtent extent;  // exact, over the visible cells of all heads in `rows`
    // |value| of visible cells, ascending: every one, or those of evenly spaced rows (and of each
    // the same share of evenly spaced sources); none where not asked.
    std::shared_ptr<const std::vector<float>> ranked;
    // The largest that the colours' range takes in, and put at the end of the sample, which may
    // have missed it.
    double largest() const;
    void rankLargest();
};

// Of the heads of a layer, or of all; quantity and what it needs are the caller's.
RangeRequest rangeOver(const engine::ModelInfo&, engine::RunId, std::optional<engine::Layer>,
                       engine::Rows);

class RangeJob {
  public:
    using Request = RangeRequest;
    using Answer = HeadRange;
    // A sample's: what a rank in hundredths needs, and what the GUI thread sorts values into
    // colours by.
    static constexpr std::int64_t kMostRanked = 65'536, kMostCells = 16'000'000, kLeastRows = 8;

    explicit RangeJob(Request request);
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&, const Send<Answer>&);

  private:
    void takeExtent(const engine::Tile&);
    void takeSample(const engine::Tile&);

    HeadRange m_range;
    std::vector<std::int64_t> m_sampled;  // rows of the sample, ascending
    std::size_t m_next = 0;               // of those
    std::int64_t m_step = 1, m_offset = 0;
    std::vector<float> m_values;
    std::optional<TileJob> m_part;  // extrema, then a sampled row after another
    bool m_hasExtent = false;
};

// All of it at once, on this thread.
HeadRange wholeRange(const engine::TraceReader&, RangeRequest, std::stop_token);

}  // namespace app
