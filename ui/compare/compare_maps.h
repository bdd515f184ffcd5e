// SPDX-License-Identifier: GPL-3.0-or-later
// One head's map in two runs and the difference between them, on one row and the same axes.
#pragma once
#include <QWidget>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/models/run_alignment.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_picture.h"
#include "ui/selection.h"

namespace ui {

struct CompareSide {
    engine::RunId id{};
    QString name;  // "B"
    std::vector<engine::Token> tokens;
    std::int64_t promptTokens = 0, rows = 0, planned = 0;
};

class CompareMaps : public QWidget {
    Q_OBJECT
  public:
    enum Panel { A, B, Difference, panels };
    struct Values {  // of one cell; none: not known, or only the other run has it
        std::optional<double> a, b, difference;
    };
    explicit CompareMaps(QWidget* parent = nullptr);

    // Cells are of places of the alignment, and so are tiles and all positions below; null: of
    // positions.
    void setSides(const CompareSide& a, const CompareSide& b,
                  std::shared_ptr<const RunAlignment> = {});
    void setHead(engine::LayerHead, int window);  // another head drops the tiles
    void setScale(const ScaleChoice&);
    void setTransposed(bool);  // destinations along x
    void setQuantity(engine::Quantity);
    void setTile(const engine::Tile&);  // of either run, or the difference
    void setSelection(MapCell, bool locked);
    void clearSelection();
    void zoom(int direction);  // 1 in, −1 out, 0 whole

    const MapPicture& picture(Panel panel) const { return m_pictures[panel]; }
    QString title(Panel) const;  // "Run A", "Run B", "B − A"
    Values valuesAt(MapCell) const;
    bool showsNoDifference() const;  // and knows it: every difference in view is 0
    // Of its places, as its rows are labelled; numbers: by token alone, else empty.
    const std::vector<engine::Token>& placeTokens() const { return m_rowTokens; }
    const std::vector<QString>& placeNumbers() const { return m_rowNumbers; }
    QString numberOf(std::int64_t place) const;  // "5", by token "5|6" or "5|–"
    QString describe(MapCell) const;  // "L24.H4 · dest 13 ← src 3 · A 0.0129 · B 0.8278 · …"
    QSize sizeHint() const override { return {760, 380}; }
    QSize minimumSizeHint() const override { return {420, 205}; }

  Q_SIGNALS:
    void viewWanted(engine::Axis dest, engine::Axis src, engine::Pooling pooling);
    void cellClicked(engine::Position dest, engine::Position src);
    void cellDescribed(const QString& text);  // under the mouse; empty: none
    void soloRequested();

  protected:
    bool event(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void leaveEvent(QEvent*) override;
    void focusInEvent(QFocusEvent*) override;
    void focusOutEvent(QFocusEvent*) override;

  private:
    void measureLabels();
    void relayout();
    bool hasColumnTitle() const;
    void rescale();
    void setView(MapView);
    void zoomAt(Panel, QPointF, double factor);
    void setHovered(std::optional<MapCell>);
    std::optional<Panel> panelAt(QPointF) const;
    std::optional<MapCell> cellAt(QPointF) const;
    std::int64_t positions() const;
    std::int64_t positionAt(int side, std::int64_t place) const;       // none: RunAlignment::none
    const engine::Token* tokenAt(int side, std::int64_t place) const;  // null: none
    QString numberOn(int side, std::int64_t place) const;
    std::int64_t rowsReady(int side) const;
    int shownWindow() const { return m_alignment ? 0 : m_window; }  // tiles say what is outside
    void labelPlaces();
    QString lackText(MapCell) const;  // "source only in A"
    QString caption(Panel) const;
    QString number(const std::optional<double>&, bool withSign) const;
    void paintPanel(QPainter&, Panel);
    void paintReadOut(QPainter&) const;
    QRectF readOutBox(MapCell, double tall) const;
    void paintOtherTokens(QPainter&) const;
    bool differs(std::int64_t place) const;  // both have a token there, and not the same
    QString pooledText() const;              // "largest of 4 × 4"; empty: a cell is a cell

    std::array<MapPicture, panels> m_pictures;
    std::array<CompareSide, 2> m_sides;
    std::shared_ptr<const RunAlignment> m_alignment;
    std::vector<engine::Token> m_rowTokens;  // of both runs, for the labels of the page's rows
    std::vector<QString> m_rowNumbers;
    LabelRoom m_room, m_columnRoom;
    MapView m_view;
    ScaleChoice m_choice;
    engine::Quantity m_quantity = engine::Quantity::Pattern;
    engine::LayerHead m_head;
    int m_window = 0;
    std::optional<MapCell> m_selected, m_hovered;
    bool m_locked = false, m_transposed = false;
    int m_side = 0, m_pitch = 0, m_gutter = 0, m_below = 0;  // logical pixels
    std::optional<QPointF> m_pressed;
    MapView m_pressedView;
    bool m_dragging = false;
    engine::Axis m_wantedDest, m_wantedSrc;
    engine::Pooling m_wantedPooling = engine::Pooling::None;
};

}  // namespace ui
