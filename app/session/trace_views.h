// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <bitset>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "app/session/thumbnail_store.h"
#include "app/threads/reader_worker.h"
#include "ui/painting/figure.h"

namespace app {

// Keeps what is on screen up to date: follows the session's run, rows and selection, asks the
// reader for what the widgets show, and hands the answers on. What the user changes is asked at
// once; rows that stream in are followed at the pace of the display, one request in work at a time.
// GUI thread, never waits.
class TraceViews : public QObject {
    Q_OBJECT
  public:
    explicit TraceViews(Session& session, QObject* parent = nullptr);

    void setMapView(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    // The same for heads that stand beside the map; their own axes, as they are smaller.
    // The whole of the head's map, small; none: it is not shown.
    void setOverview(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void dropOverview();
    // Of the selected head, what a hovered token attends to or, as source, what attends to it.
    void preview(engine::Position, bool asSource);
    void dropPreview();
    // The whole pattern of a head, at most so many pixels a side, until it is dropped.
    void peek(engine::LayerHead, int pixels);
    void dropPeek();
    void setPins(std::vector<engine::LayerHead>);
    void setPinView(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void setThumbnailView(std::vector<engine::LayerHead> visible, int pixels);
    void setQuantity(engine::Quantity);
    void setRenormalized(bool);                      // the map's pattern, as TileRequest's
    void setSpan(std::optional<engine::Rows>);       // of tokens, whose p of every head is wanted
    void setTarget(std::optional<engine::TokenId>);  // none: the selected position's own top token
    void setDistractor(std::optional<engine::TokenId>);
    void hoverCells(engine::Rows dest,
                    engine::Rows src);  // one cell, or the block of a pooled pixel
    void leaveCells();
    void checkNow();
    // Maps of this quantity, F32, or what a run has less another; figureReady when all are there.
    struct FigureRuns {
        engine::RunId run{};
        std::optional<engine::RunId> minus;
        std::optional<engine::Quantity> quantity;  // none: the map's
        // The axes are places of minus and run, then, of one head.
        std::shared_ptr<const ui::RunAlignment> alignment = {};
    };
    void requestFigure(const FigureRuns&, std::vector<engine::LayerHead>, const ui::FigureAxes&);
    void dropFigure();
    // What that asks, as the map is now.
    engine::TileRequest tileOfFigure(const FigureRuns&, std::vector<engine::LayerHead>,
                                     const ui::FigureAxes&) const;
    // The same of the run shown, while a figure is composed; composedReady.
    void requestComposed(std::vector<engine::LayerHead>, const ui::FigureAxes&);
    void dropComposed();

    engine::Quantity quantity() const { return m_quantity; }
    bool isRenormalized() const {  // what is shown, of a quantity that knows it
        return m_renormalized && m_quantity == engine::Quantity::Pattern;
    }
    // In effect: the user's, else the one that the contributions were computed for.
    std::optional<engine::TokenId> target() const;
    std::optional<engine::TokenId> chosenTarget() const { return m_target; }  // the user's
    std::optional<engine::TokenId> distractor() const { return m_distractor; }
    const std::optional<engine::ContributionTable>& contributions() const { return m_table; }
    ReaderWorker& reader() { return m_reader; }  // for what else is on screen
    bool isPending(ReadKind kind) const { return m_reader.isPending(kind); }

  Q_SIGNALS:
    void mapReady(const engine::Tile&);
    void overviewReady(const engine::Tile&);
    void previewReady(engine::Position, bool asSource, const std::vector<float>& pattern);
    void rowReady(engine::Position dest, const std::vector<float>& pattern);    // [src ≤ dest]
    void columnReady(engine::Position src, const std::vector<float>& pattern);  // [rows]
    void hoverCellReady(const engine::Cell&);
    void lockedCellReady(const engine::Cell&);
    void peekReady(const engine::Tile&);
    void pinsReady(const engine::Tile&);                 // some of the pins
    void figureReady(const std::vector<engine::Tile>&);  // each with some of the heads, in order
    void composedReady(const std::vector<engine::Tile>&);
    void figureFailed();  // failed() says why
    void contributionsReady(const engine::ContributionTable&);
    void logitsReady(const engine::TopTokens&);
    void metricsReady(const engine::HeadTable&);  // over all rows so far
    // [L, H]: p summed over the span, mean over the rows so far that begin with it or follow.
    void spanReady(const engine::Rows& span, const std::vector<float>& mass);
    void thumbnailsReady(const engine::Tile&);  // whole thumbnails of some heads
    void checksReady(const std::vector<engine::CheckReport>&);
    void failed(const engine::Failure&);

  private:
    enum class Why { Changed, Grown };
    void refresh(ReadKind, Why);
    void refreshAll();
    void refreshHead();
    void refreshMaps();
    void ask(ReadKind);
    engine::TileRequest tileOfHead() const;
    CellRequest cellRequest(engine::Rows dest, engine::Rows src) const;

    void startRun();
    void followState(ui::RunState);
    void followSelection(const ui::Selection&);
    void grow();
    void growSlowly(bool now);
    bool isSlowPending() const;
    void takeRow(const engine::Tile&);
    void takeContributions(const engine::ContributionTable&);
    void takeMetrics(const engine::HeadTable&);
    void takeSpan(const engine::Tile&);
    void takeFailure(ReadKind, const engine::Failure&);
    void settleFocus();
    bool waitsForFocus() const { return m_focusBest && m_session.run().promptRead; }

    Session& m_session;
    ReaderWorker m_reader;
    ThumbnailStore m_store;
    std::bitset<kReadKinds> m_again;  // grew while a request was in work
    QTimer m_growing;                 // single shot, a frame or two
    QElapsedTimer m_slow;             // since the costly tables were last asked
    QTimer m_slowly;                  // single shot, until they are next

    ui::Selection m_seen;
    bool m_sawRows = false;
    bool m_focusBest = false;  // this run's head is still to be chosen
    struct MapView {
        engine::Axis dest, src;
        engine::Pooling pooling{};
    };
    std::optional<MapView> m_map, m_overview, m_pinView;
    std::vector<engine::LayerHead> m_pins;
    std::optional<engine::LayerHead> m_peeked;
    int m_peekPixels = 0;
    std::vector<engine::Tile> m_figure, m_composed;  // what of it is there
    std::vector<engine::LayerHead> m_visible;
    int m_thumbnailPixels = 0;
    engine::Quantity m_quantity = engine::Quantity::Pattern;
    bool m_renormalized = false;
    std::optional<engine::Rows> m_span;
    std::vector<float> m_spanMass;  // of the answer that comes in
    std::size_t m_spanHeads = 0;    // how many of them are there
    std::optional<engine::TokenId> m_target, m_distractor;
    std::optional<engine::ContributionTable> m_table;
    std::optional<engine::HeadTable> m_metrics;
    std::int64_t m_rowsChecked = 0;
};

}  // namespace app
