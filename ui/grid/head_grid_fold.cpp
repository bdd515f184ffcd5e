// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and columns of the grid that share a picture: what it shows, and how they are folded by
// mouse and keys.
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "ui/grid/head_grid_parts.h"
#include "ui/painting/names.h"
#include "ui/painting/thumbnail.h"

namespace ui {

namespace {

QString rangeName(const QString& letter, engine::Rows range) {
    if (range.count() == 1) return letter + QString::number(range.begin);
    return QStringLiteral("%1%2–%1%3").arg(letter).arg(range.begin).arg(range.end - 1);
}

}  // namespace

const QImage& HeadGrid::Parts::imageOf(engine::LayerHead first, int side, double ratio,
                                       const Theme& t) {
    Thumbnail& shown = thumbnails[indexOf(first)];
    if (!shown.stale && shown.image.width() == side) return shown.image;
    const auto paint = [&](const engine::Tile& tile, int index) {
        shown.image = thumbnailImage(tile, index, windowOf(first), side, ratio, t);
        shown.image.setDevicePixelRatio(ratio);
        shown.stale = false;
    };
    if (!isFolded(first)) {
        if (shown.tile) paint(*shown.tile, shown.index);
        return shown.image;
    }
    std::vector<TileHead> heads;
    for (const engine::LayerHead at : layout.headsWith(first)) {
        const Thumbnail& each = thumbnails[indexOf(at)];
        heads.push_back({each.tile, each.index});
    }
    // What was there stays until all heads have caught up.
    if (const auto folded = foldedTile(heads, fold.pooling)) paint(*folded, 0);
    return shown.image;
}

void HeadGrid::setFold(GridFold fold) {
    if (fold == m->fold) return;
    m->fold = std::move(fold);
    m->foldMark.reset();
    m->dropImages();
    m->hovered.reset();
    relayout();
    m->asked.clear();
    askForThumbnails();
    setAccessibleDescription(accessibleValue());
    if (m->focused) scrollTo(*m->focused);
    Q_EMIT foldChanged();
}

const GridFold& HeadGrid::fold() const {
    return m->fold;
}

bool HeadGrid::canFoldGroups() const {
    return m->layout.groups() < m->layout.heads();
}

int HeadGrid::pictures() const {
    return m->layout.rows() * m->layout.columns();
}

std::vector<engine::LayerHead> HeadGrid::headsWith(engine::LayerHead at) const {
    return m->has(at) ? m->layout.headsWith(at) : std::vector<engine::LayerHead>();
}

engine::LayerHead HeadGrid::standsFor(engine::LayerHead first) const {
    if (m->focused && m->isSamePicture(*m->focused, first)) return *m->focused;
    const int best = rankOfPicture(first);
    for (const engine::LayerHead at : m->layout.headsWith(first))
        if (best > 0 && rankOf(at) == best) return at;
    return first;
}

int HeadGrid::rankOfPicture(engine::LayerHead first) const {
    int best = 0;
    for (const engine::LayerHead at : m->layout.headsWith(first))
        if (const int rank = rankOf(at); rank > 0 && (best == 0 || rank < best)) best = rank;
    return best;
}

bool HeadGrid::isPictureDimmed(engine::LayerHead first) const {
    const auto heads = m->layout.headsWith(first);
    return std::all_of(heads.begin(), heads.end(),
                       [this](engine::LayerHead at) { return isDimmed(at); });
}

engine::LayerHead HeadGrid::neighbour(engine::LayerHead at, int rows, int columns) const {
    if (!m->has(at)) return at;
    const int row = m->layout.rowOf(engine::to_int(at.layer)),
              column = m->layout.columnOf(engine::to_int(at.head));
    const int toRow = std::clamp(row + rows, 0, m->layout.rows() - 1),
              toColumn = std::clamp(column + columns, 0, m->layout.columns() - 1);
    engine::LayerHead to = at;
    if (toRow != row) to.layer = engine::Layer(m->layout.layersIn(toRow).begin);
    if (toColumn != column) to.head = engine::QueryHead(m->layout.headsIn(toColumn).begin);
    if (to == at) return at;
    const engine::LayerHead stands = standsFor(m->firstWith(to));
    // Straight on: the same head of the next layer, the same layer of the next head.
    if (toRow != row && m->layout.layersIn(toRow).count() > 1) to.layer = stands.layer;
    if (toColumn != column && m->layout.headsIn(toColumn).count() > 1) to.head = stands.head;
    return to;
}

QString HeadGrid::pooledText(engine::LayerHead at) const {
    const engine::Rows layers = m->layout.layersIn(m->layout.rowOf(engine::to_int(at.layer))),
                       heads = m->layout.headsIn(m->layout.columnOf(engine::to_int(at.head)));
    return tr("%1 of %2: %3, %4")
        .arg(poolingName(m->fold.pooling))
        .arg(layers.count() * heads.count())
        .arg(rangeName(QStringLiteral("L"), layers), rangeName(QStringLiteral("H"), heads));
}

QString HeadGrid::describe(engine::LayerHead at) const {
    if (!m->has(at)) return {};
    return m->isFolded(at) ? headName(at) + QStringLiteral(" · ") + pooledText(at) : headName(at);
}

// ---- folding

void HeadGrid::foldGroups() {
    if (!canFoldGroups()) return;
    GridFold fold = m->fold;
    const bool all = std::ssize(fold.groups) == m->layout.groups();
    fold.groups.clear();
    for (int group = 0; !all && group < m->layout.groups(); ++group) fold.groups.push_back(group);
    setFold(std::move(fold));
}

void HeadGrid::foldFocusedGroup() {
    if (!m->focused || !canFoldGroups()) return;
    GridFold fold = m->fold;
    fold.toggleGroup(m->layout.groupOf(engine::to_int(m->focused->head)));
    setFold(std::move(fold));
}

void HeadGrid::foldLayers() {
    if (!m->focused) return;
    const int layer = engine::to_int(m->focused->layer);
    GridFold fold = m->fold;
    const bool isRange = m->layout.layersIn(m->layout.rowOf(layer)).count() > 1;
    if (const auto mark = std::exchange(m->foldMark, std::nullopt)) {
        fold.foldLayers({std::min(*mark, layer), std::max(*mark, layer) + 1});
        if (fold == m->fold) Q_EMIT foldChanged();  // here only: the range is given up
    } else if (isRange) {
        fold.unfoldLayers(layer);
    } else {
        m->foldMark = layer;
        Q_EMIT foldBegun(layer);
    }
    viewport()->update();
    setFold(std::move(fold));
}

void HeadGrid::unfoldAll() {
    m->foldMark.reset();
    viewport()->update();
    setFold({.pooling = m->fold.pooling});
}

void HeadGrid::nextFoldPooling() {
    GridFold fold = m->fold;
    fold.pooling = fold.pooling == FoldPooling::Max ? FoldPooling::Mean : FoldPooling::Max;
    setFold(std::move(fold));
}

// ---- by mouse: a KV group's head, layers in the gutter, the corner's word

bool HeadGrid::pressMargin(QMouseEvent* event) {
    const QPoint at = event->pos();
    const bool left = at.x() < GridLayout::gutter - 2, above = at.y() < GridLayout::header;
    if (m->layout.layers() == 0 || (!left && !above)) return false;
    if (left && above) {
        if (!m->fold.isEmpty()) nextFoldPooling();
    } else if (above) {
        for (int group = 0; group < m->layout.groups(); ++group) {
            const QRect place = m->layout.groupRect(group).translated(contentOrigin());
            if (at.x() < place.left() || at.x() > place.right() || !canFoldGroups()) continue;
            GridFold fold = m->fold;
            fold.toggleGroup(group);
            setFold(std::move(fold));
            break;
        }
    } else if (at.y() - contentOrigin().y() < m->layout.rows() * m->layout.pitch()) {
        const int row = m->layout.rowAt(at.y() - contentOrigin().y());
        const bool fromFocus = (event->modifiers() & Qt::ShiftModifier) && m->focused;
        m->dragFrom = fromFocus ? m->layout.rowOf(engine::to_int(m->focused->layer)) : row;
        m->dragged = engine::Rows{std::min(row, m->dragFrom), std::max(row, m->dragFrom) + 1};
        viewport()->update();
    }
    return true;
}

void HeadGrid::mouseReleaseEvent(QMouseEvent* event) {
    const auto dragged = std::exchange(m->dragged, std::nullopt);
    if (!dragged) return QAbstractScrollArea::mouseReleaseEvent(event);
    viewport()->update();
    const engine::Rows first = m->layout.layersIn(static_cast<int>(dragged->begin)),
                       last = m->layout.layersIn(static_cast<int>(dragged->end - 1));
    GridFold fold = m->fold;
    if (dragged->count() > 1)
        fold.foldLayers({first.begin, last.end});
    else
        fold.unfoldLayers(static_cast<int>(first.begin));
    setFold(std::move(fold));
}

QString HeadGrid::marginHint(QPoint at) const {
    const bool left = at.x() < GridLayout::gutter - 2, above = at.y() < GridLayout::header;
    if (m->layout.layers() == 0 || (!left && !above)) return {};
    const bool isMax = m->fold.pooling == FoldPooling::Max;
    if (left && above) {
        if (m->fold.isEmpty()) return {};
        return (isMax ? tr("A folded picture shows the largest p of its heads.")
                      : tr("A folded picture shows the mean p of its heads; p is 0 where a head is "
                           "masked.")) +
               tr(" A pixel of several cells holds each head's largest.\nClick for the %1.")
                   .arg(isMax ? tr("mean") : tr("largest"));
    }
    if (above) {
        for (int group = 0; canFoldGroups() && group < m->layout.groups(); ++group) {
            const QRect place = m->layout.groupRect(group).translated(contentOrigin());
            if (at.x() < place.left() || at.x() > place.right()) continue;
            const QString heads = rangeName(QStringLiteral("H"), m->layout.headsOf(group));
            return (m->fold.hasGroup(group) ? tr("KV %1 holds %2. Click: a column each again.")
                                            : tr("KV %1 holds %2. Click: one column for them."))
                .arg(group)
                .arg(heads);
        }
        return {};
    }
    if (at.y() - contentOrigin().y() >= m->layout.rows() * m->layout.pitch()) return {};
    const engine::Rows layers = m->layout.layersIn(m->layout.rowAt(at.y() - contentOrigin().y()));
    return layers.count() > 1
               ? tr("%1 share a row. Click: a row each again.")
                     .arg(rangeName(QStringLiteral("L"), layers))
               : tr("Drag over layers, or Shift-click from the focused one: one row for them.");
}

// A cross; a thin one over a picture that other heads share.
void HeadGrid::paintAblated(QPainter& painter) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const engine::LayerHead at : m->ablated) {
        if (!m->has(at)) continue;
        const QRectF rect = QRectF(headRect(at)).adjusted(1.5, 1.5, -1.5, -1.5);
        for (const auto& [colour, width] :
             {std::pair(theme().halo, 3.5), std::pair(theme().error, 1.5)}) {
            painter.setPen(QPen(colour, m->isFolded(at) ? width / 2 : width));
            painter.drawLine(rect.topLeft(), rect.bottomRight());
            painter.drawLine(rect.bottomLeft(), rect.topRight());
        }
    }
    painter.restore();
}

// Over gutter and header, which are there already.
void HeadGrid::paintFolds(QPainter& painter) const {
    const Theme& t = theme();
    const auto band = [&](engine::Rows rows, const QColor& colour) {
        const int top = contentOrigin().y() + static_cast<int>(rows.begin) * m->layout.pitch();
        painter.fillRect(QRect(GridLayout::gutter - 4, top, 2,
                               static_cast<int>(rows.count()) * m->layout.pitch() - 1),
                         colour);
    };
    painter.save();
    painter.setClipRect(QRect(0, GridLayout::header, GridLayout::gutter, viewport()->height()));
    for (const engine::Rows& layers : m->fold.layers) {
        const int row = m->layout.rowOf(static_cast<int>(layers.begin));
        band({row, row + 1}, t.text3);
    }
    if (m->foldMark) {
        const int row = m->layout.rowOf(*m->foldMark);
        band({row, row + 1}, t.accent);
    }
    if (m->dragged) band(*m->dragged, t.accent);
    painter.restore();
    if (m->fold.isEmpty()) return;
    painter.setFont(wordFont(10));
    painter.setPen(t.text);
    painter.drawText(QRect(0, GridLayout::header - 18, GridLayout::gutter - 5, 18),
                     Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     poolingName(m->fold.pooling));
}

}  // namespace ui
