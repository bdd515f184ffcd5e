// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/contribution_figure.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "ui/painting/figure_fonts.h"
#include "ui/painting/figure_image.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int figureWidth = 460, pad = 12, titleLine = 20, noteLine = 18, headRowHeight = 17,
              layerRow = 13;

ContributionView viewOf(const ContributionFigure& figure) {
    ContributionView view;
    view.table = &figure.table;
    view.measure = figure.measure;
    view.focus = figure.focus;
    view.focus.layer = engine::Layer{
        std::clamp(engine::to_int(figure.focus.layer), 0, std::max(0, figure.table.layers - 1))};
    view.markHead = figure.markHead;
    view.kvHeads = figure.kvHeads;
    return view;
}

int headerHeight() {
    return pad + 2 * titleLine + 6;
}

int headsHeight(const ContributionFigure& figure) {
    return noteLine + headRows(viewOf(figure)) * headRowHeight + noteLine;
}

void write(QPainter& painter, const QRect& box, const QString& text, const QFont& font,
           const QColor& colour, Qt::Alignment side) {
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
}

void plotInto(QCPPainter& painter, QCustomPlot& plot, const QRect& box) {
    painter.save();
    painter.translate(box.topLeft());
    plot.toPainter(&painter, box.width(), box.height());
    painter.restore();
}

void setDpi(QImage& image, double dpi) {
    image.setDotsPerMeterX(static_cast<int>(std::lround(dpi / 0.0254)));
    image.setDotsPerMeterY(image.dotsPerMeterX());
}

QString subject(const ContributionFigure& figure) {
    if (figure.measure == Measure::Write) return QStringLiteral("‖write‖");
    QString text = QStringLiteral("logit attribution of ") + figure.targetText;
    if (!figure.distractorText.isEmpty())
        text += QStringLiteral(" \u2212 ") + figure.distractorText;
    return text;
}

}  // namespace

void paintContributions(QCPPainter& painter, const ContributionFigure& figure, QSize size) {
    const FigureFonts fonts;
    const engine::ContributionTable& table = figure.table;
    if (table.layers <= 0 || table.query_heads <= 0) return;
    const Theme t = themeOf(figure.scheme);
    ContributionView view = viewOf(figure);
    view.theme = t;

    const int left = pad, inner = size.width() - 2 * pad;
    int y = pad;
    write(painter, QRect(left, y, inner, titleLine),
          QStringLiteral("Contributions at ") + figure.positionText, wordFont(14, true), t.text,
          Qt::AlignLeft);
    y += titleLine;
    write(painter, QRect(left, y, inner, titleLine),
          onOneLine(figure.model) + QStringLiteral(" · ") + subject(figure), wordFont(11), t.text2,
          Qt::AlignLeft);
    y = headerHeight();

    const int total = size.height() - y - pad;
    const int layersPart = figure.layers ? 8 + 2 * noteLine : 0;
    const double rows =
        headRows(view) * headRowHeight + (figure.layers ? (table.layers + 1) * layerRow : 0);
    const double unit = std::max(0.0, (total - 2 * noteLine - layersPart) / rows);
    const int headsPlot = static_cast<int>(std::floor(unit * headRows(view) * headRowHeight));
    write(painter, QRect(left, y, inner, noteLine),
          QStringLiteral("Heads of L%1").arg(engine::to_int(view.focus.layer)), wordFont(11, true),
          t.text, Qt::AlignLeft);
    y += noteLine;
    QCustomPlot plot;
    if (headsPlot > 0) {
        drawHeads(plot, view);
        plotInto(painter, plot, QRect(left, y, inner, headsPlot));
    }
    y += headsPlot;
    const auto sum = [&](const QString& words, const QString& value) {
        painter.setPen(t.softBorder);
        painter.drawLine(QLine(left, y, left + inner, y));
        write(painter, QRect(left + 4, y, inner - 80, noteLine), words, wordFont(11), t.text,
              Qt::AlignLeft);
        write(painter, QRect(left, y, inner - 8, noteLine), value, monoFont(11), t.text,
              Qt::AlignRight);
        y += noteLine;
    };
    const bool attribution = figure.measure == Measure::Attribution;
    const QString parts =
        outputBias(view) ? QStringLiteral("Σ heads + bias") : QStringLiteral("Σ heads");
    sum(attribution ? parts + QStringLiteral(" = attention out")
                    : QStringLiteral("‖%1‖ = ‖attention out‖").arg(parts),
        valueText(figure.measure, attentionValue(view)));
    if (!figure.layers) return;

    y += 8;
    write(painter, QRect(left, y, inner, noteLine), QStringLiteral("All layers"),
          wordFont(11, true), t.text, Qt::AlignLeft);
    write(painter, QRect(left + 90, y, 90, noteLine), QStringLiteral("■ attention"), wordFont(10),
          t.bar, Qt::AlignLeft);
    write(painter, QRect(left + 170, y, 60, noteLine), QStringLiteral("■ MLP"), wordFont(10),
          t.mlpBar, Qt::AlignLeft);
    write(painter, QRect(left, y, inner - 8, noteLine),
          attribution ? QStringLiteral("layer total") : QStringLiteral("attention"), wordFont(10),
          t.text2, Qt::AlignRight);
    y += noteLine;
    const int layersPlot = std::max(0, size.height() - pad - noteLine - y);
    if (layersPlot > 0) {
        drawLayers(plot, view, layersPlot);
        plotInto(painter, plot, QRect(left, y, inner, layersPlot));
    }
    y += layersPlot;
    if (attribution)
        sum((figure.distractorText.isEmpty() ? QStringLiteral("Σ writes = logit")
                                             : QStringLiteral("Σ writes = logit difference")) +
                (table.soft_cap > 0 ? QStringLiteral(" before the cap") : QString()),
            signedNumber(writesSum(table), 3));
}

QSize figureSize(const ContributionFigure& figure) {
    const FigureFonts fonts;
    int height = headerHeight() + headsHeight(figure) + pad;
    if (figure.layers) height += 8 + noteLine + (figure.table.layers + 1) * layerRow + noteLine;
    return {figureWidth, height};
}

QImage render(const ContributionFigure& figure, QSize size, double scale) {
    const FigureFonts fonts;
    const engine::ContributionTable& table = figure.table;
    if (size.width() <= 0 || size.height() <= 0 || !(scale > 0) || table.layers <= 0 ||
        table.query_heads <= 0)
        return {};
    const double wide = std::round(size.width() * scale), high = std::round(size.height() * scale);
    constexpr double mostSide = 65535;
    if (wide < 1 || high < 1 || wide > mostSide || high > mostSide) return {};
    checkPixels(size, scale);
    QImage image(static_cast<int>(wide), static_cast<int>(high), QImage::Format_RGB32);
    if (image.isNull()) return image;
    image.fill(themeOf(figure.scheme).base);
    // Fonts are in points: painted at 96 dpi whatever the screen has, then scaled with the rest.
    setDpi(image, 96);

    {
        QCPPainter painter(&image);
        painter.setRenderHint(QPainter::TextAntialiasing);
        painter.scale(wide / size.width(), high / size.height());
        paintContributions(painter, figure, size);
    }
    setDpi(image, 96 * scale);
    return image;
}

}  // namespace ui
