// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/read_out.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int pad = 9, lineHeight = 16, headerLine = 18;
constexpr int longHeader = 34;  // characters; more stand on two lines

QString number(double value, int decimals) {
    QString text = QString::number(std::abs(value), 'f', decimals);
    return value < 0 ? QStringLiteral("\u2212") + text : text;
}

// At least four significant figures of a norm.
QString magnitude(double value) {
    return number(value, value >= 10 ? 2 : value >= 1 ? 3 : 4);
}

QString pooledNote(const ReadOutContent& content) {
    if (content.cellsPerPixel <= 1) return {};
    const QString how = content.pooling == engine::Pooling::Mean  ? QStringLiteral("mean")
                        : content.pooling == engine::Pooling::Sum ? QStringLiteral("sum")
                                                                  : QStringLiteral("largest");
    return QStringLiteral(", %1 of %2 × %2").arg(how, thousands(content.cellsPerPixel));
}

// Runs of text; the marks of spaces are drawn pale, as on the axes.
int drawToken(QPainter& painter, const QString& text, const QColor& colour, int x, int baseline) {
    const QFontMetrics metrics(painter.font());
    for (const QChar c : text) {
        painter.setPen(c == u'·' ? theme().text3 : colour);
        painter.drawText(x, baseline, QString(c));
        x += metrics.horizontalAdvance(c);
    }
    return x;
}

// A surrogate pair or a combining mark must not be drawn apart: such texts are drawn whole.
int drawText(QPainter& painter, const QString& text, const QColor& colour, int x, int baseline) {
    const bool simple = std::all_of(text.begin(), text.end(), [](QChar c) {
        return !c.isSurrogate() && !c.isMark() && c.direction() != QChar::DirR &&
               c.direction() != QChar::DirAL;
    });
    if (simple) return drawToken(painter, text, colour, x, baseline);
    painter.setPen(colour);
    painter.drawText(x, baseline, text);
    return x + QFontMetrics(painter.font()).horizontalAdvance(text);
}

}  // namespace

ReadOut::ReadOut(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Read-out"));
    hide();
}

void ReadOut::setContent(const ReadOutContent& content) {
    m_content = content;
    resize(sizeHint());
    QString spoken = header();
    for (const Field& field : fields())
        spoken += QStringLiteral(", %1 %2").arg(field.name, field.value);
    setAccessibleDescription(spoken);
    update();
}

QString ReadOut::header() const {
    return QStringLiteral("dest %1 %2 ← src %3 %4")
        .arg(thousands(m_content.dest), m_content.destToken, thousands(m_content.src),
             m_content.srcToken);
}

bool ReadOut::isTwoLines() const {
    return header().size() > longHeader;
}

std::vector<ReadOut::Field> ReadOut::fields() const {
    const ReadOutContent& c = m_content;
    if (c.kind == CellKind::Masked) return {{tr("masked"), tr("src is later than dest")}};
    if (c.kind == CellKind::OutOfWindow)
        return {{tr("outside the window"), tr("%1 keys").arg(thousands(c.window))}};
    if (c.kind == CellKind::NotComputed) return {{tr("not computed yet"), {}}};
    std::vector<Field> fields;
    const QString note = pooledNote(c);
    // The cell says all, unless its pixel shows a mean, a sum or another quantity's largest.
    const bool cellIsDrawn =
        note.isEmpty() || (c.pooling == engine::Pooling::Max && c.drawnName == u'p');
    if (c.drawn && !(cellIsDrawn && c.cell))
        fields.push_back({c.drawnName + note, number(*c.drawn, 6)});
    if (!c.cell || !c.cell->visible) return fields;
    fields.push_back(
        {QStringLiteral("p") + (cellIsDrawn ? note : QString()), number(c.cell->pattern, 6)});
    fields.push_back({tr("rank in row"),
                      tr("%1 of %2").arg(thousands(c.cell->rank), thousands(c.cell->row_cells))});
    fields.push_back({tr("score"), number(c.cell->score, 4)});
    fields.push_back({QStringLiteral("‖p·v·Wₒ‖"), magnitude(c.cell->value_norm)});
    fields.push_back({tr("logit attribution"), signedNumber(c.cell->attribution, 4)});
    return fields;
}

QSize ReadOut::sizeHint() const {
    const QFontMetrics bold(monoFont(12, true)), mono(monoFont(11)), words(wordFont(11));
    const QString dest =
        QStringLiteral("dest %1 %2").arg(thousands(m_content.dest), m_content.destToken);
    const QString src =
        QStringLiteral("src  %1 %2").arg(thousands(m_content.src), m_content.srcToken);
    int width = isTwoLines() ? std::max(bold.horizontalAdvance(dest), bold.horizontalAdvance(src))
                             : bold.horizontalAdvance(header());
    const std::vector<Field> all = fields();
    for (const Field& field : all)
        width = std::max(
            width, words.horizontalAdvance(field.name) + 24 + mono.horizontalAdvance(field.value));
    const int headerHeight = headerLine * (isTwoLines() ? 2 : 1);
    return {std::clamp(width, 130, 420) + 2 * pad,
            pad + headerHeight + 9 + lineHeight * static_cast<int>(all.size()) + pad - 4};
}

void ReadOut::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    painter.setPen(QPen(t.text3, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.setClipRect(rect().adjusted(2, 1, -2, -1));

    painter.setFont(monoFont(12, true));
    int y = pad + 11;
    int x = drawText(
        painter, QStringLiteral("dest %1 %2").arg(thousands(m_content.dest), m_content.destToken),
        t.dest, pad, y);
    if (isTwoLines()) {
        y += headerLine;
        drawText(painter,
                 QStringLiteral("src  %1 %2").arg(thousands(m_content.src), m_content.srcToken),
                 t.src, pad, y);
    } else {
        painter.setFont(monoFont(12));
        x = drawText(painter, QStringLiteral(" ← "), t.text2, x, y);
        painter.setFont(monoFont(12, true));
        drawText(painter,
                 QStringLiteral("src %1 %2").arg(thousands(m_content.src), m_content.srcToken),
                 t.src, x, y);
    }
    y += 8;
    painter.fillRect(QRect(pad, y, width() - 2 * pad, 1), t.softBorder);
    y += 1;
    const QFont mono = monoFont(11), words = wordFont(11);
    for (const Field& field : fields()) {
        y += lineHeight;
        painter.setFont(words);
        painter.setPen(t.text2);
        painter.drawText(pad, y, field.name);
        painter.setFont(mono);
        painter.setPen(t.text);
        painter.drawText(width() - pad - QFontMetrics(mono).horizontalAdvance(field.value), y,
                         field.value);
    }
}

void ReadOut::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

QPoint placeReadOut(QSize size, const ReadOutSurroundings& around) {
    constexpr int inset = 8, off = 16;
    const QRect& map = around.map;
    const QRect corner(QPoint(map.right() + 1 - inset - size.width(), map.top() + inset), size);
    // Its lower left corner is the last to leave the masked triangle.
    const double src =
        static_cast<double>(around.view.src) + (corner.left() - map.left()) / around.cellPixels;
    const double dest = static_cast<double>(around.view.dest) +
                        (corner.bottom() + 1 - map.top()) / around.cellPixels;
    if (corner.left() >= map.left() && src >= dest + 1 && around.viewport.contains(corner))
        return corner.topLeft();

    const QRect& view = around.viewport;
    const QRectF& cell = around.cell;
    struct Quadrant {
        double width, height;
        QPointF topLeft;
    };
    const double left = cell.left() - off, right = cell.right() + off;
    const double top = cell.top() - off, bottom = cell.bottom() + off;
    const double endX = view.right() + 1, endY = view.bottom() + 1;
    const std::array<Quadrant, 4> quadrants{{
        {endX - right, top - view.top(), {right, top - size.height()}},
        {endX - right, endY - bottom, {right, bottom}},
        {left - view.left(), top - view.top(), {left - size.width(), top - size.height()}},
        {left - view.left(), endY - bottom, {left - size.width(), bottom}},
    }};
    const Quadrant* best = &quadrants[0];
    double bestRoom = -1e300;
    for (const Quadrant& q : quadrants) {
        const double spare = std::min(q.width - size.width(), q.height - size.height());
        const double room =
            spare >= 0 ? 1e6 + q.width * q.height : spare;  // those that fit come first
        if (room > bestRoom) {
            bestRoom = room;
            best = &q;
        }
    }
    QPoint at = best->topLeft.toPoint();
    at.setX(
        std::clamp(at.x(), view.left(), std::max(view.left(), view.right() + 1 - size.width())));
    at.setY(
        std::clamp(at.y(), view.top(), std::max(view.top(), view.bottom() + 1 - size.height())));
    return at;
}

}  // namespace ui
