// SPDX-License-Identifier: GPL-3.0-or-later
// Every head of every layer at once: rows are layers, L0 on top, columns are heads, framed by the
// KV head they share. Asks for the thumbnails in view only. GUI thread only.
#pragma once
#include <QAbstractScrollArea>
#include <QVector>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/tile.h"
#include "ui/painting/grid_fold.h"

class QPainter;

namespace ui {

class HeadGrid : public QAbstractScrollArea {
    Q_OBJECT
  public:
    explicit HeadGrid(QWidget* parent = nullptr);
    ~HeadGrid() override;

    void setModel(const engine::ModelInfo&);  // no layers: the empty picture
    void clearThumbnails();                   // a new run: neutral until the first answer
    // U8 of the pattern, √, fixed 0 to 1, one head or many, square, as thumbnailsWanted asked.
    // Heads that are not in it keep what they have.
    void setThumbnails(const engine::Tile&);
    void setRowsReady(std::int64_t rows);  // run length; asks for the visible thumbnails anew
    void setFocusedHead(std::optional<engine::LayerHead>);  // scrolled into view
    std::optional<engine::LayerHead> focusedHead() const;
    void setPitch(std::optional<int> pitch);  // none: Fit
    // The first of them carry their rank; what is not among them is dimmed where `others` says so.
    // `numbered`: how many of them have a number to be ranked by; the rest come last, without rank.
    void setRanking(const std::vector<engine::LayerHead>& ranked, bool dimOthers,
                    std::size_t numbered = std::numeric_limits<std::size_t>::max());
    int rankOf(engine::LayerHead) const;  // from 1, 0: no badge
    bool isDimmed(engine::LayerHead) const;
    void setPinned(const std::vector<engine::LayerHead>&);
    bool isPinned(engine::LayerHead) const;
    void setAblated(const std::vector<engine::LayerHead>&);  // crossed out
    bool isAblated(engine::LayerHead) const;

    // Layers that share a row and KV groups that share a column; a picture of several heads stands
    // for one of them: the focused one, else the best ranked, else the first.
    void setFold(GridFold);
    const GridFold& fold() const;
    bool canFoldGroups() const;  // a KV head is shared
    // The head of the picture so many rows and columns from that of `at`; the same layer or head
    // where that way leads nowhere else.
    engine::LayerHead neighbour(engine::LayerHead at, int rows, int columns) const;
    std::vector<engine::LayerHead> headsWith(engine::LayerHead) const;  // that share its picture
    // "L3.H2", and of a folded picture what it pools: "L3.H2 · mean of 21: L3–L9, H0–H2".
    QString describe(engine::LayerHead) const;
    int pictures() const;

    int pitch() const;
    int thumbnailPixels() const;  // a thumbnail's side in device pixels
    QVector<engine::LayerHead> visibleHeads() const;
    QRect headRect(engine::LayerHead) const;  // in the viewport
    std::optional<engine::LayerHead> headAt(QPoint) const;
    QString accessibleValue() const;  // "L23.H3, KV 1, layer 24 of 30, head 4 of 9"
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  public Q_SLOTS:
    void fit() { setPitch(std::nullopt); }
    void foldGroups();        // each KV group one column; all of them unfolded where all are folded
    void foldFocusedGroup();  // or unfold it
    // Unfolds the focused row; else begins a range of layers at the focused one, and folds what
    // lies between where one was begun.
    void foldLayers();
    void unfoldAll();
    void nextFoldPooling();

  Q_SIGNALS:
    // The heads in view and the side of a thumbnail in device pixels; emitted once a turn of the
    // event loop when either changed. Ask for Quantity::Pattern, U8, Sqrt 0..1 on wholeAxis(axis
    // length, pixels).
    void thumbnailsWanted(QVector<engine::LayerHead> visible, int pixels);
    void headFocused(engine::LayerHead head);     // click, arrow keys
    void headActivated(engine::LayerHead head);   // Enter, double click
    void headPinToggled(engine::LayerHead head);  // Ctrl-click
    void headHovered(engine::LayerHead head);
    void menuRequested(engine::LayerHead head, QPoint at);  // global
    void foldChanged();
    void foldBegun(int layer);  // by foldLayers(): the other end is still to be chosen
    void hoverLeft();

  protected:
    bool viewportEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;
    void changeEvent(QEvent*) override;
    void contextMenuEvent(QContextMenuEvent*) override;

  private:
    struct Parts;
    void relayout();
    void askForThumbnails();
    void focusByUser(engine::LayerHead);
    void setHovered(std::optional<engine::LayerHead>);
    void scrollTo(engine::LayerHead);
    bool pressMargin(QMouseEvent*);  // header, gutter or corner
    QString marginHint(QPoint) const;
    engine::LayerHead standsFor(engine::LayerHead first) const;
    int rankOfPicture(engine::LayerHead first) const;  // the best of its heads
    bool isPictureDimmed(engine::LayerHead first) const;
    QString pooledText(engine::LayerHead) const;  // "mean of 21: L3–L9, H0–H2"
    void paintFolds(QPainter&) const;
    void paintAblated(QPainter&) const;
    QPoint contentOrigin() const;  // of the scrolled content, in the viewport

    std::unique_ptr<Parts> m;
};

}  // namespace ui
