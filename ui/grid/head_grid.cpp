// SPDX-License-Identifier: GPL-3.0-or-later
#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "ui/grid/head_grid_parts.h"
#include "ui/painting/grid_painter.h"
#include "ui/painting/names.h"
#include "ui/painting/thumbnail.h"

namespace ui {

HeadGrid::HeadGrid(QWidget* parent) : QAbstractScrollArea(parent), m(std::make_unique<Parts>()) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Heads"));
    m->ask.setSingleShot(true);
    m->ask.setInterval(0);
    connect(&m->ask, &QTimer::timeout, this, [this] {
        const QVector<engine::LayerHead> heads = visibleHeads();
        if (heads.isEmpty() || (heads == m->asked && thumbnailPixels() == m->askedPixels)) return;
        m->asked = heads;
        m->askedPixels = thumbnailPixels();
        Q_EMIT thumbnailsWanted(heads, m->askedPixels);
    });
}

HeadGrid::~HeadGrid() = default;

namespace {

constexpr std::size_t badges = 12;

// In the masked corner, where no value is.
void paintRank(QPainter& painter, const Theme& t, const QRect& head, int rank) {
    painter.setFont(wordFont(9, true));
    const QString text = QString::number(rank);
    const QFontMetrics metrics(painter.font());
    const QRect box(head.right() - metrics.horizontalAdvance(text) - 1, head.top(),
                    metrics.horizontalAdvance(text) + 2, metrics.ascent());
    painter.fillRect(box, t.base);
    painter.setPen(t.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace

void HeadGrid::setModel(const engine::ModelInfo& model) {
    m->model = model;
    m->focused.reset();
    m->hovered.reset();
    m->thumbnails.assign(static_cast<std::size_t>(std::max(0, model.layers * model.query_heads)),
                         {});
    m->fold = {.pooling = m->fold.pooling};
    m->foldMark.reset();
    m->dragged.reset();
    m->asked.clear();
    m->ranks.clear();
    m->dimmed.clear();
    relayout();
}

void HeadGrid::clearThumbnails() {
    m->thumbnails.assign(m->thumbnails.size(), {});
    m->asked.clear();
    askForThumbnails();
    viewport()->update();
}

void HeadGrid::setThumbnails(const engine::Tile& tile) {
    const std::int64_t pixels = tile.request.dest.pixels() * tile.request.src.pixels();
    const bool readable =
        tile.data.dtype == engine::DType::U8 || tile.data.dtype == engine::DType::F32;
    if (!readable || tile.data.elements() != pixels * std::ssize(tile.request.heads)) return;
    const auto shared = std::make_shared<const engine::Tile>(tile);
    for (std::size_t i = 0; i < tile.request.heads.size(); ++i) {
        const engine::LayerHead at = tile.request.heads[i];
        if (!m->has(at)) continue;
        Parts::Thumbnail& thumbnail = m->thumbnails[m->indexOf(at)];
        thumbnail.tile = shared;
        thumbnail.index = static_cast<int>(i);
        m->thumbnails[m->indexOf(m->firstWith(at))].stale = true;
    }
    viewport()->update();
}

void HeadGrid::setRowsReady(std::int64_t) {
    m->asked.clear();
    askForThumbnails();
}

void HeadGrid::setFocusedHead(std::optional<engine::LayerHead> head) {
    if (head && !m->has(*head)) head.reset();
    if (m->focused == head) return;
    m->focused = head;
    setAccessibleDescription(accessibleValue());
    if (head) scrollTo(*head);
    viewport()->update();
}

std::optional<engine::LayerHead> HeadGrid::focusedHead() const {
    return m->focused;
}

void HeadGrid::setPitch(std::optional<int> pitch) {
    m->pitch = pitch;
    relayout();
    if (m->focused) scrollTo(*m->focused);
}

void HeadGrid::setRanking(const std::vector<engine::LayerHead>& ranked, bool dimOthers,
                          std::size_t numbered) {
    std::vector<std::uint8_t> ranks(m->thumbnails.size(), 0);
    std::vector<std::uint8_t> dimmed(m->thumbnails.size(), dimOthers ? 1 : 0);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        if (!m->has(ranked[i])) continue;
        const std::size_t at = m->indexOf(ranked[i]);
        if (i < std::min(badges, numbered)) ranks[at] = static_cast<std::uint8_t>(i + 1);
        dimmed[at] = 0;
    }
    if (ranks == m->ranks && dimmed == m->dimmed) return;
    m->ranks = std::move(ranks);
    m->dimmed = std::move(dimmed);
    viewport()->update();
}

int HeadGrid::rankOf(engine::LayerHead at) const {
    return m->has(at) && m->indexOf(at) < m->ranks.size() ? m->ranks[m->indexOf(at)] : 0;
}

bool HeadGrid::isDimmed(engine::LayerHead at) const {
    return m->has(at) && m->indexOf(at) < m->dimmed.size() && m->dimmed[m->indexOf(at)] != 0;
}

void HeadGrid::setPinned(const std::vector<engine::LayerHead>& heads) {
    m->pinned = heads;
    setAccessibleDescription(accessibleValue());
    viewport()->update();
}

bool HeadGrid::isPinned(engine::LayerHead at) const {
    return std::find(m->pinned.begin(), m->pinned.end(), at) != m->pinned.end();
}

void HeadGrid::setAblated(const std::vector<engine::LayerHead>& heads) {
    if (heads == m->ablated) return;
    m->ablated = heads;
    setAccessibleDescription(accessibleValue());
    viewport()->update();
}

bool HeadGrid::isAblated(engine::LayerHead at) const {
    return std::find(m->ablated.begin(), m->ablated.end(), at) != m->ablated.end();
}

int HeadGrid::pitch() const {
    return m->layout.pitch();
}

int HeadGrid::thumbnailPixels() const {
    return static_cast<int>(std::lround(m->layout.thumbnail() * devicePixelRatioF()));
}

QPoint HeadGrid::contentOrigin() const {
    return {GridLayout::gutter - horizontalScrollBar()->value(),
            GridLayout::header - verticalScrollBar()->value()};
}

QRect HeadGrid::headRect(engine::LayerHead at) const {
    return m->has(at) ? m->layout.rectOf(at).translated(contentOrigin()) : QRect();
}

QVector<engine::LayerHead> HeadGrid::visibleHeads() const {
    QVector<engine::LayerHead> heads;
    const QRect view = viewport()->rect().adjusted(GridLayout::gutter, GridLayout::header, 0, 0);
    for (int l = 0; l < m->layout.layers(); ++l)
        for (int h = 0; h < m->layout.heads(); ++h) {
            const engine::LayerHead at{engine::Layer{l}, engine::QueryHead{h}};
            if (headRect(at).intersects(view)) heads.append(at);
        }
    return heads;
}

std::optional<engine::LayerHead> HeadGrid::headAt(QPoint at) const {
    if (at.x() < GridLayout::gutter || at.y() < GridLayout::header) return std::nullopt;
    const auto first = m->layout.headAt(at - contentOrigin());
    if (!first || !m->isFolded(*first)) return first;
    return standsFor(*first);
}

QString HeadGrid::accessibleValue() const {
    if (!m->focused) return {};
    const QString pinned =
        (isPinned(*m->focused) ? tr(", pinned") : QString()) +
        (isAblated(*m->focused) ? tr(", off in this run") : QString()) +
        (m->isFolded(*m->focused) ? tr(", in a picture that is the ") + pooledText(*m->focused)
                                  : QString());
    return tr("%1, KV %2, layer %3 of %4, head %5 of %6")
               .arg(headName(*m->focused))
               .arg(m->layout.groupOf(engine::to_int(m->focused->head)))
               .arg(engine::to_int(m->focused->layer) + 1)
               .arg(m->layout.layers())
               .arg(engine::to_int(m->focused->head) + 1)
               .arg(m->layout.heads()) +
           pinned;
}

QSize HeadGrid::sizeHint() const {
    return {276, 600};
}
QSize HeadGrid::minimumSizeHint() const {
    return {180, 120};
}

void HeadGrid::relayout() {
    const engine::ModelInfo& model = m->model;
    const QSize view = viewport()->size();
    const int pitch = m->pitch.value_or(GridLayout::fittingPitch(
        model.layers, model.query_heads, model.kv_heads, maximumViewportSize(), m->fold));
    if (pitch != m->layout.pitch()) m->dropImages();
    m->layout = model.layers > 0
                    ? GridLayout(model.layers, model.query_heads, model.kv_heads, pitch, m->fold)
                    : GridLayout();
    const QSize room(std::max(0, view.width() - GridLayout::gutter),
                     std::max(0, view.height() - GridLayout::header));
    horizontalScrollBar()->setRange(0, std::max(0, m->layout.size().width() - room.width()));
    horizontalScrollBar()->setPageStep(room.width());
    horizontalScrollBar()->setSingleStep(m->layout.pitch());
    verticalScrollBar()->setRange(0, std::max(0, m->layout.size().height() - room.height()));
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setSingleStep(m->layout.pitch());
    askForThumbnails();
    viewport()->update();
}

void HeadGrid::askForThumbnails() {
    if (m->layout.layers() > 0) m->ask.start();
}

void HeadGrid::scrollTo(engine::LayerHead at) {
    const QRect head = headRect(at).adjusted(-3, -3, 3, 3);
    const QRect view =
        viewport()->rect().adjusted(GridLayout::gutter - 2, GridLayout::header - 2, 0, 0);
    const auto shift = [](QScrollBar* bar, int before, int after) {
        bar->setValue(bar->value() + std::min(before, 0) + std::max(after, 0));
    };
    shift(verticalScrollBar(), head.top() - view.top(), head.bottom() - view.bottom());
    shift(horizontalScrollBar(), head.left() - view.left(), head.right() - view.right());
}

void HeadGrid::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& t = theme();
    painter.fillRect(viewport()->rect(), t.base);
    if (m->layout.layers() == 0) return paintEmptyGrid(painter, t, viewport()->size());
    const GridScene scene{t, m->layout, viewport()->size(), contentOrigin(), m->focused};
    paintGridFrames(painter, scene);
    const double ratio = devicePixelRatioF();
    const int side = thumbnailPixels();
    for (const engine::LayerHead at : visibleHeads()) {
        if (m->firstWith(at) != at) continue;
        const QRect rect = headRect(at);
        const QImage& image = m->imageOf(at, side, ratio, t);
        if (image.isNull()) {
            painter.fillRect(rect, t.notComputedGround);
            continue;
        }
        painter.drawImage(
            QPointF(std::round(rect.x() * ratio) / ratio, std::round(rect.y() * ratio) / ratio),
            image);
        if (isPictureDimmed(at)) {
            QColor veil = t.base;
            veil.setAlphaF(0.72F);
            painter.fillRect(rect, veil);
        }
        if (const int rank = rankOfPicture(at); rank > 0) paintRank(painter, t, rect, rank);
    }
    paintAblated(painter);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.text, 1.5, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    for (const engine::LayerHead at : m->pinned)
        if (m->has(at)) painter.drawRect(QRectF(headRect(at)).adjusted(-0.25, -0.25, 0.25, 0.25));
    if (m->hovered && !(m->focused && m->isSamePicture(*m->hovered, *m->focused))) {
        painter.setPen(QPen(t.text2, 1));
        painter.drawRect(headRect(*m->hovered).adjusted(-1, -1, 0, 0));
    }
    if (m->focused) {
        const QRect rect = headRect(*m->focused);
        painter.setPen(QPen(t.halo, 1));
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
        painter.setPen(QPen(t.accent, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(rect.adjusted(-1, -1, 1, 1));
    }
    paintGridGutter(painter, scene);
    paintGridHeader(painter, scene);
    paintFolds(painter);
    if (hasFocus()) {
        painter.setPen(QPen(t.accent, 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void HeadGrid::resizeEvent(QResizeEvent*) {
    relayout();
    if (m->focused) scrollTo(*m->focused);
}

void HeadGrid::scrollContentsBy(int, int) {
    askForThumbnails();
    viewport()->update();
}

void HeadGrid::changeEvent(QEvent* event) {
    if (m && event->type() == QEvent::PaletteChange) {
        m->dropImages();
        viewport()->update();
    }
    QAbstractScrollArea::changeEvent(event);
}

}  // namespace ui
