// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/threads/compare_jobs.h"
#include "app/threads/range_job.h"
#include "app/threads/reader_jobs.h"
#include "app/threads/tokens_beside_job.h"

namespace app {

// In order of priority. Each kind has its own mailbox: its newest request replaces the one that
// waits, and the one in work is told to stop.
enum class ReadKind : std::uint8_t {
    HoverCell,
    LockedCell,
    Row,      // the selected dest on every src
    Column,   // every dest on the selected src
    Preview,  // the same of a hovered token
    Map,
    Overview,  // the whole of that map, small
    Pins,      // the same of the pinned heads
    Peek,      // a head that the mouse rests on, larger than its thumbnail
    Compare,   // and of two runs and their difference
    Logits,
    Contributions,
    TokensBeside,         // of the run that the one on screen is compared with, too
    ContributionsBeside,  // of that run
    Figure,               // heads' maps as they are exported
    Composed,             // and as a figure is composed of them
    Range,                // what the map's colours are measured by, of more heads than its own
    Span,                 // every head on the chosen span
    Metrics,
    Changes,  // how far each head moved from one run to the other
    Thumbnails,
    Checks,
};
constexpr std::size_t kReadKinds = 22;

// Reads traces on a thread of its own, so that browsing stays live while the engine works. Lives on
// the GUI thread, where no call waits but the destructor (for one slice). Answers that were
// overtaken by a newer request never get out.
class ReaderWorker : public QObject {
    Q_OBJECT
  public:
    explicit ReaderWorker(QObject* parent = nullptr);
    ~ReaderWorker() override;

    // Whose runs the requests from now on are about; drops everything asked before.
    void setReader(std::shared_ptr<const engine::TraceReader>);

    // The request's own id is set here.
    void requestHoverCell(CellRequest);
    void requestLockedCell(CellRequest);
    void requestRow(engine::TileRequest);
    void requestColumn(engine::TileRequest);
    void requestMap(engine::TileRequest);
    void requestPreview(engine::TileRequest);
    void requestOverview(engine::TileRequest);
    void requestPins(engine::TileRequest);
    void requestPeek(engine::TileRequest);
    void requestCompare(CompareRequest);
    void requestFigure(FigureRequest);
    void requestComposed(engine::TileRequest);
    void requestRange(RangeRequest);
    void requestSpan(engine::TileRequest);
    void requestContributions(engine::ContributionRequest);
    void requestLogits(LogitsRequest);
    void requestTokensBeside(TokensBesideRequest);
    void requestContributionsBeside(engine::ContributionRequest);
    void requestMetrics(engine::MetricsRequest);
    void requestChanges(ChangesRequest);
    void requestThumbnails(engine::TileRequest);
    void requestChecks(ChecksRequest);

    void drop(ReadKind);  // its answer is no longer wanted
    void dropAll();
    bool isPending(ReadKind) const;  // asked and not answered yet

  Q_SIGNALS:
    void hoverCellReady(const engine::Cell&);
    void lockedCellReady(const engine::Cell&);
    void rowReady(const engine::Tile&);
    void columnReady(const engine::Tile&);
    void mapReady(const engine::Tile&);
    void previewReady(const engine::Tile&);
    void overviewReady(const engine::Tile&);
    void pinsReady(const engine::Tile&);  // some of the heads asked for; others follow
    void peekReady(const engine::Tile&);
    void compareReady(const engine::Tile&);  // one of those asked for
    void figureReady(const engine::Tile&);   // some of the heads
    void composedReady(const engine::Tile&);
    void rangeReady(const app::HeadRange&);
    void spanReady(const engine::Tile&);  // some of the heads asked for
    void contributionsReady(const engine::ContributionTable&);
    void logitsReady(const engine::TopTokens&);
    void tokensBesideReady(const ui::TokensBeside&);
    void contributionsBesideReady(const engine::ContributionTable&);
    void metricsReady(const engine::HeadTable&);
    void changesReady(const ui::ChangeTable&);
    void thumbnailsReady(const engine::Tile&);  // some of the heads asked for; others follow
    void checksReady(const std::vector<engine::CheckReport>&);
    void answered(app::ReadKind);  // after the last part, or the failure, of the newest request
    void failed(app::ReadKind, const engine::Failure&);

  private:
    struct Reading;  // what the two threads share
    struct News;
    template <ReadKind kind, typename Request>
    void put(Request&&);
    void deliver(const News&);
    template <ReadKind kind, typename Signal>
    void deliver(const News&, Signal);

    std::array<std::uint64_t, kReadKinds> m_newest{};
    std::array<bool, kReadKinds> m_pending{};
    std::unique_ptr<Reading> m_reading;
};

}  // namespace app
