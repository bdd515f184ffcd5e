// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/pinned_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/painting/names.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int titleHeight = 17, mark = 7, below = 9, cross = 14;

}  // namespace

PinnedMap::PinnedMap(engine::LayerHead head, QWidget* parent) : QWidget(parent), m_head(head) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Pinned head %1").arg(headName(head)));
    setObjectName(QStringLiteral("pin-") + headName(head));
    setCursor(Qt::PointingHandCursor);
    setMouseTracking(true);
}

int PinnedMap::heightFor(int width) {
    return titleHeight + std::max(0, width - mark - 1) + below;
}

void PinnedMap::setLook(const MapLook& look) {
    if (m_picture.setLook(look)) update();
}

void PinnedMap::setWindow(int keys) {
    m_picture.setWindow(keys);
    update();
}

void PinnedMap::setTile(const engine::Tile& tile, int index) {
    m_picture.setTile(tile, index);
    update();
}

void PinnedMap::dropTile() {
    m_picture.dropTile();
    update();
}

void PinnedMap::placePicture() {
    m_picture.place(QPointF(mark, titleHeight),
                    std::min(width() - mark - 1, height() - titleHeight - below),
                    devicePixelRatioF());
    update();
}

void PinnedMap::resizeEvent(QResizeEvent*) {
    placePicture();
}

void PinnedMap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        placePicture();
    QWidget::changeEvent(event);
}

QRect PinnedMap::unpinRect() const {
    return {width() - cross - 1, 1, cross, cross};
}

void PinnedMap::setFocused(bool focused) {
    if (focused == m_focused) return;
    m_focused = focused;
    setAccessibleDescription(focused ? tr("shown in the large map") : QString());
    update();
}

void PinnedMap::setNote(const QString& note) {
    if (note == m_note) return;
    m_note = note;
    update();
}

void PinnedMap::paintEvent(QPaintEvent*) {
    if (m_picture.scene().ratio != devicePixelRatioF()) placePicture();  // on another screen
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    m_picture.paint(painter);
    paintTitle(painter);
    if (!m_picture.scene().geometry.isEmpty()) paintMarks(painter);
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void PinnedMap::paintTitle(QPainter& painter) const {
    const Theme& t = theme();
    painter.setFont(wordFont(11, true));
    painter.setPen(m_focused ? t.accent : t.text);
    const QRect title(mark, 0, width() - mark, titleHeight - 2);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, headName(m_head));
    if (m_under || hasFocus()) {
        const QRectF box = QRectF(unpinRect()).adjusted(4, 4, -4, -4);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.text2, 1.4));
        painter.drawLine(box.topLeft(), box.bottomRight());
        painter.drawLine(box.topRight(), box.bottomLeft());
        painter.setRenderHint(QPainter::Antialiasing, false);
        return;
    }
    const double name = QFontMetricsF(painter.font()).horizontalAdvance(headName(m_head));
    painter.setFont(monoFont(10));
    // Cut it would be another number: in a narrow column the tooltip has it.
    if (name + 6 + QFontMetricsF(painter.font()).horizontalAdvance(m_note) > title.width() - 2)
        return;
    painter.setPen(t.text2);
    painter.drawText(title.adjusted(0, 0, -2, 0), Qt::AlignRight | Qt::AlignVCenter, m_note);
}

void PinnedMap::paintMarks(QPainter& painter) const {
    const MapScene& scene = m_picture.scene();
    const Theme& t = scene.theme;
    const QRectF map = scene.mapRect();
    painter.setBrush(Qt::NoBrush);
    if (m_focused) {
        painter.setPen(QPen(t.accent, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(map.adjusted(-1, -1, 1, 1));
    }
    if (!scene.selected) return;
    const QRect device = scene.geometry.rectOf(*scene.selected);
    if (!device.isValid()) return;
    QRectF box = scene.logical(device);
    const double x = box.center().x(), y = box.center().y();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(scene.transposed ? t.src : t.dest);
    painter.drawPolygon(
        QPolygonF({{map.left() - 6, y - 3}, {map.left() - 1.5, y}, {map.left() - 6, y + 3}}));
    painter.setBrush(scene.transposed ? t.dest : t.src);
    painter.drawPolygon(
        QPolygonF({{x - 3, map.bottom() + 6}, {x, map.bottom() + 1.5}, {x + 3, map.bottom() + 6}}));
    if (box.width() < 5) box = QRectF(x - 2.5, y - 2.5, 5, 5);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.halo, 1));
    painter.drawRect(box.adjusted(-1.5, -1.5, 1.5, 1.5));
    painter.setPen(QPen(t.text, 1));
    painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

namespace {

// The window has shortcuts of its own on these.
bool isOwnKey(int key) {
    return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space ||
           key == Qt::Key_Delete || key == Qt::Key_Backspace;
}

}  // namespace

bool PinnedMap::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if ((key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier && isOwnKey(key->key())) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text =
            unpinRect().contains(help->pos())
                ? tr("Unpin %1 (Delete, Ctrl-click)").arg(headName(m_head))
                : tr("%1, on the axes and scale of the large map%2\nClick: show it there · double "
                     "click: alone · Ctrl-click: unpin")
                      .arg(headName(m_head),
                           m_note.isEmpty() ? QString() : tr("\nlogit attribution %1").arg(m_note));
        QToolTip::showText(help->globalPos(), literalToolTip(text), this);
        return true;
    }
    return QWidget::event(event);
}

void PinnedMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    const engine::LayerHead head = m_head;  // the pin may be gone after a signal
    if ((event->modifiers() & Qt::ControlModifier) ||
        unpinRect().contains(event->position().toPoint()))
        Q_EMIT unpinned(head);
    else
        Q_EMIT chosen(head);
}

void PinnedMap::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || (event->modifiers() & Qt::ControlModifier))
        return event->ignore();
    Q_EMIT activated(m_head);
}

void PinnedMap::keyPressEvent(QKeyEvent* event) {
    const engine::LayerHead head = m_head;
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: return Q_EMIT activated(head);
        case Qt::Key_Space: return Q_EMIT chosen(head);
        case Qt::Key_Delete:
        case Qt::Key_Backspace: return Q_EMIT unpinned(head);
        default: event->ignore();
    }
}

void PinnedMap::enterEvent(QEnterEvent*) {
    m_under = true;
    update();
}

void PinnedMap::leaveEvent(QEvent*) {
    m_under = false;
    update();
}

void PinnedMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PinnedMap::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace ui
