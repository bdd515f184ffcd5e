// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <cmath>

#include "ui/painting/colour_bar.h"
#include "ui/painting/figure.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/grid_painter.h"
#include "ui/painting/thumbnail.h"

namespace ui {

namespace {

constexpr int edge = 14, titleHeight = 22, barSpace = 56, barWidth = 220;

GridLayout layoutOf(const GridFigure& figure) {
    return {figure.model.layers, figure.model.query_heads, figure.model.kv_heads,
            gridThumbnail + 1};
}

int topOf(const GridFigure& figure) {
    return edge + (figure.title.isEmpty() ? 0 : titleHeight);
}

int windowOf(const engine::ModelInfo& model, int layer) {
    const auto at = static_cast<std::size_t>(layer);
    return at < model.attention.size() ? model.attention[at].window : 0;
}

}  // namespace

QSize gridFigureSize(const GridFigure& figure) {
    const QSize content = layoutOf(figure).size();
    return {std::max(2 * edge + GridLayout::gutter + content.width(),
                     2 * edge + barWidth + GridLayout::gutter),
            topOf(figure) + GridLayout::header + content.height() + barSpace + edge};
}

void paintGridFigure(QPainter& painter, const GridFigure& figure, double scale) {
    const Theme theme = themeOf(figure.scheme);
    const GridLayout layout = layoutOf(figure);
    const QSize size = gridFigureSize(figure);
    painter.fillRect(QRect(QPoint(), size), theme.base);
    if (!figure.title.isEmpty()) {
        painter.setFont(wordFont(13, true));
        painter.setPen(theme.text);
        painter.drawText(QPointF(edge, edge + 12),
                         QFontMetricsF(painter.font())
                             .elidedText(figure.title, Qt::ElideRight, size.width() - 2 * edge));
    }
    painter.save();
    painter.translate(edge, topOf(figure));
    const GridScene scene{theme, layout,
                          QSize(GridLayout::gutter, GridLayout::header) + layout.size(),
                          QPoint(GridLayout::gutter, GridLayout::header), std::nullopt};
    paintGridFrames(painter, scene);
    const int side = static_cast<int>(std::lround(gridThumbnail * scale));
    const int heads = layout.heads();
    for (int i = 0; i < layout.layers() * heads; ++i) {
        const engine::LayerHead at{engine::Layer{i / heads}, engine::QueryHead{i % heads}};
        const QImage image =
            thumbnailImage(figure.tile, i, windowOf(figure.model, i / heads), side, scale, theme);
        painter.drawImage(QRectF(layout.rectOf(at).translated(scene.origin)), image);
    }
    paintGridGutter(painter, scene);
    paintGridHeader(painter, scene);
    painter.restore();
    const int below = topOf(figure) + GridLayout::header + layout.size().height() + 8;
    painter.setFont(wordFont(11, true));
    painter.setPen(theme.text);
    painter.drawText(QPointF(edge + GridLayout::gutter, below + 11),
                     QStringLiteral("p (pattern), √, 0–1"));
    ColourScale colours;
    colours.table = &sequentialTable(figure.scheme);
    paintColourBar(painter, theme,
                   QRectF(edge + GridLayout::gutter, below + 18, barWidth, colourBarHeight),
                   colours, false);
}

QImage renderGridFigure(const GridFigure& figure, double scale) {
    const std::int64_t heads =
        static_cast<std::int64_t>(figure.model.layers) * figure.model.query_heads;
    const std::int64_t pixels =
        figure.tile.request.dest.pixels() * figure.tile.request.src.pixels();
    if (std::ssize(figure.tile.request.heads) != heads ||
        figure.tile.data.elements() != heads * pixels)
        throw engine::Error(engine::Failure::Kind::BadRequest, "the grid needs a tile of all heads",
                            "figure");
    QImage image = figureGround(gridFigureSize(figure), scale, themeOf(figure.scheme).base);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paintGridFigure(painter, figure, scale);
    return image;
}

}  // namespace ui
