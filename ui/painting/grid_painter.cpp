// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/grid_painter.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>

namespace ui {

namespace {

constexpr int groupBarTop = 2, groupBarHeight = 3, kvMiddle = 12, frameTop = 20, namesMiddle = 28;

void drawCentred(QPainter& painter, const QRect& where, int middle, const QString& text) {
    painter.drawText(QRect(where.left() - 20, middle - 10, where.width() + 40, 20), Qt::AlignCenter,
                     text);
}

// Every n-th name, so that neighbours do not touch.
int nameStep(const QFontMetrics& metrics, const QString& widest, int pitch) {
    int step = 1;
    while (step * pitch < metrics.horizontalAdvance(widest) + 3) ++step;
    return step;
}

}  // namespace

void paintGridFrames(QPainter& painter, const GridScene& scene) {
    for (int g = 0; g < scene.layout.groups(); ++g) {
        const QRect group = scene.layout.groupRect(g).translated(scene.origin);
        painter.setPen(QPen(scene.theme.kvGroup(g, scene.layout.groups()), 1));
        painter.setBrush(Qt::NoBrush);
        // The frame runs up behind the header, which draws its own upper part.
        painter.drawRect(group.adjusted(0, -GridLayout::header, -1, 0));
    }
}

void paintGridHeader(QPainter& painter, const GridScene& scene) {
    const GridLayout& layout = scene.layout;
    painter.save();
    painter.setClipRect(
        QRect(GridLayout::gutter - 2, 0, scene.viewport.width(), GridLayout::header));
    painter.fillRect(QRect(0, 0, scene.viewport.width(), GridLayout::header), scene.theme.base);
    const QFont plain = wordFont(10), bold = wordFont(10, true);
    const QFontMetrics metrics(plain);
    const int step =
        nameStep(metrics, QStringLiteral("H%1").arg(layout.heads() - 1), layout.pitch());
    for (int g = 0; g < layout.groups(); ++g) {
        const QRect group = layout.groupRect(g).translated(scene.origin.x(), 0);
        const QColor hue = scene.theme.kvGroup(g, layout.groups());
        painter.fillRect(QRect(group.left(), groupBarTop, group.width(), groupBarHeight), hue);
        painter.setPen(QPen(hue, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect(group.left(), frameTop, group.width() - 1, 2 * GridLayout::header));
        painter.setFont(plain);
        painter.setPen(scene.theme.text2);
        QString name = QStringLiteral("KV %1").arg(g);
        if (metrics.horizontalAdvance(name) > group.width() + 4) name = QString::number(g);
        if (metrics.horizontalAdvance(name) <= group.width() + 4)
            drawCentred(painter, group, kvMiddle, name);
    }
    const int focusedHead = scene.focused ? engine::to_int(scene.focused->head) : -step;
    for (int column = 0; column < layout.columns(); ++column) {
        const engine::Rows heads = layout.headsIn(column);
        const int h = static_cast<int>(heads.begin);
        const bool focused = heads.begin <= focusedHead && focusedHead < heads.end;
        const bool folded = heads.count() > 1;
        if (!focused && !folded && (h % step != 0 || std::abs(h - focusedHead) < step)) continue;
        painter.setFont(focused ? bold : plain);
        painter.setPen(focused ? scene.theme.text : scene.theme.text2);
        const QRect head =
            layout.rectOf({engine::Layer{0}, engine::QueryHead{h}}).translated(scene.origin.x(), 0);
        drawCentred(
            painter, head, namesMiddle,
            folded ? QStringLiteral("×%1").arg(heads.count()) : QStringLiteral("H%1").arg(h));
    }
    painter.restore();
}

void paintGridGutter(QPainter& painter, const GridScene& scene) {
    const GridLayout& layout = scene.layout;
    painter.save();
    painter.fillRect(QRect(0, 0, GridLayout::gutter - 2, scene.viewport.height()),
                     scene.theme.base);
    painter.setClipRect(
        QRect(0, GridLayout::header - 4, GridLayout::gutter, scene.viewport.height()));
    const QFont plain = wordFont(10), bold = wordFont(10, true);
    const int step = layout.pitch() >= 14 ? 1 : 2;
    const int focusedLayer = scene.focused ? engine::to_int(scene.focused->layer) : -1;
    const int focusedRow = focusedLayer < 0 ? -step : layout.rowOf(focusedLayer);
    const auto isFolded = [&layout](int row) {
        return row >= 0 && row < layout.rows() && layout.layersIn(row).count() > 1;
    };
    for (int row = 0; row < layout.rows(); ++row) {
        const engine::Rows layers = layout.layersIn(row);
        const bool focused = row == focusedRow, folded = isFolded(row);
        const bool crowded =
            step > 1 && (isFolded(row - 1) || isFolded(row + 1) || layers.begin % step != 0);
        if (!focused && !folded && (crowded || std::abs(row - focusedRow) < step)) continue;
        const int top = scene.origin.y() + row * layout.pitch();
        if (top + layout.pitch() < 0 || top > scene.viewport.height()) continue;
        painter.setFont(focused ? bold : plain);
        painter.setPen(focused ? scene.theme.text : scene.theme.text2);
        const QString name = folded ? QStringLiteral("%1–%2").arg(layers.begin).arg(layers.end - 1)
                                    : QStringLiteral("L%1").arg(layers.begin);
        if (folded) painter.setFont(wordFont(9, focused));
        painter.drawText(
            QRect(0, top - 6, GridLayout::gutter - (folded ? 5 : 7), layout.pitch() + 11),
            Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, name);
    }
    painter.restore();
}

void paintEmptyGrid(QPainter& painter, const Theme& theme, QSize viewport) {
    const GridLayout layout(30, 9, 3, GridLayout::fittingPitch(30, 9, 3, viewport));
    const QPoint origin(GridLayout::gutter, GridLayout::header);
    for (int l = 0; l < 30; ++l)
        for (int h = 0; h < 9; ++h)
            painter.fillRect(
                layout.rectOf({engine::Layer{l}, engine::QueryHead{h}}).translated(origin),
                theme.alternate);
    const QString title = QCoreApplication::translate("HeadGrid", "Every head at once");
    const QString text = QCoreApplication::translate(
        "HeadGrid",
        "Rows are layers, L0 on top. Columns are heads, framed by the KV head they share. Each "
        "picture is that head's real "
        "pattern for your prompt.\n\nArrow keys move, Enter opens a head.");
    const QFont words = wordFont(12), bold = wordFont(12, true);
    const int width = std::max(120, std::min(viewport.width() - 60, 260));
    const QRect body =
        QFontMetrics(words).boundingRect(QRect(0, 0, width, 1000), Qt::TextWordWrap, text);
    const int lines = QFontMetrics(bold).height() + 6;
    QRect box(0, 0, width + 24, body.height() + lines + 24);
    box.moveCenter({viewport.width() / 2, viewport.height() / 2});
    painter.fillRect(box, theme.base);
    painter.setPen(theme.text);
    painter.setFont(bold);
    painter.drawText(box.adjusted(12, 12, -12, 0), Qt::AlignLeft | Qt::AlignTop, title);
    painter.setPen(theme.text2);
    painter.setFont(words);
    painter.drawText(box.adjusted(12, 12 + lines, -12, 0),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text);
}

}  // namespace ui
