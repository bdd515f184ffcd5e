// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/finder/scatter_figure.h"

#include <QFontMetricsF>
#include <cmath>
#include <memory>

#include "ui/painting/number_text.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int scatterWidth = 640, scatterHeight = 420, scatterEdge = 14, scatterTop = 52,
              rampWidth = 120, rampHeight = 8;
constexpr double mostScatterSide = 65535;

void paintScatter(QCPPainter& painter, const ScatterFigure& figure, const FinderModel& model) {
    const Theme t = themeOf(figure.scheme);
    painter.fillRect(QRect(0, 0, scatterWidth, scatterHeight), t.base);
    const auto line = [&](int y, const QString& text, const QFont& font, const QColor& colour,
                          double width) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QPointF(scatterEdge, y),
                         QFontMetricsF(font).elidedText(onOneLine(text), Qt::ElideRight, width));
    };
    const double inner = scatterWidth - 2 * scatterEdge;
    const HeadMetricInfo& colour = infoOf(figure.look.colour);
    const QString shades =
        colour.name + QStringLiteral(", 0 to %1")
                          .arg(plainNumber(model.largest(figure.look.colour), colour.decimals));
    const double words = QFontMetricsF(wordFont(11)).horizontalAdvance(shades);
    const double ramp = scatterWidth - scatterEdge - rampWidth;
    line(scatterEdge + 12, figure.title, wordFont(13, true), t.text, inner);
    line(scatterEdge + 30, figure.note, wordFont(11), t.text2, ramp - words - 3 * scatterEdge);
    painter.setFont(wordFont(11));
    painter.setPen(t.text2);
    painter.drawText(QPointF(ramp - 8 - words, scatterEdge + 30), shades);
    const auto colours = HeadScatter::shades(t);
    const double step = double(rampWidth) / static_cast<double>(colours.size());
    for (std::size_t i = 0; i < colours.size(); ++i)
        painter.fillRect(
            QRectF(ramp + static_cast<double>(i) * step, scatterEdge + 22, step + 0.5, rampHeight),
            colours[i]);

    const QRect box(scatterEdge, scatterTop, scatterWidth - 2 * scatterEdge,
                    scatterHeight - scatterTop - scatterEdge);
    HeadScatter plot(model);
    plot.setViewport(QRect(QPoint(), box.size()));
    for (int pass = 0; pass < 2; ++pass) {  // names are placed by the axes as they were drawn
        plot.setLook(figure.look, t);
        plot.replot(QCustomPlot::rpImmediateRefresh);
    }
    painter.save();
    painter.translate(box.topLeft());
    plot.toPainter(&painter, box.width(), box.height());
    painter.restore();
}

QImage scatterImage(const ScatterFigure& figure, const FinderModel& model, double scale) {
    const double wide = std::round(scatterWidth * scale), high = std::round(scatterHeight * scale);
    if (!(scale > 0) || wide < 1 || high < 1 || wide > mostScatterSide || high > mostScatterSide)
        return {};
    QImage image(static_cast<int>(wide), static_cast<int>(high), QImage::Format_RGB32);
    if (image.isNull()) return image;
    // Fonts are in points: painted at 96 dpi whatever the screen has, then scaled with the rest.
    const auto setDots = [&](double dpi) {
        image.setDotsPerMeterX(static_cast<int>(std::lround(dpi / 0.0254)));
        image.setDotsPerMeterY(image.dotsPerMeterX());
    };
    setDots(96);
    {
        QCPPainter painter(&image);
        painter.setRenderHint(QPainter::TextAntialiasing);
        painter.scale(wide / scatterWidth, high / scatterHeight);
        paintScatter(painter, figure, model);
    }
    setDots(96 * scale);
    return image;
}

}  // namespace

Drawing drawingOf(const ScatterFigure& figure, const FinderModel& model) {
    return {QSize(scatterWidth, scatterHeight),
            [figure, &model](double scale) { return scatterImage(figure, model, scale); },
            [figure, &model](QCPPainter& painter) { paintScatter(painter, figure, model); }};
}

}  // namespace ui
