// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/mini_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int headerHeight = 18, largestSide = 190, leastFrame = 8;

}  // namespace

MiniMap::MiniMap(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Whole head"));
    hide();
}

int MiniMap::heightFor(int width) {
    return headerHeight + std::min(width, largestSide);
}

bool MiniMap::isNeeded() const {
    const MapLook& look = m_picture.look();
    return look.positions > 0 && m_view.count > 0 && m_view.count < look.positions;
}

void MiniMap::setLook(const MapLook& look, engine::Pooling pooling) {
    m_view = look.view;
    m_pooling = pooling;
    MapLook whole = look;
    whole.view = {0, 0, look.positions};
    whole.selected.reset();  // the large map's to mark
    whole.locked = false;
    m_picture.setLook(whole);
    const MapUnits& units = look.units;
    const auto ends = [&](std::int64_t from) {
        return rangeText(
            units.tokensOf(engine::Rows{from, std::min(from + m_view.count, look.positions)}));
    };
    setAccessibleDescription(
        tr("in view: dest %1, src %2").arg(ends(m_view.dest), ends(m_view.src)));
    askForView();
    update();
}

void MiniMap::setHead(engine::RunId run, engine::LayerHead head, int window) {
    m_picture.setWindow(window);
    if (run == m_run && head == m_head) return;
    if (run != m_run) m_wanted.reset();
    m_run = run;
    m_head = head;
    m_picture.dropTile();
    update();
}

void MiniMap::setTile(const engine::Tile& tile) {
    const auto& heads = tile.request.heads;
    if (tile.request.run != m_run || heads.size() != 1 || heads.front() != m_head) return;
    m_picture.setTile(tile, 0);
    update();
}

void MiniMap::place() {
    m_picture.place(QPointF(0, headerHeight), std::min(width(), height() - headerHeight),
                    devicePixelRatioF());
    askForView();
    update();
}

void MiniMap::askForView() {
    if (!isVisible() || !isNeeded()) return;
    const auto wanted = m_picture.wanted(m_pooling);
    if (!wanted || wanted == m_wanted) return;
    m_wanted = wanted;
    Q_EMIT viewWanted(wanted->dest, wanted->src, wanted->pooling);
}

QRect MiniMap::viewRect() const {
    const MapScene& scene = m_picture.scene();
    if (scene.geometry.isEmpty() || !isNeeded()) return {};
    const double cell = scene.cellPixels();
    const double side = std::max<double>(static_cast<double>(m_view.count) * cell, leastFrame);
    QRectF rect(0, 0, side, side);
    const double half = static_cast<double>(m_view.count) / 2;
    rect.moveCenter(scene.origin +
                    scene.turned({(static_cast<double>(m_view.src) + half) * cell,
                                  (static_cast<double>(m_view.dest) + half) * cell}));
    return rect.toAlignedRect();
}

void MiniMap::paintEvent(QPaintEvent*) {
    if (m_picture.scene().ratio != devicePixelRatioF()) place();  // on another screen
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    const QRect header(0, 0, width(), headerHeight - 3);
    painter.setFont(wordFont(11, true));
    painter.setPen(t.text);
    painter.drawText(header, Qt::AlignLeft | Qt::AlignVCenter, tr("Whole head"));
    const int side = static_cast<int>(m_picture.scene().mapRect().width());
    painter.setFont(monoFont(10));
    painter.setPen(t.text2);
    painter.drawText(QRect(0, 0, std::max(side, 1), headerHeight - 3),
                     Qt::AlignRight | Qt::AlignVCenter,
                     thousands(m_picture.look().positions) + u'²');
    m_picture.paint(painter);
    const QRect frame = viewRect();
    if (frame.isValid()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.halo, 1));
        painter.drawRect(frame.adjusted(-1, -1, 0, 0));
        painter.drawRect(frame.adjusted(1, 1, -2, -2));
        painter.setPen(QPen(t.text, 1));
        painter.drawRect(frame.adjusted(0, 0, -1, -1));
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(t.accent, 1, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void MiniMap::moveView(std::int64_t dest, std::int64_t src) {
    const std::int64_t last = m_picture.look().positions - m_view.count;
    const MapView view{std::clamp<std::int64_t>(dest, 0, std::max<std::int64_t>(last, 0)),
                       std::clamp<std::int64_t>(src, 0, std::max<std::int64_t>(last, 0)),
                       m_view.count};
    if (view != m_view) Q_EMIT viewMoved(view);
}

void MiniMap::moveTo(QPointF position) {
    const MapScene& scene = m_picture.scene();
    if (scene.geometry.isEmpty() || !isNeeded()) return;
    const QPointF cells = scene.toMap(position) / scene.geometry.cellSize();
    const double half = static_cast<double>(m_view.count) / 2;
    moveView(std::llround(cells.y() - half), std::llround(cells.x() - half));
}

void MiniMap::mousePressEvent(QMouseEvent* event) {
    const QRectF map = m_picture.scene().mapRect();
    if (event->button() != Qt::LeftButton || !map.contains(event->position()))
        return event->ignore();
    const QRectF frame(viewRect());
    // Beside the frame it comes under the mouse first.
    m_grip = frame.contains(event->position()) ? event->position() - frame.center() : QPointF();
    setCursor(Qt::ClosedHandCursor);
    moveTo(event->position() - *m_grip);
}

void MiniMap::mouseMoveEvent(QMouseEvent* event) {
    if (m_grip && (event->buttons() & Qt::LeftButton)) return moveTo(event->position() - *m_grip);
    setCursor(viewRect().contains(event->position().toPoint()) ? Qt::OpenHandCursor
                                                               : Qt::ArrowCursor);
}

void MiniMap::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_grip.reset();
    unsetCursor();
}

namespace {

QPoint arrowOf(int key) {
    switch (key) {
        case Qt::Key_Left: return {-1, 0};
        case Qt::Key_Right: return {1, 0};
        case Qt::Key_Up: return {0, -1};
        case Qt::Key_Down: return {0, 1};
        default: return {};
    }
}

}  // namespace

void MiniMap::keyPressEvent(QKeyEvent* event) {
    if (arrowOf(event->key()).isNull()) return event->ignore();
    const QPoint arrow = m_picture.scene().turned(QPointF(arrowOf(event->key()))).toPoint();
    const std::int64_t step = std::max<std::int64_t>(m_view.count / 4, 1);
    moveView(m_view.dest + arrow.y() * step, m_view.src + arrow.x() * step);
}

bool MiniMap::event(QEvent* event) {
    // Plain arrows are the window's otherwise.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (!arrowOf(key->key()).isNull() &&
            (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(),
                           literalToolTip(tr("The whole of this head; the frame is what the large "
                                             "map shows\nDrag it, or move it with the arrow keys · "
                                             "O hides or shows this map")),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void MiniMap::resizeEvent(QResizeEvent*) {
    place();
}

void MiniMap::showEvent(QShowEvent*) {
    place();
}

void MiniMap::hideEvent(QHideEvent*) {
    m_wanted.reset();
    m_grip.reset();
    Q_EMIT notWanted();
}

void MiniMap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) place();
    QWidget::changeEvent(event);
}

void MiniMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void MiniMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace ui
