// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/drawing.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <memory>

#include "ui/widgets/text_outlines.h"

namespace ui {

namespace {

constexpr int dpi = 96;
constexpr double pointsAPixel = 72.0 / dpi;

template <typename Figure>
Drawing drawing(Figure figure, QSizeF size, QImage (*raster)(const Figure&, double),
                void (*paint)(QPainter&, const Figure&, double)) {
    const auto shared = std::make_shared<const Figure>(std::move(figure));
    return {size, [=](double scale) { return raster(*shared, scale); },
            [=](QCPPainter& painter) { paint(painter, *shared, vectorMapScale); }};
}

bool painted(QPaintDevice& device, const Drawing& drawing) {
    QCPPainter painter;
    if (!painter.begin(&device)) return false;
    // Text as text and lines as lines, also of what QCustomPlot draws.
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    drawing.vector(painter);
    return painter.end();
}

double millimetres(const Drawing& drawing) {
    return drawing.size.width() / dpi * 25.4;
}

// Qt's page is a whole number of points wide, written with six decimals. The length stays, as
// offsets count.
void setPageWidth(QByteArray& pdf, double points) {
    constexpr QByteArrayView box = "/MediaBox [0 0 ";
    const qsizetype from = pdf.lastIndexOf(box) + box.size(), to = pdf.indexOf(' ', from);
    if (from < box.size() || to < from) return;
    const auto whole = QByteArray::number(static_cast<int>(points)).size();
    const qsizetype decimals = to - from - whole - 1;
    if (decimals > 0)
        pdf.replace(from, to - from, QByteArray::number(points, 'f', static_cast<int>(decimals)));
}

// XMP, since QPdfWriter's own has no description.
QByteArray xmpOf(const QString& title, const QString& description) {
    const QString creator = QStringLiteral("Headscope " HEADSCOPE_VERSION);
    const auto alternative = [](const char* name, const QString& text) {
        return QStringLiteral(
                   "<dc:%1><rdf:Alt><rdf:li xml:lang=\"x-default\">%2</rdf:li></rdf:Alt>"
                   "</dc:%1>")
            .arg(QLatin1String(name), text.toHtmlEscaped());
    };
    return QStringLiteral(
               "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
               "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
               "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description "
               "rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
               "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"><xmp:CreatorTool>%1</xmp:CreatorTool>"
               "%2%3</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>")
        .arg(creator.toHtmlEscaped(), alternative("title", title),
             alternative("description", description))
        .toUtf8();
}

}  // namespace

Drawing drawingOf(HeadFigure figure) {
    const QSizeF size = headFigureSize(figure);
    return drawing<HeadFigure>(std::move(figure), size, renderHeadFigure, paintHeadFigure);
}

Drawing drawingOf(GridFigure figure) {
    const QSize size = gridFigureSize(figure);
    return drawing<GridFigure>(std::move(figure), size, renderGridFigure, paintGridFigure);
}

Drawing drawingOf(ContributionFigure figure) {
    const auto shared = std::make_shared<const ContributionFigure>(std::move(figure));
    const QSize size = figureSize(*shared);
    return {size, [=](double scale) { return render(*shared, size, scale); },
            [=](QCPPainter& painter) {
                painter.fillRect(QRect(QPoint(), size), themeOf(shared->scheme).base);
                paintContributions(painter, *shared, size);
            }};
}

QByteArray svgOf(const Drawing& drawing, const QString& title, const QString& description,
                 SvgText text) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(drawing.size.toSize());
    generator.setViewBox(QRectF(QPointF(), drawing.size));
    generator.setResolution(dpi);
    // Qt writes both as they are given.
    generator.setTitle(title.toHtmlEscaped());
    generator.setDescription(description.toHtmlEscaped());
    if (!painted(generator, drawing)) return {};
    if (const auto from = bytes.indexOf("width=\""), to = bytes.indexOf("mm\"", from);
        from >= 0 && to > from)
        bytes.replace(from, to - from,
                      "width=\"" + QByteArray::number(millimetres(drawing), 'g', 8));
    // The reader's machine may lack the fonts.
    if (text == SvgText::Outlined) bytes = withOutlinedText(bytes);
    bytes.replace("font-family=\"Inter\"", "font-family=\"Inter, Helvetica, Arial, sans-serif\"");
    bytes.replace("font-family=\"DejaVu Sans Mono\"",
                  "font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\"");
    return bytes;
}

QByteArray pdfOf(const Drawing& drawing, const QString& title, const QString& description) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly)) return {};
    QPdfWriter writer(&buffer);
    writer.setResolution(dpi);
    writer.setPageSize(QPageSize(QSizeF(drawing.size) * pointsAPixel, QPageSize::Point,
                                 QStringLiteral("figure"), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Headscope " HEADSCOPE_VERSION));
    writer.setDocumentXmpMetadata(xmpOf(title, description));
    if (!painted(writer, drawing)) return {};
    setPageWidth(bytes, drawing.size.width() * pointsAPixel);
    // The same figure is the same file whenever it is written; the length stays, as offsets count.
    const qsizetype from = bytes.lastIndexOf("/CreationDate ("), to = bytes.indexOf(')', from);
    if (from >= 0 && to > from) std::fill(bytes.begin() + from, bytes.begin() + to + 1, ' ');
    return bytes;
}

}  // namespace ui
