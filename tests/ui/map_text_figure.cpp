// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens as text, fonts, and figures of exact size.
#include <QFontInfo>
#include <QImage>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/values/failure.h"
#include "tests/support/qt_warnings.h"
#include "tests/ui/map_support.h"
#include "ui/painting/figure.h"
#include "ui/painting/figure_fonts.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/number_text.h"
#include "ui/painting/palette.h"
#include "ui/painting/theme.h"

using namespace ui;

namespace {

HeadFigure headFigure(int panels, int tokens, double scale) {
    HeadFigure figure;
    figure.tokens = manyTokens(tokens);
    figure.title = QStringLiteral("<b>tiny</b> & \"%1\"");
    const engine::Axis axis = figureAxis(tokens, panels, scale);
    for (int i = 0; i < panels; ++i) {
        HeadPanel panel;
        panel.at = {engine::Layer{3}, engine::QueryHead{i}};
        panel.tile = tileOf([](std::int64_t d, std::int64_t s) { return d == s ? 0.9F : 0.05F; },
                            axis, axis, tokens);
        figure.panels.push_back(panel);
    }
    return figure;
}

GridFigure gridFigure(int layers, int heads) {
    GridFigure figure;
    figure.model = modelOf(layers, heads, 1);
    figure.tile.request.dest = figure.tile.request.src = wholeAxis(10, gridThumbnail);
    for (int i = 0; i < layers * heads; ++i)
        figure.tile.request.heads.push_back(
            {engine::Layer{i / heads}, engine::QueryHead{i % heads}});
    figure.tile.rows_ready = 10;
    figure.tile.data = engine::make_payload(
        engine::DType::U8, {layers * heads, 10, 10},
        std::vector<std::uint8_t>(static_cast<std::size_t>(layers * heads * 100), 128));
    return figure;
}

}  // namespace

class MapTextFigureTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void bundledFontsAreUsed() {
        QCOMPARE(QFontInfo(wordFont(12)).family(), QStringLiteral("Inter"));
        QCOMPARE(QFontInfo(wordFont(12, true)).weight(), int(QFont::DemiBold));
        QCOMPARE(QFontInfo(monoFont(11)).family(), QStringLiteral("DejaVu Sans Mono"));
        QVERIFY(QFontInfo(monoFont(11, true)).bold());
        QCOMPARE(QFontInfo(wordFont(17)).pixelSize(), 17);
    }

    // A desktop's larger font is for the window.
    void figuresAreTheSameOnEveryDesktop() {
        const HeadFigure heads = headFigure(2, 12, 1);
        const GridFigure grid = gridFigure(3, 4);
        const QSizeF size = headFigureSize(heads);
        const QImage drawn = renderHeadFigure(heads, 1), drawnGrid = renderGridFigure(grid, 1);
        const double words = wordFont(12).pointSizeF();
        followDesktopFont(14);
        const double larger = wordFont(12).pointSizeF();
        const QSizeF sizeThere = headFigureSize(heads);
        const QImage there = renderHeadFigure(heads, 1), gridThere = renderGridFigure(grid, 1);
        followDesktopFont(9);
        QVERIFY(larger > 1.5 * words);
        QCOMPARE(wordFont(12).pointSizeF(), words);
        QCOMPARE(sizeThere, size);
        QVERIFY(there == drawn && gridThere == drawnGrid);
    }

    void tokens_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::addRow("space") << QByteArray(" to") << QStringLiteral("·to");
        QTest::addRow("markup") << QByteArray("<b>") << QStringLiteral("<b>");
        QTest::addRow("newline") << QByteArray("\n\n") << QStringLiteral("⏎⏎");
        QTest::addRow("CRLF") << QByteArray("\r\n") << QStringLiteral("\\x0D⏎");
        QTest::addRow("tab") << QByteArray("\t") << QStringLiteral("⇥");
        QTest::addRow("zero") << QByteArray("a\0b", 3) << QStringLiteral("a\\x00b");
        QTest::addRow("half a character") << QByteArray("\xF0\x9F") << QStringLiteral("\\xF0\\x9F");
        QTest::addRow("second half") << QByteArray("\x98\x80!") << QStringLiteral("\\x98\\x80!");
        QTest::addRow("emoji") << QByteArray("\xF0\x9F\x98\x80")
                               << QString::fromUtf8("\xF0\x9F\x98\x80");
        QTest::addRow("CJK") << QByteArray("\xE4\xBD\xA0") << QStringLiteral("你");
        QTest::addRow("overlong") << QByteArray("\xC0\xAF") << QStringLiteral("\\xC0\\xAF");
        QTest::addRow("surrogate")
            << QByteArray("\xED\xA0\x80") << QStringLiteral("\\xED\\xA0\\x80");
        QTest::addRow("beyond Unicode")
            << QByteArray("\xF4\x90\x80\x80") << QStringLiteral("\\xF4\\x90\\x80\\x80");
        QTest::addRow("no-break space") << QByteArray("\xC2\xA0") << QStringLiteral("U+00A0");
        QTest::addRow("zero width") << QByteArray("\xE2\x80\x8B") << QStringLiteral("U+200B");
        QTest::addRow("turns the line") << QByteArray("\xE2\x80\xAE") << QStringLiteral("U+202E");
        QTest::addRow("line separator") << QByteArray("\xE2\x80\xA8") << QStringLiteral("U+2028");
        QTest::addRow("empty") << QByteArray("") << QString();
        QTest::addRow("percent") << QByteArray("%1") << QStringLiteral("%1");
    }
    void tokens() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, text);
        QCOMPARE(visibleToken(bytes.toStdString()), text);
    }

    // What is not 0 never reads as 0, and 0 has no sign.
    void numbers_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("decimals");
        QTest::addColumn<QString>("plain");
        QTest::addColumn<QString>("signedText");
        QTest::addColumn<QString>("share");
        const auto row = [](double value, int decimals, const char* plain, const char* withSign,
                            const char* share) {
            QTest::addRow("%g in %d", value, decimals)
                << value << decimals << QString::fromUtf8(plain) << QString::fromUtf8(withSign)
                << QString::fromUtf8(share);
        };
        row(0.8181, 3, "0.818", "+0.818", ".82");
        row(-0.0041, 3, "−0.004", "−0.004", "−4e-3");
        row(0, 4, "0.0000", "0.0000", "0");
        row(-0.0, 2, "0.00", "0.00", "0");
        row(1e-6, 4, "1.0e-6", "+1.0e-6", "1e-6");
        row(-1e-6, 4, "−1.0e-6", "−1.0e-6", "−1e-6");
        row(4.94e-5, 4, "4.9e-5", "+4.9e-5", "5e-5");
        row(5.1e-5, 4, "0.0001", "+0.0001", "5e-5");
        row(1.6e-38, 6, "1.6e-38", "+1.6e-38", "2e-38");
        row(0.004, 2, "4.0e-3", "+4.0e-3", "4e-3");
        row(0.3, 0, "3.0e-1", "+3.0e-1", ".30");
        row(0.999, 2, "1.00", "+1.00", "1");
        row(1, 4, "1.0000", "+1.0000", "1");
        row(INFINITY, 2, "∞", "+∞", "∞");
        row(-INFINITY, 2, "−∞", "−∞", "−∞");
        row(NAN, 2, "–", "–", "–");
    }
    void numbers() {
        QFETCH(double, value);
        QFETCH(int, decimals);
        QTEST(plainNumber(value, decimals), "plain");
        QTEST(signedNumber(value, decimals), "signedText");
        QTEST(shareNumber(value), "share");
    }

    void errors_data() {
        QTest::addColumn<float>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("small") << 5.96e-7F << QStringLiteral("6e-7");
        QTest::newRow("smaller than most") << 1.2e-12F << QStringLiteral("1e-12");
        QTest::newRow("large") << 31.0F << QStringLiteral("3e+1");
        QTest::newRow("none") << 0.0F << QStringLiteral("0");
    }
    void errors() {
        QFETCH(float, value);
        QTEST(errorNumber(value), "text");
    }

    void largeNumbers() {
        QCOMPARE(thousands(8192), QStringLiteral("8,192"));
        QCOMPARE(thousands(-1234567), QStringLiteral("\u22121,234,567"));
    }

    void groupsHaveTheirHues() {
        const Theme light = themeOf(Scheme::Light);
        QVERIFY(light.kvGroup(0, 3) != light.kvGroup(1, 3));
        QCOMPARE(light.kvGroup(0, 3).name(), QStringLiteral("#9d7b2a"));
    }

    // Pixels are width × scale exactly.
    void figuresAreExact_data() {
        QTest::addColumn<double>("scale");
        for (const double scale : {0.5, 1.0, 1.5, 2.0, 3.0}) QTest::addRow("%g", scale) << scale;
    }
    void figuresAreExact() {
        QFETCH(double, scale);
        for (const int panels : {1, 3, 9}) {
            const HeadFigure figure = headFigure(panels, 30, scale);
            const QSizeF size = headFigureSize(figure);
            const QImage image = renderHeadFigure(figure, scale);
            QCOMPARE(image.size(), QSize(int(std::lround(size.width() * scale)),
                                         int(std::lround(size.height() * scale))));
            QVERIFY(!image.hasAlphaChannel());
            QCOMPARE(image.pixel(0, 0), 0xFFFFFFFFU);
        }
        const GridFigure grid = gridFigure(4, 5);
        QCOMPARE(renderGridFigure(grid, scale).size().width(),
                 int(std::lround(gridFigureSize(grid).width() * scale)));
    }

    // Every cell of the diagonal is as wide as the next and keeps its full colour.
    void figureCellsAreWholePixels() {
        const QImage image = renderHeadFigure(headFigure(1, 20, 1), 1);
        const QRgb hot = sequentialTable(Scheme::Light)[255];
        std::map<int, int> runs;
        for (int y = 0; y < image.height() - 60; ++y) {
            int run = 0;
            for (int x = 0; x <= image.width(); ++x) {
                if (x < image.width() && image.pixel(x, y) == hot) {
                    ++run;
                } else if (run > 0) {
                    ++runs[run];
                    run = 0;
                }
            }
        }
        // 26 px a cell less its line of one pixel.
        QVERIFY2(!runs.empty() && runs.rbegin()->first <= 26 && runs.rbegin()->first >= 24,
                 qPrintable(QString::number(runs.empty() ? 0 : runs.rbegin()->first)));
    }

    void badScalesAreRefused_data() {
        QTest::addColumn<double>("scale");
        for (const double scale : {0.0, -1.0, 17.0, std::nan(""), 1e9})
            QTest::addRow("%g", scale) << scale;
    }
    void badScalesAreRefused() {
        QFETCH(double, scale);
        QVERIFY_EXCEPTION_THROWN(renderHeadFigure(headFigure(1, 5, 1), scale), engine::Error);
    }

    void emptyFigures() {
        QVERIFY(!renderHeadFigure({}, 1).isNull());
        GridFigure lying = gridFigure(2, 2);
        lying.tile.request.heads.pop_back();
        QVERIFY_EXCEPTION_THROWN(renderGridFigure(lying, 1), engine::Error);
    }
};

QTEST_MAIN(MapTextFigureTest)
#include "map_text_figure.moc"
