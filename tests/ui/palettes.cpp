// SPDX-License-Identifier: GPL-3.0-or-later
// The palettes to choose from: what zero and the largest value look like on either ground, and that
// what is on screen follows the choice.
#include <QTest>

#include "tests/support/qt_warnings.h"
#include "tests/ui/reference_views.h"
#include "ui/painting/palette.h"
#include "ui/painting/palette_choice.h"

using namespace ui;

namespace {

// CIE L*, of sRGB.
double lightness(QRgb colour) {
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) +
                     0.0722 * linear(qBlue(colour));
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

}  // namespace

class PalettesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }
    void cleanup() {
        ui::setPalette(Palette::Navia);
        setTheme(Scheme::Light);
    }

    void zeroRecedes_data() {
        QTest::addColumn<int>("palette");
        for (int i = 0; i < palettes; ++i) QTest::addRow("%s", paletteNames.at(i)) << i;
    }
    // Lighter than all on a light ground, darker than all on a dark one, and never back.
    void zeroRecedes() {
        QFETCH(int, palette);
        ui::setPalette(static_cast<Palette>(palette));
        const ColourTable& light = sequentialTable(Scheme::Light);
        const ColourTable& dark = sequentialTable(Scheme::Dark);
        QVERIFY(lightness(light.front()) - lightness(light.back()) > 55);
        QVERIFY(lightness(dark.back()) - lightness(dark.front()) > 55);
        for (std::size_t i = 0; i + 1 < light.size(); ++i) {
            QCOMPARE(dark[i], light[255 - i]);
            QVERIFY2(lightness(light[i + 1]) <= lightness(light[i]) + 0.7,
                     qPrintable(QString::number(i)));
        }
    }

    void theyAreNamed() {
        QVERIFY(paletteNamed("oslo") == Palette::Oslo);
        QVERIFY(!paletteNamed("jet") && !paletteNamed(""));
        QCOMPARE(paletteName(Palette::Blues), QStringLiteral("blues"));
        // One entry of each as its authors have it.
        for (const auto& [palette, first] :
             {std::pair{Palette::Navia, 0x031327U}, std::pair{Palette::Viridis, 0x440154U},
              std::pair{Palette::Cividis, 0x00224EU}, std::pair{Palette::Oslo, 0x010101U}}) {
            ui::setPalette(palette);
            QCOMPARE(sequentialTable(Scheme::Dark).front(), 0xFF000000U | first);
        }
        ui::setPalette(Palette::Blues);
        QCOMPARE(sequentialTable(Scheme::Light).front(), qRgb(0xF7, 0xFB, 0xFF));
        QCOMPARE(sequentialTable(Scheme::Light).back(), qRgb(0x08, 0x30, 0x6B));
    }

    // The map that is shown, and its colour bar.
    void theMapFollows() {
        const CellValue value = reference::patternOf(14);
        reference::Map shown(reference::sentence(),
                             [=](const engine::Axis& dest, const engine::Axis& src) {
                                 return tileOf(value, dest, src, 14);
                             });
        const QImage before = shown.picture();
        const QRect place = shown.map->mapRect().translated(shown.map->pos());
        const QPoint most(place.left() + 4, place.top() + 4);  // dest 0, source 0: p is 1
        for (int i = 0; i < palettes; ++i) {
            ui::setPalette(static_cast<Palette>(i));
            const QImage after = shown.picture();
            QCOMPARE(after.pixelColor(most).rgb(), sequentialTable(Scheme::Light).back());
            QCOMPARE(after == before, i == 0);
        }
    }
};

QTEST_MAIN(PalettesTest)
#include "palettes.moc"
