// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/read_out.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/painting/map_units.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int readOutPad = 9, readOutLine = 16, headerLine = 18;
constexpr int longHeader = 34;  // characters; more stand on two lines
constexpr double profile = 48;  // room of the bars beside the map

// At least four significant figures of a norm.
QString magnitude(double value) {
    return plainNumber(value, value >= 10 ? 2 : value >= 1 ? 3 : 4);
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

QString ReadOut::end(bool dest) const {
    const QString role = dest ? QStringLiteral("dest") : QStringLiteral("src");
    const engine::Rows span = dest ? m_content.destSpan : m_content.srcSpan;
    const QString token = dest ? m_content.destToken : m_content.srcToken;
    if (span.count() <= 0)
        return QStringLiteral("%1 %2 %3")
            .arg(role, thousands(dest ? m_content.dest : m_content.src), token);
    const QString what = span.count() > 1 ? QStringLiteral("tokens") : QStringLiteral("token");
    return QStringLiteral("%1 %2 %3 %4").arg(role, what, rangeText(span), token);
}

QString ReadOut::header() const {
    return end(true) + QStringLiteral(" ← ") + end(false);
}

// Under the other end, number under number.
QString ReadOut::alignedSource() const {
    return QStringLiteral("src ") + end(false).mid(3);
}

bool ReadOut::isTwoLines() const {
    return header().size() > longHeader;
}

std::vector<ReadOut::Field> ReadOut::fields() const {
    const ReadOutContent& c = m_content;
    if (c.kind == CellKind::Masked) return {{tr("masked"), tr("src is later than dest")}};
    if (c.kind == CellKind::OutOfWindow)
        return {{tr("outside window"), tr("%1 keys").arg(thousands(c.window))}};
    if (c.kind == CellKind::NotComputed) return {{tr("not computed yet"), {}}};
    // Its p is 0 by decree: of its score and rank there is nothing to say.
    if (!c.forbiddenBy.isEmpty())
        return {{tr("forbidden by the edit"), c.forbiddenBy}, {QStringLiteral("p"), tr("0")}};
    std::vector<Field> fields;
    if (c.destSpan.count() > 0) {  // the value is the spans' own; which cell has most of it
        if (c.drawn) fields.push_back({c.drawnName, plainNumber(*c.drawn, 6)});
        if (!c.forbiddenWithin.isEmpty())
            fields.push_back({tr("forbidden within"), c.forbiddenWithin});
        if (!c.cell || !c.cell->visible) return fields;
        if (c.destSpan.count() == 1 && c.srcSpan.count() == 1) {  // there is no other
            appendCell(fields);
            return fields;
        }
        fields.push_back({tr("largest in cell"),
                          QStringLiteral("%1 ← %2").arg(thousands(engine::to_int(c.cell->dest)),
                                                        thousands(engine::to_int(c.cell->src)))});
        fields.push_back({QStringLiteral("its p"), plainNumber(c.cell->pattern, 6)});
        appendCell(fields);
        return fields;
    }
    const QString note = pooledNote(c);
    // The cell says all, unless its pixel shows a mean, a sum, another quantity's largest, or a p
    // that is renormalized: the cell's own p stands below it.
    const bool cellIsDrawn =
        (note.isEmpty() && !c.renormalized) ||
        (!note.isEmpty() && c.pooling == engine::Pooling::Max && c.drawnName == u'p');
    if (c.drawn && !(cellIsDrawn && c.cell))
        fields.push_back({c.drawnName + note, c.renormalized && c.src == 0 && note.isEmpty()
                                                  ? tr("left out")
                                                  : plainNumber(*c.drawn, 6)});
    if (!c.cell || !c.cell->visible) return fields;
    fields.push_back(
        {QStringLiteral("p") + (cellIsDrawn ? note : QString()), plainNumber(c.cell->pattern, 6)});
    appendCell(fields);
    return fields;
}

// What a cell has beside its p.
void ReadOut::appendCell(std::vector<Field>& fields) const {
    const ReadOutContent& c = m_content;
    fields.push_back({tr("rank in row"),
                      tr("%1 of %2").arg(thousands(c.cell->rank), thousands(c.cell->row_cells))});
    if (c.cell->sink > 0) fields.push_back({tr("the sink takes"), plainNumber(c.cell->sink, 6)});
    fields.push_back({c.softCap > 0 ? tr("score, capped at %1").arg(c.softCap) : tr("score"),
                      plainNumber(c.cell->score, 4)});
    fields.push_back({QStringLiteral("‖p·v·Wₒ‖"), magnitude(c.cell->value_norm)});
    fields.push_back({tr("logit attribution"), signedNumber(c.cell->attribution, 4)});
}

std::vector<ReadOut::Field> ReadOut::shownFields() const {
    std::vector<Field> shown = fields();
    const QSize whole = sizeOf(shown);
    const bool hides =
        !m_room.isEmpty() && 2 * whole.width() * whole.height() > m_room.width() * m_room.height();
    const bool standsBeside =
        whole.width() + profile <= m_beside.width() && whole.height() <= m_beside.height();
    if (hides && !standsBeside && shown.size() > 1) shown.resize(1);
    return shown;
}

QSize ReadOut::sizeHint() const {
    return sizeOf(shownFields());
}

QSize ReadOut::sizeOf(const std::vector<Field>& all) const {
    const QFontMetrics bold(monoFont(12, true)), mono(monoFont(11)), words(wordFont(11));
    int width = isTwoLines() ? std::max(bold.horizontalAdvance(end(true)),
                                        bold.horizontalAdvance(alignedSource()))
                             : bold.horizontalAdvance(header());
    for (const Field& field : all)
        width = std::max(
            width, words.horizontalAdvance(field.name) + 24 + mono.horizontalAdvance(field.value));
    const int headerHeight = headerLine * (isTwoLines() ? 2 : 1);
    return {std::clamp(width, 130, 420) + 2 * readOutPad,
            readOutPad + headerHeight + 9 + readOutLine * static_cast<int>(all.size()) +
                readOutPad - 4};
}

void ReadOut::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    painter.setPen(QPen(t.text3, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.setClipRect(rect().adjusted(2, 1, -2, -1));

    painter.setFont(monoFont(12, true));
    int y = readOutPad + 11;
    int x = drawText(painter, end(true), t.dest, readOutPad, y);
    if (isTwoLines()) {
        y += headerLine;
        drawText(painter, alignedSource(), t.src, readOutPad, y);
    } else {
        painter.setFont(monoFont(12));
        x = drawText(painter, QStringLiteral(" ← "), t.text2, x, y);
        painter.setFont(monoFont(12, true));
        drawText(painter, end(false), t.src, x, y);
    }
    y += 8;
    painter.fillRect(QRect(readOutPad, y, width() - 2 * readOutPad, 1), t.softBorder);
    y += 1;
    const QFont mono = monoFont(11), words = wordFont(11);
    for (const Field& field : shownFields()) {
        y += readOutLine;
        painter.setFont(words);
        painter.setPen(t.text2);
        painter.drawText(readOutPad, y, field.name);
        painter.setFont(mono);
        painter.setPen(t.text);
        painter.drawText(width() - readOutPad - QFontMetrics(mono).horizontalAdvance(field.value),
                         y, field.value);
    }
}

void ReadOut::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

namespace {

double areaOf(const QRectF& rect) {
    return rect.isValid() ? rect.width() * rect.height() : 0;
}

// Across the map's diagonal and back: with the map so turned, its sources lie along x in either
// case. Labels and profiles stay where they are on the page.
QRectF turnedIn(const ReadOutSurroundings& around, const QRectF& rect) {
    if (!around.transposed) return rect;
    const QPointF corner = around.map.topLeft();
    const QRectF within = rect.translated(-corner);
    return QRectF(within.y(), within.x(), within.height(), within.width()).translated(corner);
}

// What a box would cover, in square pixels, each kind by its worth.
double hiddenBy(const QRect& box, const ReadOutSurroundings& around) {
    constexpr double off = 16, ofRow = 1000, ofLabels = 6, ofData = 1, ofProfiles = 3, ofMap = 0.05;
    const QRectF at(box), map(around.map), view(around.viewport);
    const auto covered = [&](const QRectF& what) { return areaOf(at & what); };
    const QRectF near = around.cell.adjusted(-off, -off, off, off);
    double cost =
        ofLabels *
        (covered(near) + covered({view.left(), map.top(), map.left() - view.left(), map.height()}) +
         covered({view.left(), map.bottom(), view.width(), view.bottom() - map.bottom()}));
    if (const auto& bars = around.profiled) {  // of a row none beyond the diagonal, nor of a column
        constexpr double number = 24;          // a bar's, wider than it
        const double rowEnd =
            static_cast<double>(bars->dest + 1 - around.view.src) * around.cellPixels + number;
        const double columnBegin =
            static_cast<double>(bars->src - around.view.dest) * around.cellPixels - number / 2;
        const double of = std::clamp(rowEnd, 0.0, map.width()),
                     from = std::clamp(columnBegin, 0.0, map.width());
        const QPointF aboveMap = map.topLeft() - QPointF(0, profile), beside = map.topRight();
        cost +=
            ofProfiles *
            (around.transposed
                 ? covered({aboveMap + QPointF(from, 0), QSizeF(map.width() - from, profile)}) +
                       covered({beside, QSizeF(profile, of)})
                 : covered({aboveMap, QSizeF(of, profile)}) +
                       covered({beside + QPointF(0, from), QSizeF(profile, map.height() - from)}));
    }
    // A row ends and a column begins at the diagonal, and both begin with what names them.
    const QRectF cell = turnedIn(around, around.cell), reach = turnedIn(around, view),
                 turned = turnedIn(around, at);
    const double ahead =
        around.cellPixels * static_cast<double>(around.view.dest - around.view.src);
    const double rowEnd = map.left() + (cell.bottom() - map.top()) + ahead;
    const double columnTop = map.top() + (cell.left() - map.left()) - ahead;
    const auto crossed = [&](QPointF from, QPointF to) {
        return areaOf(turned & QRectF(from, to));
    };
    cost += ofRow * (crossed({reach.left(), cell.top()}, {rowEnd, cell.bottom()}) +
                     crossed({cell.left(), columnTop}, {cell.right(), reach.bottom()}));
    if (around.transposed)  // their labels are beyond the masked triangle
        cost += ofRow * (covered({view.left(), around.cell.top(), map.left() - view.left(),
                                  around.cell.height()}) +
                         covered({around.cell.left(), map.bottom(), around.cell.width(),
                                  view.bottom() - map.bottom()}));
    const QRectF inside = turned & map;
    if (!inside.isValid()) return cost;
    // The data are below the diagonal; a strip of columns at a time.
    constexpr int strips = 16;
    const double width = inside.width() / strips;
    for (int i = 0; i < strips; ++i) {
        const double src = static_cast<double>(around.view.src) +
                           (inside.left() + (i + 0.5) * width - map.left()) / around.cellPixels;
        const double from =
            map.top() + (src - static_cast<double>(around.view.dest)) * around.cellPixels;
        cost += ofData * width * std::max(0.0, inside.bottom() - std::max(inside.top(), from));
    }
    return cost + ofMap * areaOf(inside);
}

}  // namespace

QPoint placeReadOut(QSize size, const ReadOutSurroundings& around) {
    constexpr int inset = 8;
    const QRect& map = around.map;
    const QRect corner(around.transposed
                           ? QPoint(map.left() + inset, map.bottom() + 1 - inset - size.height())
                           : QPoint(map.right() + 1 - inset - size.width(), map.top() + inset),
                       size);
    // Its corner at the diagonal, turned the lower left one, is the last to leave the masked
    // triangle.
    const QRectF turned = turnedIn(around, corner);
    const double src =
        static_cast<double>(around.view.src) + (turned.left() - map.left()) / around.cellPixels;
    const double dest =
        static_cast<double>(around.view.dest) + (turned.bottom() - map.top()) / around.cellPixels;
    if (turned.left() >= map.left() && src >= dest + 1 && around.viewport.contains(corner))
        return corner.topLeft();

    // Else where it hides least: never the cell's own row or column, labels before data, data
    // before masked cells. Coarsely first, then to the pixel around the best.
    QPoint best = around.viewport.topLeft();
    double least = 1e300;
    constexpr int step = 8;
    const QRect& view = around.viewport;
    const int lastX = std::max(view.left(), view.right() + 1 - size.width());
    const int lastY = std::max(view.top(), view.bottom() + 1 - size.height());
    const auto offer = [&](int x, int y) {
        const double hidden = hiddenBy(QRect(QPoint(x, y), size), around);
        if (hidden >= least) return false;
        least = hidden;
        best = QPoint(x, y);
        return true;
    };
    for (int y = view.top();; y = std::min(y + step, lastY)) {
        for (int x = lastX;; x = std::max(x - step, view.left())) {
            offer(x, y);
            if (x == view.left()) break;
        }
        if (y == lastY) break;
    }
    for (int finer = step / 2; finer > 0; finer /= 2)
        for (bool better = true; better;) {
            better = false;
            const QPoint from = best;
            for (const QPoint by :
                 {QPoint(finer, 0), QPoint(-finer, 0), QPoint(0, finer), QPoint(0, -finer)}) {
                const QPoint at = from + by;
                if (at.x() >= view.left() && at.x() <= lastX && at.y() >= view.top() &&
                    at.y() <= lastY)
                    better = offer(at.x(), at.y()) || better;
            }
        }
    return best;
}

}  // namespace ui
