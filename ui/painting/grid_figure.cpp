// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/painting/colour_bar.h"
#include "ui/painting/figure.h"
#include "ui/painting/figure_fonts.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/grid_painter.h"
#include "ui/painting/thumbnail.h"

namespace ui {

namespace {

constexpr int gridEdge = 14, gridTitle = 22, barSpace = 56, gridBarWidth = 220, noteHeight = 16;

GridLayout layoutOf(const GridFigure& figure) {
    return {figure.model.layers, figure.model.query_heads, figure.model.kv_heads, gridThumbnail + 1,
            figure.fold};
}

// One of what the folded pictures are, or nothing.
QString foldNote(const GridFigure& figure) {
    if (figure.fold.isEmpty()) return {};
    QStringList what;
    for (const engine::Rows& layers : figure.fold.layers)
        what << QStringLiteral("L%1–L%2").arg(layers.begin).arg(layers.end - 1);
    for (const int group : figure.fold.groups) what << QStringLiteral("KV %1").arg(group);
    return QStringLiteral("folded: %1 over the heads of %2")
        .arg(poolingName(figure.fold.pooling), what.join(QStringLiteral(", ")));
}

int topOf(const GridFigure& figure) {
    return gridEdge + (figure.title.isEmpty() ? 0 : gridTitle);
}

int widestWindow(const engine::ModelInfo& model, engine::Rows layers) {
    int widest = 0;
    for (std::int64_t l = layers.begin; l < layers.end; ++l) {
        const auto at = static_cast<std::size_t>(l);
        const int window = at < model.attention.size() ? model.attention[at].window : 0;
        if (window == 0) return 0;
        widest = std::max(widest, window);
    }
    return widest;
}

}  // namespace

QSize gridFigureSize(const GridFigure& figure) {
    const FigureFonts fonts;
    const QSize content = layoutOf(figure).size();
    return {std::max(2 * gridEdge + GridLayout::gutter + content.width(),
                     2 * gridEdge + gridBarWidth + GridLayout::gutter),
            topOf(figure) + GridLayout::header + content.height() + barSpace + gridEdge +
                (figure.fold.isEmpty() ? 0 : noteHeight)};
}

void paintGridFigure(QPainter& painter, const GridFigure& figure, double scale) {
    const FigureFonts fonts;
    const Theme theme = themeOf(figure.scheme);
    const GridLayout layout = layoutOf(figure);
    const QSize size = gridFigureSize(figure);
    painter.fillRect(QRect(QPoint(), size), theme.base);
    if (!figure.title.isEmpty()) {
        painter.setFont(wordFont(13, true));
        painter.setPen(theme.text);
        painter.drawText(
            QPointF(gridEdge, gridEdge + 12),
            QFontMetricsF(painter.font())
                .elidedText(figure.title, Qt::ElideRight, size.width() - 2 * gridEdge));
    }
    painter.save();
    painter.translate(gridEdge, topOf(figure));
    const GridScene scene{theme, layout,
                          QSize(GridLayout::gutter, GridLayout::header) + layout.size(),
                          QPoint(GridLayout::gutter, GridLayout::header), std::nullopt};
    paintGridFrames(painter, scene);
    const int side = static_cast<int>(std::lround(gridThumbnail * scale));
    const auto shared = std::make_shared<const engine::Tile>(figure.tile);
    for (int row = 0; row < layout.rows(); ++row)
        for (int column = 0; column < layout.columns(); ++column) {
            const engine::LayerHead first{engine::Layer(layout.layersIn(row).begin),
                                          engine::QueryHead(layout.headsIn(column).begin)};
            std::vector<TileHead> heads;
            for (const engine::LayerHead at : layout.headsWith(first))
                heads.push_back(
                    {shared, engine::to_int(at.layer) * layout.heads() + engine::to_int(at.head)});
            const int window = widestWindow(figure.model, layout.layersIn(row));
            const QImage image =
                heads.size() == 1
                    ? thumbnailImage(figure.tile, heads[0].index, window, side, scale, theme)
                    : thumbnailImage(*foldedTile(heads, figure.fold.pooling), 0, window, side,
                                     scale, theme);
            painter.drawImage(QRectF(layout.rectOf(first).translated(scene.origin)), image);
        }
    paintGridGutter(painter, scene);
    paintGridHeader(painter, scene);
    painter.restore();
    const int below = topOf(figure) + GridLayout::header + layout.size().height() + 8;
    painter.setFont(wordFont(11, true));
    painter.setPen(theme.text);
    painter.drawText(QPointF(gridEdge + GridLayout::gutter, below + 11),
                     QStringLiteral("p (pattern), √, 0–1"));
    ColourScale colours;
    colours.table = &sequentialTable(figure.scheme);
    paintColourBar(painter, theme,
                   QRectF(gridEdge + GridLayout::gutter, below + 18, gridBarWidth, colourBarHeight),
                   colours, false);
    if (figure.fold.isEmpty()) return;
    painter.setFont(wordFont(11));
    painter.setPen(theme.text2);
    painter.drawText(QPointF(gridEdge + GridLayout::gutter, below + barSpace + 2),
                     QFontMetricsF(painter.font())
                         .elidedText(foldNote(figure), Qt::ElideRight,
                                     size.width() - 2 * gridEdge - GridLayout::gutter));
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
