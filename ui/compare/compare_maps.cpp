// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_maps.h"

#include <QEvent>
#include <algorithm>
#include <cmath>

#include "ui/painting/names.h"
#include "ui/painting/number_text.h"

namespace ui {

namespace {

constexpr int axisTitle = 18, tickRoom = 9, top = 52, gap = 18, right = 10;
constexpr int low = 330;           // below, the maps take the room of the axes' titles
constexpr int readOut = 164;       // beside a map that is too small to hold it
constexpr int holdsReadOut = 240;  // a map with the room

bool sameTokens(const std::vector<engine::Token>& a, const std::vector<engine::Token>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const engine::Token& x, const engine::Token& y) {
                          return x.id == y.id && x.bytes == y.bytes;
                      });
}

}  // namespace

CompareMaps::CompareMaps(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Maps of both runs and their difference"));
}

std::int64_t CompareMaps::positions() const {
    std::int64_t most = 0, planned = 0;
    for (const CompareSide& side : m_sides) {
        const std::int64_t tokens = std::ssize(side.tokens);
        most = std::max({most, tokens, side.planned});
        planned = std::max(planned, side.planned - tokens);
    }
    return m_alignment ? m_alignment->places() + planned : most;
}

QString CompareMaps::title(Panel panel) const {
    if (panel == Difference) return m_sides[B].name + QStringLiteral(" − ") + m_sides[A].name;
    return tr("Run %1").arg(m_sides[panel].name);
}

void CompareMaps::setSides(const CompareSide& a, const CompareSide& b,
                           std::shared_ptr<const RunAlignment> alignment) {
    const bool places =
        alignment && m_alignment ? m_alignment->begins(*alignment) : !alignment && !m_alignment;
    const bool other = a.id != m_sides[A].id || b.id != m_sides[B].id || !places;
    const bool texts = other || !sameTokens(a.tokens, m_sides[A].tokens) ||
                       !sameTokens(b.tokens, m_sides[B].tokens);
    const std::int64_t before = positions();
    m_sides = {a, b};
    m_alignment = std::move(alignment);
    if (texts) labelPlaces();
    // By token every place may be one run's alone: the maps' cells say it.
    const std::int64_t both = std::min(a.rows, b.rows);
    const engine::Rows onlyA = m_alignment ? engine::Rows() : engine::Rows{both, a.rows},
                       onlyB = m_alignment ? engine::Rows() : engine::Rows{both, b.rows};
    m_pictures[A].setOneRunOnly(onlyB, tr("only in %1").arg(b.name));
    m_pictures[B].setOneRunOnly(onlyA, tr("only in %1").arg(a.name));
    m_pictures[Difference].setOneRunOnly(a.rows > b.rows ? onlyA : onlyB,
                                         tr("only in %1").arg(a.rows > b.rows ? a.name : b.name));
    if (other) {
        for (MapPicture& picture : m_pictures) {
            picture.dropTile();
            picture.setWindow(shownWindow());
        }
        m_wantedDest = m_wantedSrc = {};
    }
    if (other || positions() != before) m_view = {0, 0, positions()};
    relayout();
}

// Rows name the tokens of both runs, columns those of their own.
void CompareMaps::measureLabels() {
    m_room = labelRoom(m_rowTokens, std::ssize(m_rowTokens), positions());
    if (m_alignment) widenForTwoNumbers(m_room, positions());
    m_columnRoom = {};
    for (const CompareSide& side : m_sides) {
        const LabelRoom room = labelRoom(side.tokens, std::ssize(side.tokens), positions());
        if (room.rowWidth > m_columnRoom.rowWidth) m_columnRoom = room;
    }
}

void CompareMaps::setHead(engine::LayerHead at, int window) {
    if (at != m_head)
        for (MapPicture& picture : m_pictures) picture.dropTile();
    m_head = at;
    m_window = window;
    for (MapPicture& picture : m_pictures) picture.setWindow(shownWindow());
    rescale();
}

void CompareMaps::setScale(const ScaleChoice& choice) {
    if (choice == m_choice) return;
    m_choice = choice;
    rescale();
    relayout();
}

void CompareMaps::setTransposed(bool transposed) {
    if (transposed == m_transposed) return;
    m_transposed = transposed;
    setHovered(std::nullopt);  // another cell is under the mouse
    relayout();
}

void CompareMaps::setQuantity(engine::Quantity quantity) {
    m_quantity = quantity;
    rescale();
}

void CompareMaps::setTile(const engine::Tile& tile) {
    if (tile.request.heads.size() != 1 || tile.request.heads.front() != m_head) return;
    const bool difference = tile.request.minus.has_value();
    if (difference) {
        if (tile.request.run == m_sides[B].id && *tile.request.minus == m_sides[A].id)
            m_pictures[Difference].setTile(tile, 0);
    } else {
        for (const Panel panel : {A, B})
            if (tile.request.run == m_sides[panel].id) m_pictures[panel].setTile(tile, 0);
    }
    rescale();
}

void CompareMaps::setSelection(MapCell cell, bool locked) {
    m_selected = cell;
    m_locked = locked;
    setAccessibleDescription(describe(*m_selected));
    rescale();
}

void CompareMaps::clearSelection() {
    m_selected.reset();
    m_locked = false;
    rescale();
}

// Both runs on one range; the difference on its own, as far below 0 as above.
void CompareMaps::rescale() {
    ValueExtent both, difference;
    const bool renormalized = sinkOf(m_choice, m_quantity) == SinkMode::Renormalized;
    const auto extent = [&](Panel panel) {
        const auto& tile = m_pictures[panel].tile();
        return tile && tile->request.quantity == m_quantity &&
                       tile->request.renormalized == renormalized
                   ? extentOf(*tile, 0, shownWindow())
                   : ValueExtent();
    };
    both.include(extent(A));
    both.include(extent(B));
    difference.include(extent(Difference));
    ScaleChoice choice = m_choice;
    choice.rank = false;  // ranks of two runs are no common scale
    for (const Panel panel : {A, B, Difference}) {
        const bool minus = panel == Difference;
        if (minus) choice.range = RangeMode::Head;  // 1 is the range of a pattern, not of this
        MapLook look;
        look.view = m_view;
        look.positions = positions();
        look.rowsReady = minus ? std::min(rowsReady(A), rowsReady(B)) : rowsReady(panel);
        look.quantity = m_quantity;
        look.renormalized = renormalized;
        look.scale = scaleFor(choice, m_quantity, minus ? difference : both, theme().scheme, minus);
        look.hidesSink = hidesSinkOf(choice, positions());
        look.selected = m_selected;
        look.locked = m_locked;
        look.transposed = m_transposed;
        m_pictures[panel].setLook(look);
    }
    update();
}

void CompareMaps::relayout() {
    const double ratio = devicePixelRatioF();
    m_gutter = axisTitle + static_cast<int>(std::ceil(m_room.rowWidth)) + tickRoom;
    for (const double cell : {16.0, 0.0}) {
        m_below = static_cast<int>(std::ceil(m_columnRoom.columnHeight(columnLabelAngle(cell)))) +
                  (hasColumnTitle() ? axisTitle : 0);
        m_side = std::max(
            0, std::min((width() - m_gutter - 2 * gap - right) / panels, height() - top - m_below));
        if (m_side >= cell * static_cast<double>(std::max<std::int64_t>(1, m_view.count))) break;
    }
    rescale();
    // The captions have what is left between the maps; with small ones the read-out stands beside.
    const int left = width() - m_gutter - right;
    const int spread = m_side >= holdsReadOut ? left / panels : (left - m_side - readOut) / 2;
    m_pitch = std::max(m_side + gap, std::min(spread, m_side + readOut));
    int x = m_gutter;
    for (MapPicture& picture : m_pictures) {
        picture.place(QPointF(x, top), m_side, ratio);
        x += m_pitch;
    }
    update();
    const MapGeometry& geometry = m_pictures[A].scene().geometry;
    if (geometry.isEmpty()) return;
    m_view = geometry.view();
    const engine::Pooling pooling =
        geometry.cellsPerPixel() > 1 ? m_choice.pooling : engine::Pooling::None;
    if (geometry.dest() == m_wantedDest && geometry.src() == m_wantedSrc &&
        pooling == m_wantedPooling)
        return;
    m_wantedDest = geometry.dest();
    m_wantedSrc = geometry.src();
    m_wantedPooling = pooling;
    Q_EMIT viewWanted(m_wantedDest, m_wantedSrc, pooling);
}

QString CompareMaps::pooledText() const {
    const std::int64_t p = m_pictures[Difference].scene().geometry.cellsPerPixel();
    if (p <= 1) return {};
    const QString how = m_choice.pooling == engine::Pooling::Mean  ? tr("mean")
                        : m_choice.pooling == engine::Pooling::Sum ? tr("sum")
                                                                   : tr("largest");
    return tr("%1 of %2 × %2").arg(how, thousands(p));
}

bool CompareMaps::hasColumnTitle() const {
    return height() >= low;
}

CompareMaps::Values CompareMaps::valuesAt(MapCell cell) const {
    return {m_pictures[A].valueAt(cell), m_pictures[B].valueAt(cell),
            m_pictures[Difference].valueAt(cell)};
}

QString CompareMaps::number(const std::optional<double>& value, bool withSign) const {
    if (!value) return QStringLiteral("–");
    return withSign || isSigned(m_quantity) ? signedNumber(*value, 4) : plainNumber(*value, 4);
}

QString CompareMaps::describe(MapCell cell) const {
    const Values values = valuesAt(cell);
    QString text =
        QStringLiteral("%1 · dest %2 ← src %3 · %4 %5 · %6 %7 · %8 %9")
            .arg(headName(m_head), numberOf(cell.dest), numberOf(cell.src))
            .arg(m_sides[A].name, number(values.a, false), m_sides[B].name, number(values.b, false),
                 title(Difference), number(values.difference, true));
    for (const QString& more : {lackText(cell), pooledText()})
        if (!more.isEmpty()) text += QStringLiteral(" · ") + more;
    return text;
}

void CompareMaps::resizeEvent(QResizeEvent*) {
    relayout();
}

void CompareMaps::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        measureLabels();
        relayout();
    }
    QWidget::changeEvent(event);
}

}  // namespace ui
