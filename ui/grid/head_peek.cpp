// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/grid/head_peek.h"

#include <QEvent>
#include <QGuiApplication>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "ui/grid/head_grid.h"
#include "ui/painting/names.h"
#include "ui/painting/theme.h"
#include "ui/painting/thumbnail.h"

namespace ui {

namespace {

constexpr int peekEdge = 10, peekTitle = 18, peekLine = 16, peekNote = 15;
constexpr int besideGrid = 8;

}  // namespace

HeadPeek::HeadPeek(HeadGrid* grid) : QWidget(grid->window()), m_grid(grid) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(QStringLiteral("Head under the mouse"));
    hide();
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, &HeadPeek::ask);
    connect(grid, &HeadGrid::headHovered, this, &HeadPeek::hover);
    connect(grid, &HeadGrid::hoverLeft, this, &HeadPeek::leave);
    connect(grid, &HeadGrid::headFocused, this, &HeadPeek::leave);
    connect(grid, &HeadGrid::foldChanged, this, &HeadPeek::leave);
    for (QScrollBar* bar : {grid->verticalScrollBar(), grid->horizontalScrollBar()})
        connect(bar, &QScrollBar::valueChanged, this, &HeadPeek::leave);
    grid->installEventFilter(this);
    grid->viewport()->installEventFilter(this);
}

void HeadPeek::setNumbers(std::function<std::vector<Number>(engine::LayerHead)> numbers) {
    m_numbers = std::move(numbers);
}

void HeadPeek::hover(engine::LayerHead head) {
    m_hovered = head;
    // The focused head is in the large map already.
    if (QGuiApplication::mouseButtons() != Qt::NoButton || head == m_grid->focusedHead())
        return leave();
    m_rest.start(isVisible() ? nextRest : firstRest);
}

void HeadPeek::ask() {
    if (!m_hovered || QGuiApplication::mouseButtons() != Qt::NoButton) return leave();
    m_asked = m_hovered;
    Q_EMIT wanted(*m_asked, qRound(picture * m_grid->devicePixelRatioF()));
}

void HeadPeek::setTile(const engine::Tile& tile, int window) {
    if (!m_asked || tile.request.heads.size() != 1 || tile.request.heads.front() != *m_asked)
        return;
    m_tile = tile;
    m_keys = window;
    m_shownNumbers = m_numbers ? m_numbers(*m_asked) : std::vector<Number>();
    QString spoken = title();
    for (const Number& number : m_shownNumbers)
        spoken += QStringLiteral(", %1 %2").arg(number.name, number.value);
    setAccessibleDescription(spoken);
    if (!place()) return leave();
    update();
    show();
    raise();
}

void HeadPeek::leave() {
    m_rest.stop();
    m_tile.reset();
    hide();
    if (std::exchange(m_asked, {})) Q_EMIT dropped();
}

// Beside the grid, level with the head; false: there is no room that leaves the head free.
bool HeadPeek::place() {
    QWidget* window = m_grid->window();
    if (parentWidget() != window) setParent(window);
    resize(sizeHint());
    const QRect head(m_grid->viewport()->mapTo(window, m_grid->headRect(*m_asked).topLeft()),
                     m_grid->headRect(*m_asked).size());
    const QRect grid(m_grid->mapTo(window, QPoint()), m_grid->size());
    int x = grid.right() + besideGrid;
    if (x + width() > window->width()) x = grid.left() - besideGrid - width();
    if (x < 0) x = head.right() + besideGrid;
    if (x + width() > window->width() || height() > window->height()) return false;
    move(x, std::clamp(head.center().y() - height() / 2, 0, window->height() - height()));
    return true;
}

QString HeadPeek::title() const {
    if (!m_asked) return {};
    QString text = headName(*m_asked);
    if (const int rank = m_grid->rankOf(*m_asked); rank > 0)
        text += QStringLiteral(" · rank %1").arg(thousands(rank));
    if (m_grid->isAblated(*m_asked)) text += QStringLiteral(" · off");
    return text;
}

QString HeadPeek::note() const {
    const std::int64_t cells = m_tile ? m_tile->request.src.cells_per_pixel : 1;
    const QString colours = QStringLiteral("p, √, 0 to 1");
    return cells <= 1 ? colours
                      : colours + QStringLiteral(", largest of %1 × %1").arg(thousands(cells));
}

QSize HeadPeek::sizeHint() const {
    return {picture + 2 * peekEdge, peekEdge + peekTitle + picture + peekNote +
                                        peekLine * static_cast<int>(m_shownNumbers.size()) +
                                        peekEdge};
}

void HeadPeek::paintEvent(QPaintEvent*) {
    if (!m_tile) return;
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    painter.setPen(QPen(t.text3, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.setFont(monoFont(12, true));
    painter.setPen(t.text);
    painter.drawText(peekEdge, peekEdge + 9, title());
    const double ratio = devicePixelRatioF();
    const QImage image = thumbnailImage(*m_tile, 0, m_keys, qRound(picture * ratio), ratio, t);
    const int top = peekEdge + peekTitle;
    painter.drawImage(QPoint(peekEdge, top), image);
    int y = top + picture + 12;
    painter.setFont(wordFont(10));
    painter.setPen(t.text3);
    painter.drawText(peekEdge, y, note());
    y += peekNote - 12;
    for (const Number& number : m_shownNumbers) {
        y += peekLine;
        painter.setFont(wordFont(11));
        painter.setPen(t.text2);
        painter.drawText(peekEdge, y, number.name);
        painter.setFont(monoFont(11));
        painter.setPen(t.text);
        painter.drawText(
            width() - peekEdge - QFontMetrics(monoFont(11)).horizontalAdvance(number.value), y,
            number.value);
    }
}

bool HeadPeek::eventFilter(QObject* object, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::Wheel:
        case QEvent::ContextMenu:
        case QEvent::KeyPress:
        case QEvent::Hide:
        case QEvent::Resize: leave(); break;
        default: break;
    }
    return QWidget::eventFilter(object, event);
}

void HeadPeek::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

}  // namespace ui
