// SPDX-License-Identifier: GPL-3.0-or-later
// Data into the map: tokens, tiles, selection, exact values.
#include <QCursor>
#include <algorithm>
#include <utility>

#include "ui/heatmap/head_heatmap_parts.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/names.h"
#include "ui/painting/number_text.h"
#include "ui/painting/text_spans.h"

namespace ui {

namespace {

// ms that another head's picture may stand in: too short to read it.
constexpr int staleAfter = 150;

}  // namespace

void HeadHeatmap::setTokens(std::vector<engine::Token> tokens, std::int64_t promptTokens,
                            std::int64_t reserved) {
    const std::int64_t positions = std::max<std::int64_t>(std::ssize(tokens), reserved);
    m->scene.tokens = std::move(tokens);
    m->scene.promptTokens = promptTokens;
    m->scene.rowsReady = 0;
    m->scene.tile.reset();
    m->row.reset();
    m->column.reset();
    m->hoveredCell.reset();
    m->lockedCell.reset();
    m->headExtent = m->tileExtent = {};
    m->extents = {};
    const std::int64_t before = m->axisCount();
    m->positions = positions;
    m->scene.units = unitsOf(m->scene.tokens, m->granularity);
    m->takeRoom();
    if (m->axisCount() != before) m->view = {0, 0, m->axisCount()};
    m->wantedDest = m->wantedSrc = {};  // another run: ask again, whatever the axes
    m->scene.hovered.reset();
    relayout();
}

void HeadHeatmap::appendToken(const engine::Token& token) {
    m->scene.tokens.push_back(token);
    const std::int64_t before = m->axisCount();
    const bool whole = m->view.count >= before;
    m->positions = std::max<std::int64_t>(m->positions, std::ssize(m->scene.tokens));
    m->scene.units = unitsOf(m->scene.tokens, m->granularity);
    if (m->hasSelection)
        m->scene.selected = MapCell{m->scene.units.unitOf(engine::to_int(m->selection.dest)),
                                    m->scene.units.unitOf(engine::to_int(m->selection.src))};
    // More than was reserved, or another span: the whole stays whole.
    if (whole && m->axisCount() != before) m->view = {0, 0, m->axisCount()};
    relayout();
}

const MapUnits& HeadHeatmap::units() const {
    return m->scene.units;
}

void HeadHeatmap::setGranularity(Granularity granularity) {
    if (granularity == m->granularity) return;
    m->granularity = granularity;
    const MapUnits before = std::exchange(m->scene.units, unitsOf(m->scene.tokens, granularity));
    const MapUnits& now = m->scene.units;
    if (m->positions > 0) {
        const MapView view = m->scene.geometry.view();
        const bool whole = m->scene.geometry.isEmpty() || m->scene.geometry.isWhole();
        const std::int64_t dest = now.unitOf(before.tokensOf(view.dest).begin);
        const std::int64_t last = now.unitOf(before.tokensOf(view.dest + view.count - 1).end - 1);
        m->view = whole ? MapView{0, 0, m->axisCount()}
                        : MapView{dest, now.unitOf(before.tokensOf(view.src).begin),
                                  std::max<std::int64_t>(last - dest + 1, 1)};
    }
    if (m->scene.selected) {
        const MapCell cell{engine::to_int(m->selection.dest), engine::to_int(m->selection.src)};
        m->scene.selected = MapCell{now.unitOf(cell.dest), now.unitOf(cell.src)};
    }
    m->scene.hovered.reset();
    m->hoveredCell.reset();
    m->scene.tile.reset();  // of another quantity, in a sense
    m->headExtent = m->tileExtent = {};
    m->takeRoom();
    relayout();
    setAccessibleDescription(accessibleValue());
}

void HeadHeatmap::setRowsReady(std::int64_t rows) {
    if (rows == m->scene.rowsReady) return;
    m->scene.rowsReady = rows;
    m->rescale();
    refresh();
    Q_EMIT layoutChanged();
}

void HeadHeatmap::setRule(const engine::AttentionRule& rule) {
    if (m->scene.window == rule.window && m->scene.softCap == rule.soft_cap) return;
    m->scene.window = rule.window;
    m->scene.softCap = rule.soft_cap;
    m->rescale();
    refresh();
}

void HeadHeatmap::setTile(const engine::Tile& tile) {
    const std::int64_t before = m->scene.rowsReady;
    m->takeTile(tile);
    refresh();
    if (m->scene.rowsReady != before) Q_EMIT layoutChanged();
}

void HeadHeatmap::setExtents(const RangeExtents& extents) {
    if (extents == m->extents) return;
    m->extents = extents;
    m->rescale();
    refresh();
}

void HeadHeatmap::setScale(const ScaleChoice& choice) {
    if (choice == m->choice) return;
    const bool pooled = choice.pooling != m->choice.pooling;
    m->choice = choice;
    m->takeRanks();
    m->rescale();
    if (pooled)
        relayout();
    else
        refresh();
}

void HeadHeatmap::setTransposed(bool transposed) {
    if (transposed == m->scene.transposed) return;
    m->scene.transposed = transposed;
    relayout();
    // Another cell is under the mouse.
    setHovered(underMouse() ? cellUnder(mapFromGlobal(QPointF(QCursor::pos()))) : std::nullopt);
}

void HeadHeatmap::setForbidden(std::vector<engine::EdgeEdit> edges) {
    m->forbidden = std::move(edges);
    m->takeForbidden();
    refresh();
}

void HeadHeatmap::Parts::takeForbidden() {
    scene.forbidden.clear();
    for (const engine::EdgeEdit& edge : forbidden)
        if (hasSelection && edge.at == selection.at) scene.forbidden.push_back(edge);
}

void HeadHeatmap::setSelection(const Selection& selection) {
    const bool sameHead =
        m->hasSelection && selection.at == m->selection.at && selection.run == m->selection.run;
    if (!sameHead) {
        m->extents = {};
        m->row.reset();
        m->column.reset();
        m->hoveredCell.reset();
        m->lockedCell.reset();
        if (m->scene.tile && !m->stale) {
            m->stale = true;
            m->staleTimer.start(staleAfter);
        }
    }
    m->selection = selection;
    m->hasSelection = true;
    m->takeForbidden();
    const MapUnits& units = m->scene.units;
    const MapCell cell{units.unitOf(engine::to_int(selection.dest)),
                       units.unitOf(engine::to_int(selection.src))};
    if (m->lockedCell &&
        (m->lockedCell->dest != selection.dest || m->lockedCell->src != selection.src))
        m->lockedCell.reset();
    // Moving on to a hovered cell: its values are here already.
    if (selection.locked && m->hoveredCell && m->hoveredCell->dest == selection.dest &&
        m->hoveredCell->src == selection.src)
        m->lockedCell = m->hoveredCell;
    const bool moved = m->scene.selected != cell;
    m->scene.selected = cell;
    m->scene.locked = selection.locked;
    if (moved && selection.locked && !m->scene.geometry.isEmpty() &&
        !m->scene.geometry.rectOf(cell).isValid()) {
        const std::int64_t half = m->scene.geometry.view().count / 2;
        setView({std::max<std::int64_t>(0, cell.dest - half),
                 std::max<std::int64_t>(0, cell.src - half), m->scene.geometry.view().count});
    }
    setAccessibleDescription(accessibleValue());
    refresh();
}

void HeadHeatmap::clearSelection() {
    m->hasSelection = false;
    m->scene.selected.reset();
    m->scene.locked = false;
    m->lockedCell.reset();
    setAccessibleDescription({});
    refresh();
}

void HeadHeatmap::setRow(engine::Position dest, std::vector<float> p) {
    m->row.emplace(dest, std::move(p));
    refresh();
}

void HeadHeatmap::setColumn(engine::Position src, std::vector<float> p) {
    m->column.emplace(src, std::move(p));
    refresh();
}

void HeadHeatmap::setCell(const engine::Cell& cell) {
    if (!m->hasSelection || cell.run != m->selection.run || cell.at != m->selection.at) return;
    const std::int64_t dest = engine::to_int(cell.dest), src = engine::to_int(cell.src);
    if (cell.dest == m->selection.dest && cell.src == m->selection.src) {
        m->lockedCell = cell;
        setAccessibleDescription(accessibleValue());
    }
    if (m->scene.hovered) {
        const engine::Rows row = m->scene.destTokens(*m->scene.hovered);
        const engine::Rows column = m->scene.srcTokens(*m->scene.hovered);
        if (dest >= row.begin && dest < row.end && src >= column.begin && src < column.end)
            m->hoveredCell = cell;
    }
    placeReadOut();
}

void HeadHeatmap::setMessage(const QString& message) {
    if (message == m->message) return;
    m->message = message;
    relayout();
}

QString HeadHeatmap::accessibleValue() const {
    if (!m->hasSelection || !m->scene.selected) return {};
    const ReadOutContent content = m->contentFor(*m->scene.selected, m->lockedCell);
    if (content.destSpan.count() > 0) {
        const QString value = content.drawn ? QStringLiteral(", %1 %2").arg(
                                                  content.drawnName, plainNumber(*content.drawn, 3))
                                            : QString();
        return QStringLiteral("%1, dest tokens %2 %3, src tokens %4 %5%6")
            .arg(headName(m->selection.at), rangeText(content.destSpan), content.destToken,
                 rangeText(content.srcSpan), content.srcToken, value);
    }
    QString text = QStringLiteral("%1, dest %2 %3, src %4 %5")
                       .arg(headName(m->selection.at), QString::number(content.dest),
                            content.destToken, QString::number(content.src), content.srcToken);
    if (!content.forbiddenBy.isEmpty())
        text += QStringLiteral(", forbidden by the edit ") + content.forbiddenBy;
    else if (m->lockedCell)
        text +=
            QStringLiteral(", p ") + plainNumber(static_cast<double>(m->lockedCell->pattern), 3);
    return text;
}

}  // namespace ui
