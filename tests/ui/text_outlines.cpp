// SPDX-License-Identifier: GPL-3.0-or-later
// Text as outlines: no words are left for a reader's fonts, and the picture is the same.
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QSvgRenderer>
#include <QTest>
#include <QXmlStreamReader>

#include "ui/painting/theme.h"
#include "ui/widgets/drawing.h"
#include "ui/widgets/text_outlines.h"

namespace {

constexpr QSize size{420, 160};

QByteArray svgOfTexts() {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setResolution(96);
    generator.setTitle(QStringLiteral("&lt;text x=&quot;1&quot;&gt;not one&lt;/text&gt;"));
    QPainter painter(&generator);
    painter.fillRect(QRect(QPoint(), size), Qt::white);
    painter.setFont(ui::wordFont(13, true));
    painter.setPen(QColor(20, 40, 160));
    painter.drawText(QPointF(14, 26), QStringLiteral("L12.H7 ‖p·v·Wₒ‖ <b>&amp;\"quoted\"</b>"));
    painter.setFont(ui::monoFont(11));
    painter.setPen(Qt::black);
    painter.drawText(QPointF(14, 60), QStringLiteral("·When ·Mary ⏎ ⇥"));
    painter.save();
    painter.translate(40, 140);
    painter.rotate(-50);
    painter.drawText(QPointF(0, 0), QStringLiteral("turned 你好"));
    painter.restore();
    painter.drawRect(200, 80, 50, 50);
    painter.end();
    return bytes;
}

QImage rendered(const QByteArray& svg) {
    QSvgRenderer renderer(svg);
    QImage image(size * 2, QImage::Format_ARGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    renderer.render(&painter);
    return image;
}

// Of all pixels, those that are much darker in one than in the other.
double difference(const QImage& a, const QImage& b) {
    int differ = 0, dark = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const int one = qGray(a.pixel(x, y)), two = qGray(b.pixel(x, y));
            dark += one < 128;
            differ += std::abs(one - two) > 128;
        }
    return dark > 0 ? static_cast<double>(differ) / dark : 1;
}

}  // namespace

class TextOutlinesTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { ui::loadFonts(); }

    void noWordIsLeft() {
        const QByteArray before = svgOfTexts(), after = ui::withOutlinedText(before);
        const auto texts = before.count("<text ");  // one a font: what lacks a glyph is cut there
        QVERIFY(texts >= 3);
        QCOMPARE(after.count("<text "), 0);
        QCOMPARE(after.count("<path role=\"img\""), texts);
        QStringList labels;
        QXmlStreamReader xml(after);
        while (!xml.atEnd()) {
            xml.readNext();
            if (xml.isStartElement() && xml.attributes().hasAttribute(QLatin1String("aria-label")))
                labels << xml.attributes().value(QLatin1String("aria-label")).toString();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(labels.value(0), QStringLiteral("L12.H7 ‖p·v·Wₒ‖ <b>&amp;\"quoted\"</b>"));
        QCOMPARE(labels.value(1), QStringLiteral("·When ·Mary ⏎ ⇥"));
        QVERIFY(after.contains("&lt;text x=&quot;1&quot;&gt;not one"));  // the title's
    }

    void thePictureIsTheSame() {
        const QByteArray before = svgOfTexts();
        const QImage words = rendered(before), outlines = rendered(ui::withOutlinedText(before));
        const double share = difference(words, outlines);
        QVERIFY2(share < 0.05, qPrintable(QString::number(share)));
        // The measure sees a text that is gone.
        QByteArray without = before;
        without.replace("·When", "     ");
        QVERIFY(difference(words, rendered(without)) > 0.05);
    }

    void aFigureOnRequest() {
        ui::ContributionFigure figure;
        figure.table.layers = 2;
        figure.table.query_heads = 2;
        figure.table.head_norm = {1, 2, 3, 4};
        figure.table.head_attribution = {1, -2, 3, 4};
        figure.table.attention_norm = figure.table.mlp_norm = {1, 2};
        figure.table.attention_attribution = figure.table.mlp_attribution = {1, -2};
        figure.kvHeads = 1;
        figure.model = QStringLiteral("Model");
        const ui::Drawing drawing = ui::drawingOf(figure);
        const QByteArray words = ui::svgOf(drawing, QStringLiteral("t"), QStringLiteral("d")),
                         outlines = ui::svgOf(drawing, QStringLiteral("t"), QStringLiteral("d"),
                                              ui::SvgText::Outlined);
        QVERIFY(words.contains("<text ") && words.contains("font-family"));
        QVERIFY(!outlines.contains("<text "));
        QVERIFY(outlines.contains("aria-label=\"Model"));
        QVERIFY(QSvgRenderer(outlines).isValid());
    }

    void whatHasNoOutlineStays() {
        const QByteArray svg =
            "<svg><text fill=\"#000\" x=\"1\" y=\"2\" font-family=\"Inter\" font-size=\"0\" >a"
            "</text><text >b</text></svg>";
        QCOMPARE(ui::withOutlinedText(svg), svg);
        QCOMPARE(ui::withOutlinedText(QByteArray()), QByteArray());
    }
};

QTEST_MAIN(TextOutlinesTest)
#include "text_outlines.moc"
