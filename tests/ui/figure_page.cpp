// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of heads on a page of a given size: where the panels lie, what stands around them, and
// what is refused.
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

#include "engine/values/failure.h"
#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/figure_layout.h"
#include "ui/painting/theme.h"
#include "ui/widgets/drawing.h"

using namespace ui;

namespace {

HeadFigure pageFigure(int panels, int tokens, const FigurePage& page, double scale = 1) {
    HeadFigure figure;
    figure.tokens = manyTokens(tokens);
    figure.title = QStringLiteral("tiny");
    figure.page = page;
    for (int i = 0; i < panels; ++i)
        figure.panels.push_back({{engine::Layer{3}, engine::QueryHead{i}}, {}, 0, 0, {}});
    const engine::Axis axis = figureAxes(figure, scale).dest;
    for (HeadPanel& panel : figure.panels)
        panel.tile = tileOf([](std::int64_t d, std::int64_t s) { return d == s ? 0.9F : 0.05F; },
                            axis, axis, tokens, panel.at);
    return figure;
}

FigurePage pageOf(const char* size, int columns = 0) {
    FigurePage page;
    page.size = *pageSizeOf(size);
    page.columns = columns;
    page.labels = FigureLabels::Edge;
    return page;
}

// The colour bar with its title and its note.
QRectF legendOf(const FigureLayout& l) {
    const double notes = l.noteBeside ? 0 : figure::noteLine * static_cast<double>(l.note.size());
    return {l.legend, QSizeF(std::min(figure::barWidth, l.width - figure::edge - l.legend.x()),
                             figure::titleHeight - 4 + notes + colourBarHeight)};
}

// What an SVG of it says, and how often.
QStringList textsOf(const HeadFigure& figure) {
    QXmlStreamReader xml(svgOf(drawingOf(figure), {}, {}));
    QStringList texts;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && xml.name() == QLatin1String("text"))
            texts << xml.readElementText().trimmed();
    }
    return texts;
}

}  // namespace

class FigurePageTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void sizesAreNamed() {
        QCOMPARE(pageSizeOf("single")->width, 89 / 25.4 * 96);
        QCOMPARE(pageSizeOf("double")->width, 183 / 25.4 * 96);
        QCOMPARE(pageSizeOf("slide")->width / pageSizeOf("slide")->height, 16.0 / 9);
        QCOMPARE(*pageSizeOf("natural"), PageSize());
        QVERIFY(!pageSizeOf("A4"));
        QCOMPARE(pageOfWidth(254).width, 960.0);
    }

    void lettersGoOn() {
        QCOMPARE(panelLetter(0), QStringLiteral("a"));
        QCOMPARE(panelLetter(25), QStringLiteral("z"));
        QCOMPARE(panelLetter(26), QStringLiteral("aa"));
        QCOMPARE(panelLetter(27), QStringLiteral("ab"));
    }

    // Every map lies whole on its page, none over another, and all above the colour bar.
    void panelsLieOnThePage_data() {
        QTest::addColumn<QString>("size");
        QTest::addColumn<int>("panels");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("tokens");
        for (const char* size : {"natural", "single", "double", "slide"})
            for (const int panels : {1, 2, 5, 12})
                for (const int tokens : {1, 14, 500})
                    QTest::addRow("%s, %d heads, %d tokens", size, panels, tokens)
                        << size << panels << 0 << tokens;
        QTest::addRow("two of five side by side") << "double" << 5 << 2 << 14;
        QTest::addRow("more columns than heads") << "double" << 2 << 9 << 14;
        QTest::addRow("a slide in one row") << "slide" << 6 << 6 << 14;
    }
    void panelsLieOnThePage() {
        QFETCH(QString, size);
        QFETCH(int, panels);
        QFETCH(int, columns);
        QFETCH(int, tokens);
        for (const FigureLabels labels :
             {FigureLabels::Every, FigureLabels::Edge, FigureLabels::None}) {
            FigurePage page = pageOf(size.toLatin1(), columns);
            page.labels = labels;
            page.caption = QStringLiteral(
                "What is to be seen here, in more words than one line of "
                "a narrow page has room for, is told below it.");
            const bool narrow = labels == FigureLabels::Every && size == QLatin1String("single");
            if (narrow && columns > 1) continue;
            const HeadFigure figure = pageFigure(panels, tokens, page);
            const FigureLayout l = layoutOf(figure);
            if (columns > 0) QCOMPARE(l.columns, std::min(columns, panels));
            if (page.size.width > 0) QCOMPARE(l.size.width(), page.size.width);
            if (page.size.height > 0) QCOMPARE(l.size.height(), page.size.height);
            const double height = l.size.height() / l.text;
            std::vector<QRectF> maps;
            for (int i = 0; i < panels; ++i) {
                const QRectF map(l.mapAt(i), QSizeF(l.side, l.side));
                QVERIFY(map.left() >= 0 && map.right() <= l.width + 1e-6);
                QVERIFY2(!map.intersects(legendOf(l)), qPrintable(QString::number(map.bottom())));
                QVERIFY(map.bottom() + (l.labelsColumns(i) ? l.below : 0) <= l.captionTop + 1e-6);
                for (const QRectF& other : maps) QVERIFY(!map.intersects(other));
                maps.push_back(map);
            }
            const double lines = static_cast<double>(l.caption.size()) * figure::captionLine;
            QVERIFY(legendOf(l).bottom() <= height && l.captionTop + lines <= height);
            QVERIFY(QRectF(0, 0, l.width, height).contains(legendOf(l)));
            QVERIFY(!renderHeadFigure(figure, 1).isNull());
        }
    }

    // A map is as large as its place, so that no band of the page lies idle beside or below it.
    void mapsFillTheirPlaces_data() {
        QTest::addColumn<double>("mm");
        QTest::addColumn<int>("panels");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<double>("scale");
        for (const double mm : {40.0, 89.0, 183.0, 400.0})
            for (const int panels : {1, 3})
                for (const int tokens : {1, 14, 100, 700})
                    for (const double scale : {1.0, 3.125})
                        if (mm > 40 || panels == 1)
                            QTest::addRow("%g mm, %d heads, %d tokens, %g", mm, panels, tokens,
                                          scale)
                                << mm << panels << tokens << scale;
    }
    void mapsFillTheirPlaces() {
        QFETCH(double, mm);
        QFETCH(int, panels);
        QFETCH(int, tokens);
        QFETCH(double, scale);
        FigurePage page;
        page.size = pageOfWidth(mm);
        page.columns = panels;
        page.labels = FigureLabels::None;
        const HeadFigure figure = pageFigure(panels, tokens, page, scale);
        const FigureLayout l = layoutOf(figure);
        const QImage image = renderHeadFigure(figure, scale);
        const double ratio = scale * l.text;
        for (int i = 0; i < panels; ++i) {
            const QRectF map(l.mapAt(i) * ratio, QSizeF(l.side, l.side) * ratio);
            const QRgb ground = image.pixel(0, 0);
            for (const QPointF corner :
                 {map.topLeft() + QPointF(2, 2), map.topRight() + QPointF(-3, 2),
                  map.bottomLeft() + QPointF(2, -3), map.bottomRight() + QPointF(-3, -3)})
                QVERIFY2(image.pixel(corner.toPoint()) != ground,
                         qPrintable(QStringLiteral("%1, %2").arg(corner.x()).arg(corner.y())));
            QCOMPARE(image.pixel((map.topRight() + QPointF(3, 2)).toPoint()), ground);
        }
        if (panels == 1) QVERIFY(l.mapAt(0).x() + l.side >= l.width - figure::edge - 1e-6);
    }

    // A slide is wider than high: the colour bar stands beside the maps where they are larger so.
    void slidesAreUsed_data() {
        QTest::addColumn<int>("panels");
        QTest::addColumn<double>("least");  // width of maps and bar, of the page's
        QTest::newRow("one") << 1 << 0.7;
        QTest::newRow("two") << 2 << 0.7;
        QTest::newRow("three") << 3 << 0.9;
        QTest::newRow("four") << 4 << 0.7;
        QTest::newRow("nine") << 9 << 0.7;
    }
    void slidesAreUsed() {
        QFETCH(int, panels);
        QFETCH(double, least);
        const FigureLayout l = layoutOf(pageFigure(panels, 14, pageOf("slide")));
        double right = legendOf(l).right(), left = l.width;
        for (int i = 0; i < panels; ++i) {
            right = std::max(right, l.mapAt(i).x() + l.side);
            left = std::min(left, l.mapAt(i).x() - l.gutter);
        }
        QVERIFY2((right - left) / l.width >= least,
                 qPrintable(QString::number((right - left) / l.width)));
        if (panels == 1) QVERIFY(l.side * l.text > 0.68 * 720);
    }

    void pagesHaveExactlyTheirWidth_data() {
        QTest::addColumn<double>("mm");
        for (const double mm : {40.0, 89.0, 183.0, 210.0, 352.7, 600.0})
            QTest::addRow("%g", mm) << mm;
    }
    void pagesHaveExactlyTheirWidth() {
        QFETCH(double, mm);
        FigurePage page;
        page.size = pageOfWidth(mm);
        const Drawing drawing = drawingOf(pageFigure(1, 6, page));
        QXmlStreamReader xml(svgOf(drawing, {}, {}));
        QVERIFY(xml.readNextStartElement());
        QString width = xml.attributes().value(QLatin1String("width")).toString();
        QVERIFY(width.endsWith(QStringLiteral("mm")));
        width.chop(2);
        QVERIFY2(std::abs(width.toDouble() - mm) < 1e-4, qPrintable(width));
        const QStringList box =
            xml.attributes().value(QLatin1String("viewBox")).toString().split(u' ');
        QVERIFY(std::abs(box.value(2).toDouble() / 96 * 25.4 - mm) < 1e-3);
        const QByteArray pdf = pdfOf(drawing, {}, {});
        const qsizetype at = pdf.indexOf("/MediaBox [0 0 ");
        QVERIFY(at > 0);
        const double points = pdf.mid(at + 15, 10).split(' ')[0].toDouble();
        QVERIFY2(std::abs(points / 72 * 25.4 - mm) < 1e-4, pdf.mid(at, 40).constData());
        // Offsets still count from where they did.
        const qsizetype start = pdf.lastIndexOf("startxref\n") + 10;
        const qsizetype table =
            pdf.mid(start, pdf.indexOf('\n', start) - start).trimmed().toLongLong();
        QVERIFY(pdf.mid(table).startsWith("xref"));
    }

    void hugePicturesAreRefused_data() {
        QTest::addColumn<QSizeF>("size");
        QTest::addColumn<double>("scale");
        QTest::addColumn<bool>("fits");
        QTest::newRow("a journal's page at 600 dpi") << QSizeF(691, 900) << 6.25 << true;
        QTest::newRow("just") << QSizeF(10'000, 10'000) << 1.0 << true;
        QTest::newRow("just not") << QSizeF(10'000, 10'001) << 1.0 << false;
        QTest::newRow("600 mm at 16") << QSizeF(2267.7, 2400) << 16.0 << false;
        QTest::newRow("past all numbers") << QSizeF(1e9, 1e9) << 16.0 << false;
    }
    void hugePicturesAreRefused() {
        QFETCH(QSizeF, size);
        QFETCH(double, scale);
        QFETCH(bool, fits);
        try {
            checkPixels(size, scale);
            QVERIFY(fits);
        } catch (const engine::Error& error) {
            QVERIFY(!fits);
            QCOMPARE(error.failure().kind, engine::Failure::Kind::BadRequest);
            QVERIFY(error.failure().what.find("the most is 100,000,000") != std::string::npos);
            // What is advised does.
            const QString hint = QString::fromStdString(error.failure().hint);
            const double advised = hint.section(u' ', 3, 3).toDouble();
            if (advised > 0) checkPixels(size, advised);
            QVERIFY2(advised > 0 || size.width() > 1e6, qPrintable(hint));
        }
    }

    void labelsAreWhereAskedFor_data() {
        QTest::addColumn<int>("labels");
        QTest::addColumn<int>("first");  // how often token 0 is written, of 3 heads in 2 columns
        QTest::newRow("every") << int(FigureLabels::Every) << 6;
        QTest::newRow("edge") << int(FigureLabels::Edge) << 4;  // two rows, two columns
        QTest::newRow("none") << int(FigureLabels::None) << 0;
    }
    void labelsAreWhereAskedFor() {
        QFETCH(int, labels);
        FigurePage page = pageOf("double", 2);
        page.labels = static_cast<FigureLabels>(labels);
        const QStringList texts = textsOf(pageFigure(3, 6, page));
        QTEST(int(texts.count(QStringLiteral("t0"))), "first");
        QCOMPARE(texts.count(QStringLiteral("p (pattern)")), 1);
        QCOMPARE(texts.count(QStringLiteral("source (key)")),
                 labels == int(FigureLabels::Every) ? 3 : 2);
        QCOMPARE(texts.count(QStringLiteral("destination (query)")), 2);
        for (int i = 0; i < 3; ++i) QVERIFY(texts.contains(QStringLiteral("L3.H%1").arg(i)));
    }

    void lettersTitleAndCaptionAreLiteral() {
        FigurePage page = pageOf("single");
        page.letters = true;
        page.caption = QStringLiteral("<b>100%</b> & %1");
        HeadFigure figure = pageFigure(2, 6, page);
        figure.title = QStringLiteral("<i>own</i>");
        QStringList texts = textsOf(figure);
        for (const char* said : {"a", "b", "<b>100%</b> & %1", "<i>own</i>"})
            QVERIFY2(texts.contains(QString::fromUtf8(said)), said);
        figure.page.letters = false;
        figure.page.caption.clear();
        figure.title.clear();
        texts = textsOf(figure);
        for (const char* said : {"a", "b", "<b>100%</b> & %1", "<i>own</i>"})
            QVERIFY2(!texts.contains(QString::fromUtf8(said)), said);
    }

    void onePanelHasNoLetter() {
        FigurePage page = pageOf("double");
        page.letters = true;
        QVERIFY(!textsOf(pageFigure(1, 6, page)).contains(QStringLiteral("a")));
        QVERIFY(textsOf(pageFigure(2, 6, page)).contains(QStringLiteral("a")));
    }

    void longTitlesAreWhole_data() {
        QTest::addColumn<QString>("size");
        for (const char* size : {"single", "double", "natural"}) QTest::newRow(size) << size;
    }
    void longTitlesAreWhole() {
        QFETCH(QString, size);
        HeadFigure figure = pageFigure(1, 6, pageOf(size.toLatin1()));
        const QSizeF one = headFigureSize(figure);
        QStringList words;
        for (int i = 0; i < 24; ++i) words << QStringLiteral("word%1").arg(i);
        figure.title = words.join(u' ');
        const QString said = textsOf(figure).join(u' ');
        for (const QString& word : words) QVERIFY2(said.contains(word), qPrintable(word));
        QVERIFY(headFigureSize(figure).height() > one.height());
        QCOMPARE(headFigureSize(figure).width(), one.width());
    }

    // The text of a page is as large whatever its width: what is 11 px in the window is 6.2 pt.
    void textHasTheJournalsSize() {
        const QByteArray svg = svgOf(drawingOf(pageFigure(2, 6, pageOf("single"))), {}, {});
        QVERIFY(svg.contains("scale") || svg.contains("matrix(0.75,0,0,0.75"));
    }

    void pngsSayTheirSizeOnPaper() {
        const HeadFigure figure = pageFigure(2, 6, pageOf("single"), 3.125);
        const QImage image = renderHeadFigure(figure, 3.125);
        QCOMPARE(image.width(), 1051);
        const double inches = image.width() / (image.dotsPerMeterX() * 0.0254);
        QVERIFY2(std::abs(inches * 25.4 - 89) < 0.01, qPrintable(QString::number(inches * 25.4)));
    }

    void groundIsLeftOutWhenAsked() {
        FigurePage page = pageOf("single");
        page.transparent = true;
        const QImage clear = renderHeadFigure(pageFigure(2, 6, page), 1);
        QVERIFY(clear.hasAlphaChannel());
        QCOMPARE(qAlpha(clear.pixel(0, 0)), 0);
        page.transparent = false;
        const QImage solid = renderHeadFigure(pageFigure(2, 6, page), 1);
        QVERIFY(!solid.hasAlphaChannel());
        QCOMPARE(solid.pixel(0, 0), 0xFFFFFFFFU);
        // The maps are the same on both.
        const QPoint cell =
            (layoutOf(pageFigure(2, 6, page)).mapAt(1) * 0.75).toPoint() + QPoint(4, 4);
        QCOMPARE(clear.pixel(cell), solid.pixel(cell));
    }

    void whatHasNoRoomIsRefused_data() {
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("fits");
        QTest::newRow("two") << 2 << true;
        QTest::newRow("twelve") << 12 << false;
    }
    void whatHasNoRoomIsRefused() {
        QFETCH(int, columns);
        QFETCH(bool, fits);
        try {
            pageFigure(12, 14, pageOf("single", columns));
            QVERIFY(fits);
        } catch (const engine::Error& error) {
            QVERIFY(!fits);
            QCOMPARE(error.failure().kind, engine::Failure::Kind::BadRequest);
            QVERIFY2(error.failure().what.find("12 maps in 12 columns") != std::string::npos,
                     error.failure().what.c_str());
        }
    }

    // Whatever the maps' width, the note that explains their values is whole.
    void naturalFiguresHoldTheirNote() {
        FigurePage page;
        HeadFigure figure = pageFigure(1, 2, page);
        figure.target = QStringLiteral("‹ a rather long token of a rather long text›");
        const FigureLayout l = layoutOf(figure);
        const QStringList texts = textsOf(figure);
        QVERIFY2(texts.contains(scaleNote(figure)), qPrintable(texts.join(u'|')));
        QVERIFY(l.width > 2 * figure::edge + l.gutter + figure::barWidth);
    }

    // Labels under a column that ends before the last row have their own room.
    void raggedColumnsHaveRoomForLabels_data() {
        QTest::addColumn<int>("panels");
        QTest::addColumn<int>("tokens");
        QTest::addRow("5 in 3") << 5 << 14;
        QTest::addRow("7 in 3") << 7 << 14;
        QTest::addRow("full") << 6 << 14;
        QTest::addRow("many tokens") << 4 << 60;
    }
    void raggedColumnsHaveRoomForLabels() {
        QFETCH(int, panels);
        QFETCH(int, tokens);
        FigurePage page;
        page.columns = 3;
        page.labels = FigureLabels::Edge;
        const FigureLayout l = layoutOf(pageFigure(panels, tokens, page));
        for (int i = 0; i < panels; ++i) {
            if (!l.labelsColumns(i)) continue;
            const double under = l.mapAt(i).y() + l.side + l.below;
            for (int j = 0; j < panels; ++j) {
                const double top = l.mapAt(j).y() - figure::panelTitle;
                QVERIFY(j / 3 <= i / 3 || under <= top + 1e-6);
            }
            QVERIFY(under <= l.legend.y() + 1e-6);
        }
    }

    // A long prompt's tile has no more pixels than its map, and the note says how it was pooled.
    void longPromptsArePooled() {
        const HeadFigure figure = pageFigure(2, 3000, pageOf("single"), 2);
        const FigureLayout l = layoutOf(figure);
        const engine::Axis& axis = figure.panels[0].tile.request.src;
        QVERIFY(axis.pixels() <= std::int64_t(l.side * l.text * 2));
        QVERIFY(l.note.join(u' ').contains(
            QStringLiteral("1 px = %1 × %1 cells, max").arg(axis.cells_per_pixel)));
    }
};

QTEST_MAIN(FigurePageTest)
#include "figure_page.moc"
